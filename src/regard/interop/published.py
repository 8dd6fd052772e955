"""Well-known published models of the families that are read, texts to check them with, and their original implementation."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch

from regard.errors import MissingExtraError, ModelFolderError, check_known
from regard.foreign_files import find_folder
from regard.interop.foreign import ForeignModel
from regard.interop.hugging_face.reference import TransformersReference

BYTES_PER_PARAMETER = 12
"""The bytes of memory that a check takes: both models in float32, and the file that one of them is read from."""


class Published(NamedTuple):
    """A model of the Hugging Face hub."""

    hub_name: str
    megabytes: int
    """About the size of its files."""
    millions: int
    """About the number of its parameters, in millions."""
    revision: str = "main"
    """A branch, a tag or a commit."""

    @property
    def memory_gigabytes(self) -> float:
        """About the memory that its check takes."""
        return self.millions * BYTES_PER_PARAMETER / 1000


PUBLISHED = {
    "opus-mt-en-de": Published("Helsinki-NLP/opus-mt-en-de", 300, 74),
    "opus-mt-fr-en": Published("Helsinki-NLP/opus-mt-fr-en", 300, 75),
    "bert-base-uncased": Published("google-bert/bert-base-uncased", 440, 110),
    "bert-base-multilingual-cased": Published("google-bert/bert-base-multilingual-cased", 715, 179),
    "bert-base-ner": Published("dslim/bert-base-NER", 433, 108),
    "roberta-base": Published("FacebookAI/roberta-base", 500, 125),
    "xlm-roberta-base": Published("FacebookAI/xlm-roberta-base", 1120, 278),
    "distilbert-base-uncased": Published("distilbert/distilbert-base-uncased", 268, 67),
    "distilbert-sst-2": Published("distilbert/distilbert-base-uncased-finetuned-sst-2-english", 268, 67),
    "gpt2": Published("openai-community/gpt2", 548, 124),
    "distilgpt2": Published("distilbert/distilgpt2", 353, 82),
    "opt-125m": Published("facebook/opt-125m", 251, 125),
    "bloom-560m": Published("bigscience/bloom-560m", 1120, 559),
    "smollm2-135m": Published("HuggingFaceTB/SmolLM2-135M", 269, 135),
    "qwen2.5-0.5b": Published("Qwen/Qwen2.5-0.5B", 990, 494),
    "qwen3-0.6b": Published("Qwen/Qwen3-0.6B-Base", 1200, 596),
    "t5-small": Published("google-t5/t5-small", 242, 61),
    "flan-t5-small": Published("google/flan-t5-small", 308, 77),
    "mt5-small": Published("google/mt5-small", 1200, 300),
    "bart-base": Published("facebook/bart-base", 558, 139),
    "bart-large-cnn": Published("facebook/bart-large-cnn", 1630, 406),
    "m2m100-418m": Published("facebook/m2m100_418M", 1940, 484),
    "nllb-200-distilled-600m": Published("facebook/nllb-200-distilled-600M", 2460, 615),
    "pegasus-xsum": Published("google/pegasus-xsum", 2280, 568),
    "bert2bert-cnn": Published("patrickvonplaten/bert2bert_cnn_daily_mail", 990, 247),
}
"""Models by short names. Sizes and names were written from memory, without a network; no commit was looked up."""

HARD_TEXTS = (
    "The quick brown fox jumps over the lazy dog.", "Wie geht es dir heute?", "Züge fahren nach Köln, 1985.",
    "naïve café – déjà vu", "KÖLN, ÄÖÜ und ß", "don't, I'LL, it's", "THE END.", "a", "aaaaaaaaaaaa", "ab ba aba",
    "two  spaces", "a   b    c", "tab\there", "line\nbreak", "a\u00a0b", "ﬁne ligature", "full\uff21\uff22 width",
    "e\u0301 composed", "½ ² ①", "zero\u200bwidth", "soft\u00adhyphen", "…", "“quoted” ‘text’", "1234567890 3.14 1,000",
    "x = a[0] + b{1};", "https://example.org/a?b=c&d", "Привет, мир!", "مرحبا بالعالم", "文字と数字", "한국어 문장",
    "नमस्ते दुनिया", "🙂 smile 👍🏽", "☃ unseen ☃☃",
)  # fmt: skip
"""33 texts without spaces at their ends and without names of symbols, which versions of `transformers` treat differently."""


def chosen(names: Sequence[str]) -> dict[str, Published]:
    """The models of some names; of none, all models.

    Raises:
        SettingsError: a name is unknown.
    """
    for name in names:
        check_known("a published model", name, PUBLISHED, "one of the list")
    return {name: PUBLISHED[name] for name in names or PUBLISHED}


def check_originals() -> str:
    """Make sure that the original implementation is installed, and let it show no bars. Returns its name and version.

    Raises:
        MissingExtraError: it is not.
    """
    try:
        import transformers
    except ImportError as error:
        raise MissingExtraError("comparing with published models", "convert") from error
    transformers.utils.logging.disable_progress_bar()
    return f"transformers {transformers.__version__}"


def folder_of(model: Published, copies: Path | None) -> Path:
    """The folder of a model: a copy below `copies`, or downloaded from the hub.

    Raises:
        ModelFolderError: there is no copy, or the hub has no such model or cannot be reached.
    """
    if copies is None:
        return find_folder(f"hf:{model.hub_name}", revision=model.revision)
    if not (copies / model.hub_name).is_dir():
        raise ModelFolderError(f"{copies / model.hub_name} must be a copy of {model.hub_name}; it is not there.")
    return copies / model.hub_name


def commit_of(folder: Path) -> str:
    """The commit of a folder in the cache of the hub; empty for others."""
    return folder.name if folder.parent.name == "snapshots" else ""


class Beam(NamedTuple):
    """The best hypothesis of a beam search."""

    ids: list[int]
    """Without the symbols at both ends."""
    score: float
    """The sum of its tokens' natural log-probabilities."""


class Original:
    """A published model and its tokenizer in `transformers`.

    Raises:
        ModelFolderError: it is of a format that `transformers` does not read.
    """

    def __init__(self, foreign: ForeignModel) -> None:
        from transformers import AutoTokenizer

        reference = foreign.make_reference(foreign.path) if foreign.make_reference else None
        if not isinstance(reference, TransformersReference):
            raise ModelFolderError(f"{foreign.path} must be a model that transformers reads; got {foreign.format}.")
        self.reference, self.foreign = reference, foreign
        self._tokenizer: Any = AutoTokenizer.from_pretrained(foreign.path)

    def ids(self, text: str) -> list[int]:
        """The ids of a text, without symbols."""
        return list(self._tokenizer(text, add_special_tokens=False)["input_ids"])

    @torch.inference_mode()
    def beam(self, source: Sequence[int], width: int, longest: int) -> Beam:
        """Search for the likeliest target of a source, or continuation of a prompt, by the sum of log-probabilities.

        Args:
            longest: the number of tokens that it may have, the end symbol counted.
        """
        from transformers import GenerationConfig

        symbols = self.foreign.loaded.tokenizer.symbols
        is_pair = self.foreign.loaded.model.config.arch == "encoder-decoder"
        start = list(symbols.start_ids) if is_pair else list(source)
        banned = [[id] for id in symbols.banned_ids if id >= 0]
        model = self.reference.model
        model.generation_config = GenerationConfig(
            num_beams=width, do_sample=False, max_new_tokens=longest, length_penalty=0.0, early_stopping="never",
            pad_token_id=max(symbols.pad_id, 0), eos_token_id=symbols.eos_id, decoder_start_token_id=start[0],
            bad_words_ids=banned or None, return_dict_in_generate=True, output_scores=True,
        )  # fmt: skip
        given = {"decoder_input_ids": torch.tensor([start])} if is_pair else {}
        rows = torch.tensor([list(source)])
        found = model.generate(rows, attention_mask=torch.ones_like(rows), **given)
        ids = found.sequences[0, len(start) :].tolist()
        ids = ids[: ids.index(symbols.eos_id)] if symbols.eos_id in ids else ids
        return Beam(ids, float(found.sequences_scores[0]))
