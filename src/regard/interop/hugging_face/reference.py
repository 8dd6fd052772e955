"""The `transformers` package as the reference for comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from regard.checkpoint import CONFIG
from regard.data.batch import pad_right
from regard.data.hugging_face.data_sets import quiet
from regard.foreign_files import ForeignConfig, read_json
from regard.interop.check import likeliest
from regard.interop.hugging_face.settings import never_written
from regard.text.tokenizer import Symbols

PADDING = -1
WITH_HEADS = {
    "BartModel": "BartForConditionalGeneration",
    "GPT2Model": "GPT2LMHeadModel",
    "T5WithLMHeadModel": "T5ForConditionalGeneration",
    **{
        f"{name}Model": f"{name}ForCausalLM"
        for name in ("Llama", "Mistral", "Qwen2", "Qwen3", "Phi3", "OPT", "Bloom", "GPTNeoX")
    },
    "Gemma2Model": "Gemma2ForCausalLM",
    "Gemma3TextModel": "Gemma3ForCausalLM",
}
"""Classes without the output matrix, which is the embedding matrix; and an old name."""


class TransformersReference:
    """A model that `transformers` has read from a folder."""

    what: Literal["logits"] = "logits"

    def __init__(self, folder: Path, symbols: Symbols, architecture: str) -> None:
        import transformers

        self.name = f"transformers {transformers.__version__}"
        with quiet("transformers"):
            kind = getattr(transformers, WITH_HEADS.get(architecture, architecture))
            model = kind.from_pretrained(folder, attn_implementation="eager")
        self.model: Any = model.float().eval()
        if model.config.model_type == "umt5":  # 5.0 to 5.23 take it for true, and divide the last states
            stored = read_json(folder / CONFIG)
            is_tied = stored.get("tie_word_embeddings") is not False
            model.config.tie_word_embeddings = stored.get("scale_decoder_outputs", is_tied)
        self.symbols = symbols.model_copy(update={"banned_ids": self._never_written(symbols, folder)})
        # Chunks must divide the length of a text there; without them, the numbers are the same.
        for module in self.model.modules():
            if hasattr(module, "chunk_size_feed_forward"):
                module.chunk_size_feed_forward = 0

    def _never_written(self, symbols: Symbols, folder: Path) -> list[int]:
        """The tokens that ours never writes and theirs does not, either: by its settings, or as padding and start symbols,
        which only a model that was not trained would write.
        """
        settings = getattr(self.model, "generation_config", None)
        banned, _ = never_written(ForeignConfig({} if settings is None else settings.to_dict(), folder))
        return sorted({*banned, symbols.pad_id, *symbols.start_ids} & set(symbols.banned_ids))

    @torch.inference_mode()
    def values(self, sources: Sequence[Sequence[int]] | None, texts: Sequence[Sequence[int]]) -> list[Tensor]:
        """The logits of each text; for models without a head the last states."""
        if sources is None:
            output = self.model(**_inputs(texts))
            if "start_logits" in output:
                logits = torch.stack((output.start_logits, output.end_logits), dim=-1)
            else:
                names = ("logits", "prediction_logits", "last_hidden_state")
                logits = next(output[name] for name in names if name in output)
            return [logits[row] if logits.ndim == 2 else logits[row, : len(text)] for row, text in enumerate(texts)]
        start = self.symbols.start_ids
        targets = [[*start, *text] for text in texts]
        target = _inputs(targets)
        logits = self.model(
            **_inputs(sources), decoder_input_ids=target["input_ids"], decoder_attention_mask=target["attention_mask"]
        ).logits
        return [logits[row, len(start) - 1 : len(ids)] for row, ids in enumerate(targets)]

    def greedy(self, source: Sequence[int] | None, beginning: Sequence[int], num_tokens: int) -> list[int]:
        """The likeliest tokens, each from the whole text before it."""
        written: list[int] = []
        for _ in range(num_tokens):
            text = written if source is not None else [*beginning, *written]
            logits = self.values(None if source is None else [source], [text])[0]
            best = likeliest(logits[-1], self.symbols)
            if best == self.symbols.eos_id:
                break
            written.append(best)
        return written


def _inputs(texts: Sequence[Sequence[int]]) -> dict[str, Tensor]:
    ids = pad_right(texts, PADDING)
    return {"input_ids": ids.clamp(min=0), "attention_mask": (ids != PADDING).long()}
