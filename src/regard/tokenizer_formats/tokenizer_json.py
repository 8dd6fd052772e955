"""A writer of `tokenizer.json` and `tokenizer_config.json`, which Hugging Face's `AutoTokenizer` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regard.errors import ModelFolderError
from regard.text.tokenizer import Tokenizer


def write_tokenizer(
    folder: Path,
    tokenizer: Tokenizer,
    *,
    frame: tuple[list[int], list[int]] | None,
    pad_id: int,
    max_positions: int,
    separators: int = 1,
    second_kind: int = 0,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """Write a tokenizer of ours for Hugging Face's `AutoTokenizer`: `tokenizer.json` and `tokenizer_config.json`.

    Args:
        frame: the symbols in front of a text and behind it; None: it puts none there.
        pad_id: what shorter texts are filled up with, which may be a token of ours; -1: nothing is.
        separators: how often what stands behind a text stands between the two texts of a pair.
        second_kind: the kind of the second text's tokens, 0 or 1; the first's is 0. Where both are, models do not ask for it.
        settings: more of `tokenizer_config.json`.
    Raises:
        ModelFolderError: it has a vocabulary of its own, which `tokenizer.json` cannot say.
    """
    if tokenizer.vocabulary is not None:
        raise ModelFolderError(
            "a tokenizer with a vocabulary beside its SentencePiece model cannot be written as tokenizer.json. "
            "Take the spm and vocabulary files of the model that it came from."
        )
    content = json.loads(tokenizer.backend_json)
    symbols = tokenizer.symbols
    if frame is not None:
        content["post_processor"] = _template(tokenizer, *frame, separators, second_kind)
    (folder / "tokenizer.json").write_text(json.dumps(content, ensure_ascii=False, indent=2), encoding="utf-8")
    ids = {"pad": pad_id, "unk": symbols.unk_id, "bos": symbols.bos_id, "eos": symbols.eos_id}
    if symbols.mask_id is not None:
        ids["mask"] = symbols.mask_id
    named: dict[str, Any] = {f"{name}_token": tokenizer.tokens([id])[0] for name, id in ids.items() if id >= 0}
    if frame is not None:
        named |= {"cls_token": named["bos_token"], "sep_token": named["eos_token"]}
    named |= {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": max_positions,
        "model_input_names": ["input_ids", *["token_type_ids"] * second_kind, "attention_mask"],
        "clean_up_tokenization_spaces": False,
    } | dict(settings or {})
    (folder / "tokenizer_config.json").write_text(json.dumps(named, ensure_ascii=False, indent=2), encoding="utf-8")


def _template(
    tokenizer: Tokenizer, begin: list[int], end: list[int], separators: int, second_kind: int
) -> dict[str, Any]:
    """The post-processor that puts symbols around a text, and around the texts of a pair."""
    names = dict(zip([*begin, *end], tokenizer.tokens([*begin, *end]), strict=True))

    def piece(kind: str, id: str, type_id: int = 0) -> dict[str, Any]:
        return {kind: {"id": id, "type_id": type_id}}

    first = [*(piece("SpecialToken", names[id]) for id in begin), piece("Sequence", "A")]
    single, between = ([*first, *(piece("SpecialToken", names[id]) for id in end * times)] for times in (1, separators))
    second = [piece("Sequence", "B", second_kind), *(piece("SpecialToken", names[id], second_kind) for id in end)]
    return {
        "type": "TemplateProcessing",
        "single": single,
        "pair": between + second,
        "special_tokens": {name: {"id": name, "ids": [id], "tokens": [name]} for id, name in names.items()},
    }
