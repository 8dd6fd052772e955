"""A decoder's model folder, ready to use: prompts in, continuations out."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Unpack, overload

import torch

from regard.data.text_streams import encode_stream, read_text, windows_in_order
from regard.engines.engine_choice import CompiledModels
from regard.errors import DataError, SettingsError
from regard.evaluation.likelihood import label_likelihood, label_log_probs
from regard.generation.continuation import Continuation, RunningTexts, TextRequest
from regard.generation.decoding import Decoding
from regard.generation.options import TextOptions
from regard.generation.request import TargetSymbols, seed_of
from regard.generation.rules.sampling import Sampling
from regard.generation.threads import check_after_fork
from regard.inspection.inspection import Inspection
from regard.inspection.texts import inspect_text, lines_as_tokens
from regard.models.decoder import Decoder
from regard.models.interface import Model, TokenModel, one_row
from regard.nn.defined import defined, undefined
from regard.pipelines.named_options import NamedTextOptions
from regard.pipelines.pipeline import Pipeline
from regard.text.length_limits import check_ids, check_lengths
from regard.text.tokenizer import Tokenizer
from regard.text.unknown_tokens import count_unknown, unknown_notes

SCORING_BATCH_TOKENS = 4096
TOKENS_BEFORE = 8
"""Tokens of a prompt that are decoded with a continuation, whose first space depends on whether anything stands before it."""


@dataclass(frozen=True)
class ScoredText:
    """The tokens of a text, and how likely each is after those before it."""

    tokens: list[str]
    """The text that each token adds."""
    log_probs: list[float | None]
    """Natural logarithms; None for the first token of a text, which nothing stands before."""
    offsets: list[int]
    """The character at which each begins."""
    likeliest: list[list[tuple[str, float]] | None]
    """In place of each, the likeliest tokens and their log-probabilities."""
    ids: list[int]
    """The log-probabilities of the tokens."""


class LanguageModel(Pipeline):
    """A trained decoder with its tokenizer. The end symbol is the line break."""

    model: Decoder
    _model: Decoder
    kind = "a language model"
    commands = ('generate {} --prompt "..."', "evaluate {} TEXT")

    def __init__(self, model: TokenModel, tokenizer: Tokenizer) -> None:
        super().__init__(model, tokenizer)
        self._prepared: CompiledModels = CompiledModels([self._model])
        without_token = tokenizer.ids_without_token(model.config.vocab_size)
        self._banned_ids = tuple(sorted({*tokenizer.symbols.banned_ids, *without_token}))

    @overload
    def generate(  # type: ignore[overload-overlap]  # a string is a sequence of strings, too
        self, prompts: str, options: TextOptions | None = None, **changes: Unpack[NamedTextOptions]
    ) -> str: ...

    @overload
    def generate(
        self, prompts: Sequence[str], options: TextOptions | None = None, **changes: Unpack[NamedTextOptions]
    ) -> list[str]: ...

    def generate(
        self, prompts: str | Sequence[str], options: TextOptions | None = None, **changes: Any
    ) -> str | list[str]:
        """The continuation of each prompt; of one string, its continuation. It depends on the seed and on a prompt's index alone.

        When prompt and text are as long as the model can read, it goes on from the newer half of them.

            model.generate("Once upon a time", temperature=0.7, max_tokens=100)

        Args:
            prompts: an empty one begins a new line.
            options: None: the defaults.
            changes: options by name, as `TextOptions` lists them.
        Raises:
            DataError: a prompt is longer than the model can read.
            SettingsError: an unknown option, or a value out of range.
        """
        if isinstance(prompts, str):
            return self.generate([prompts], options, **changes)[0]
        return [found.text for found in self.continuations(prompts, options, **changes)]

    def continuations(
        self,
        prompts: Sequence[str],
        options: TextOptions | None = None,
        *,
        first: int = 1,
        **changes: Unpack[NamedTextOptions],
    ) -> list[Continuation]:
        """The continuation of each prompt, with its tokens, their log-probabilities and why it ended. The arguments are those of
        `generate`.

        Args:
            first: the number of the first prompt, where others came before: random choices depend on it.
        """
        options = (options or TextOptions()).changed(**changes)
        running = self.running(options)
        requests = list(enumerate(self.requests(prompts, options, first)))
        for number, request in sorted(requests, key=lambda each: -len(each[1].prompt_ids)):
            running.add(number, prompts[number], request)
        found: list[tuple[int, Continuation]] = []
        while len(running):
            found += running.step()
        return [continuation for _, continuation in sorted(found, key=lambda each: each[0])]

    @classmethod
    def _takes(cls, model: Model) -> bool:
        """Whether a model goes on with a text, and reads no other."""
        return isinstance(model, TokenModel) and not model.reads_source

    def requests(self, prompts: Sequence[str], options: TextOptions, first: int = 1) -> list[TextRequest]:
        """The request for each prompt. `first` is the number of the first.

        Raises:
            DataError: a prompt is longer than the model can read.
        """
        limit = self._model.config.max_positions
        check_lengths(prompts, self.tokenizer, limit, first=first, what="prompt {}")
        rows = [self.ids_of(prompt) for prompt in prompts]
        for number, row in enumerate(rows, start=first):
            if len(row) > limit:
                raise DataError(f"prompt {number} must have at most {limit} tokens; got {len(row)}.")
        at_line = (
            options.stop_at_line and not self.tokenizer.symbols.lines_end
        )  # otherwise, the end symbol ends the line
        stop = (*options.stop, "\n") if at_line else options.stop
        return [
            TextRequest(row, options.max_tokens, seed_of(options.seed, index), stop)
            for index, row in enumerate(rows, start=first - 1)
        ]

    @torch.inference_mode()
    def scored(self, ids: Sequence[int], count: int = 0, first: int = 0) -> ScoredText:
        """The log-probability of each token of a text after those before it, and the likeliest tokens there.

        Args:
            ids: of the text, as `ids_of` gives them.
            count: how many of the likeliest tokens are told, at least 0.
            first: the token from which on they are told, from 0.
        Raises:
            DataError: the text is longer than the model can read, or has an id that the model does not have.
            SettingsError: another count or first token, or a model in training mode.
        """
        for name, number in (("count", count), ("first", first)):
            if number < 0:
                raise SettingsError(f"{name} must be at least 0; got {number}.")
        limit = self._model.config.max_positions
        if len(ids) > limit + 1:
            raise DataError(f"a text whose tokens are scored must have at most {limit + 1} tokens; got {len(ids)}.")
        ids = check_ids(ids, self._model.config.vocab_size)
        read = one_row(self._model, ids[:-1])
        log_probs = read.new_zeros(0, 1).float() if len(ids) < 2 else self._model(read)[0].float().log_softmax(dim=-1)
        log_probs = defined(log_probs)
        best = log_probs.topk(min(count, log_probs.shape[-1]), dim=-1)
        likeliest: list[list[tuple[str, float]] | None] = [
            list(zip(self.tokenizer.tokens(tokens), values, strict=True))
            for tokens, values in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]
        of_tokens = log_probs.gather(1, torch.tensor(ids[1:], dtype=torch.long, device=self.device)[:, None])[
            :, 0
        ].tolist()
        begins = [len(self._decode(ids[:at])) for at in range(len(ids) + 1)]
        text = self._decode(ids)
        return ScoredText(
            [text[begin:end] for begin, end in pairwise(begins)][first:],
            [None, *of_tokens][first : len(ids)], begins[first:-1], [None, *likeliest][first : len(ids)],
            ids[first:],
        )  # fmt: skip

    def running(self, options: TextOptions | None = None, **changes: Unpack[NamedTextOptions]) -> RunningTexts:
        """Continuations that begin and end one by one, in one batch: what a server writes with."""
        options = (options or TextOptions()).changed(**changes)
        check_after_fork()
        tokenizer = self.tokenizer
        # Where the end symbol is not the line break, it ends the text.
        ends = (tokenizer.eos_id,) if options.stop_at_line or not tokenizer.symbols.lines_end else ()
        decoding = Decoding(
            self._prepared.current()[0],
            [],
            Sampling(options, ends),
            TargetSymbols((), tokenizer.eos_id, tokenizer.pad_id, self._banned_ids),
            batch_size=options.batch_size,
            device=self.device,
            padding_side="left",
        )
        return RunningTexts(decoding, self._decode_after, self._model.config.max_positions)

    def evaluate(self, lines: Sequence[str]) -> dict[str, Any]:
        """The scores of the model on some lines of text, line breaks included.

        `nats_per_token`, `perplexity` per token, `nats_per_character`, `bits_per_byte` (of UTF-8), and `token_accuracy`, in
        windows side by side of the length that the model was made for. Where the end symbol is the line break, nothing stands
        before the first token: it is not predicted, nor are its characters counted.
        """
        stream = encode_stream(lines, self.tokenizer)
        if len(stream) < 2:
            raise DataError(f"text must have at least 2 tokens to be predicted; got {len(stream)}.")
        scored = label_likelihood(
            self._model, windows_in_order(stream, SCORING_BATCH_TOKENS, self._model.config.max_positions)
        )
        if math.isnan(scored.nats):
            raise undefined()
        not_predicted = first_token(self.tokenizer, lines[0]) if self.tokenizer.symbols.lines_end else ""
        num_bytes = sum(len(line.encode()) + 1 for line in lines) - len(not_predicted.encode())
        num_characters = sum(len(line) + 1 for line in lines) - len(not_predicted)
        return scored.text_results(num_characters, num_bytes)

    def evaluate_files(
        self, data: Sequence[str | os.PathLike[str]], *, tell: Callable[[str], None] = lambda hint: None, **options: Any
    ) -> dict[str, Any]:
        """The scores of `evaluate` on text files."""
        self._refuse(options)
        lines = read_text(data)
        for note in unknown_notes(text=count_unknown(lines, self.tokenizer)):
            tell(note)
        return self.evaluate(lines)

    def inspect(self, text: str, *, hidden_states: bool = False, norms: bool = False) -> Inspection:
        """The attention weights of every head on a text; `token_log_probs` are of each token after the first.

        Args:
            hidden_states: also every layer's states, and what each layer would say next.
            norms: how much of each token a head really moves, in place of its weights.
        Raises:
            DataError: the text is longer than the model can read.
            SettingsError: the model is in training mode.
        """
        check_lengths([text], self.tokenizer, self._model.config.max_positions, what="text")
        return self._inspected(text, self.ids_of(text), hidden_states=hidden_states, norms=norms)

    def inspect_ids(self, ids: Sequence[int], *, hidden_states: bool = False, norms: bool = False) -> Inspection:
        """The same of a text that is given by the ids of its tokens: a model may write it in others than it is cut into.

        Args:
            ids: as `ids_of` gives them; where the end symbol is the line break, they begin with one.
        Raises:
            DataError: none, too many, or one that the model does not have.
        """
        ids = check_ids(ids, self._model.config.vocab_size)
        if not ids:
            raise DataError("a text must have at least one token to be inspected; got none.")
        text = self._decode(ids[1:] if self.tokenizer.symbols.lines_end else ids)
        return self._inspected(text, ids, hidden_states=hidden_states, norms=norms)

    def _inspected(self, text: str, ids: list[int], *, hidden_states: bool, norms: bool) -> Inspection:
        if len(ids) > (limit := self._model.config.max_positions):
            raise DataError(f"text must have at most {limit} tokens; got {len(ids)}.")
        tokens = lines_as_tokens(ids, text, self.tokenizer)
        return inspect_text(self._model, self.tokenizer, text, ids, tokens, hidden_states=hidden_states, norms=norms)

    def ids_of(self, prompt: str) -> list[int]:
        """The ids of a prompt. Where the end symbol is the line break, a text begins as after one; elsewhere as a document, with
        the symbol that the tokenizer puts before one.
        """
        if not self.tokenizer.symbols.lines_end:
            symbols = self.tokenizer.symbols
            return [*symbols.source_begin_ids, *self.tokenizer.encode(prompt)] or list(symbols.start_ids)
        first, *others = self.tokenizer.encode_batch(prompt.split("\n"))
        ids = [self.tokenizer.eos_id, *first]
        for line in others:
            ids += [self.tokenizer.eos_id, *line]
        return ids

    def _decode(self, ids: Sequence[int]) -> str:
        if not self.tokenizer.symbols.lines_end:
            return self.tokenizer.decode(ids)
        lines: list[list[int]] = [[]]
        for id in ids:
            if id == self.tokenizer.eos_id:
                lines.append([])
            else:
                lines[-1].append(id)
        return "\n".join(self.tokenizer.decode(line) for line in lines)

    def _decode_after(self, ids: Sequence[int], before: Sequence[int]) -> str:
        """The text that ids add to a prompt. Many tokenizers take the space away that stands before the first word of a text."""
        if self.tokenizer.symbols.lines_end:
            return self._decode(ids)
        near = list(before[-TOKENS_BEFORE:])
        prompt, whole = self._decode(near), self._decode([*near, *ids])
        return whole.removeprefix(prompt) if whole.startswith(prompt) else self._decode(ids)


def stream_log_probs(model: LanguageModel, ids: Sequence[int]) -> tuple[list[float], list[bool]]:
    """The log-probability of each token of a text after the first, in windows side by side as in `evaluate`, and whether the
    model finds it likelier than any other.
    """
    if len(ids) < 2:
        return [], []
    limit = model._model.config.max_positions
    return label_log_probs(model._model, windows_in_order(ids, SCORING_BATCH_TOKENS, limit))


def first_token(tokenizer: Tokenizer, line: str) -> str:
    """The text of the first token of a line; the line break itself, where there is none."""
    spans = tokenizer.offsets(line)
    return line[: spans[0][1]] if spans else "\n"
