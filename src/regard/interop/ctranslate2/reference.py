"""The `ctranslate2` package as the reference for comparisons, of encoder-decoders and of decoders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from regard.text.tokenizer import Symbols


class CTranslate2Reference:
    """The outputs of the `ctranslate2` package, computed in float32.

    Args:
        added: whether it adds a begin symbol, and an end symbol, to sources.
        prefix: tokens that every target begins with, after the one that the decoder starts from.
        start: the token that the decoder starts from, where the configuration has none; None: it has one.
        banned_ids: of tokens that are never written; those that CTranslate2 does not have are left out.
    """

    what: Literal["log-probabilities"] = "log-probabilities"

    def __init__(
        self,
        folder: Path,
        source_tokens: Sequence[str],
        target_tokens: Sequence[str],
        added: tuple[bool, bool],
        prefix: Sequence[str] = (),
        start: str | None = None,
        banned_ids: Sequence[int] = (),
    ) -> None:
        import ctranslate2

        self.name = f"CTranslate2 {ctranslate2.__version__}"
        self.translator: Any = ctranslate2.Translator(str(folder), compute_type="float32", intra_threads=1)
        self.source_tokens, self.target_tokens = list(source_tokens), list(target_tokens)
        self.target_ids = {token: id for id, token in enumerate(target_tokens)}
        self.added, self.prefix = added, list(prefix)
        self.never_written = _sequences(self.target_tokens, banned_ids)
        self.start = [] if start is None else [start]  # it is no part of what is returned

    def values(self, sources: Sequence[Sequence[int]] | None, texts: Sequence[Sequence[int]]) -> list[Tensor]:
        """The log-probability of each target's tokens, and of its end symbol."""
        assert sources is not None
        read = [self._read(ids) for ids in sources]
        targets = [[*self.start, *self.prefix, *(self.target_tokens[id] for id in ids)] for ids in texts]
        results = self.translator.score_batch(read, targets)
        return [torch.tensor(result.log_probs[len(self.prefix) :]) for result in results]

    def greedy(self, source: Sequence[int] | None, beginning: Sequence[int], num_tokens: int) -> list[int]:
        """The tokens of CTranslate2's greedy translation."""
        assert source is not None
        (result,) = self.translator.translate_batch(
            [self._read(source)],
            target_prefix=[[*self.start, *self.prefix]] if self.start or self.prefix else None,
            beam_size=1,
            min_decoding_length=0,  # by default an empty text is none
            max_decoding_length=len(self.prefix) + num_tokens,
            suppress_sequences=self.never_written,
        )
        return [self.target_ids[token] for token in result.hypotheses[0][len(self.prefix) :]]

    def _read(self, ids: Sequence[int]) -> list[str]:
        """The source tokens without those that CTranslate2 adds by itself."""
        begins, ends = self.added
        return [self.source_tokens[id] for id in ids[int(begins) : len(ids) - int(ends)]]


class GeneratorReference:
    """The outputs of a decoder in the `ctranslate2` package, computed in float32."""

    what: Literal["logits"] = "logits"

    def __init__(self, folder: Path, tokens: Sequence[str], symbols: Symbols) -> None:
        import ctranslate2

        self.name = f"CTranslate2 {ctranslate2.__version__}"
        self.generator: Any = ctranslate2.Generator(str(folder), compute_type="float32", intra_threads=1)
        self.tokens, self.end = list(tokens), tokens[symbols.eos_id]
        self.never_written = _sequences(self.tokens, symbols.banned_ids)

    def values(self, sources: Sequence[Sequence[int]] | None, texts: Sequence[Sequence[int]]) -> list[Tensor]:
        """The logits of each text at every position."""
        found = self.generator.forward_batch([[self.tokens[id] for id in ids] for ids in texts])
        logits = torch.from_numpy(np.array(found))
        return [logits[row, : len(ids)] for row, ids in enumerate(texts)]

    def greedy(self, source: Sequence[int] | None, beginning: Sequence[int], num_tokens: int) -> list[int]:
        """The tokens of CTranslate2's greedy continuation."""
        (result,) = self.generator.generate_batch(
            [[self.tokens[id] for id in beginning]], beam_size=1, max_length=num_tokens, end_token=self.end,
            include_prompt_in_result=False, suppress_sequences=self.never_written,
        )  # fmt: skip
        return [id for id in result.sequences_ids[0] if self.tokens[id] != self.end]


def _sequences(tokens: Sequence[str], banned_ids: Sequence[int]) -> list[list[str]]:
    """The tokens of some ids, each as a sequence that CTranslate2 is to suppress."""
    return [[tokens[id]] for id in banned_ids if id < len(tokens)]
