"""Runs decoding on many requests: with packed models, one batch at a time or several in parallel."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock

import torch
from torch import Tensor

from regard.engines.engine_choice import MOST_NATIVE_WORKERS, NATIVE, CompiledModels
from regard.engines.native_beam import NativeBeamSearch
from regard.engines.packed import is_divided
from regard.errors import SettingsError
from regard.generation.decoding import TEXTS_ON_CPU, Decoding, texts_at_once
from regard.generation.ensemble import Ensemble
from regard.generation.filters import Filter
from regard.generation.mixed_adapters import Adapted
from regard.generation.options import DecodingOptions
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.trace import Trace
from regard.generation.threads import check_after_fork, side_by_side
from regard.memory import free_bytes
from regard.models.interface import PairModel
from regard.pipelines.adapter_set import AdapterSet
from regard.text.tokenizer import Tokenizer

STEP_BYTES = 12
"""Memory for each token that a step scores: its logit, its log-probability, and the rule's score."""
CELL_BYTES = 2
"""Memory for each pair of hypotheses of a text: whether one ancestry from the newest token of the other, now and after a step
(`nn/cache/beam_cache.py`). In PyTorch, each head has a score for it besides."""
SCORE_BYTES = 4
WORTH_A_WORKER = 4
"""Texts for which a thread is started."""
ALWAYS_THERE = 1 << 28
"""Up to this many bytes, free memory is not checked."""


class BatchDecoder:
    """Decodes requests with a model, or with several as an ensemble.

    Args:
        tokenizer: of what they write.
        adapters: of the one model; requests have their numbers.
    Raises:
        SettingsError: models whose vocabularies differ in size.
    """

    def __init__(self, models: Sequence[PairModel], tokenizer: Tokenizer, adapters: AdapterSet | None = None) -> None:
        if len(sizes := {model.config.vocab_size for model in models}) > 1:
            listed = " and ".join(map(str, sorted(sizes)))
            raise SettingsError(f"models of an ensemble must have vocabularies of the same size; got {listed}.")
        self.models, self._choice = models, None if adapters is None else adapters.choice
        self.prepared = CompiledModels(models, None if adapters is None else partial(adapters.joined, models[0]))
        self._write_with(tokenizer)

    def _write_with(self, tokenizer: Tokenizer) -> None:
        symbols = tokenizer.symbols
        banned_ids = {*symbols.banned_ids, *tokenizer.ids_without_token(self.models[0].config.vocab_size)}
        self._tokenizer = tokenizer
        self._symbols = TargetSymbols(symbols.start_ids, symbols.eos_id, symbols.pad_id, tuple(sorted(banned_ids)))

    def writing_with(self, tokenizer: Tokenizer) -> BatchDecoder:
        """A decoder with the same models, for texts that begin with other symbols."""
        found = copy.copy(self)
        found._write_with(tokenizer)
        return found

    @property
    def device(self) -> torch.device:
        """Where the models are."""
        return next(self.models[0].parameters()).device

    def decode(
        self,
        requests: list[Request],
        options: DecodingOptions,
        filters: Sequence[Filter] = (),
        trace: Trace | None = None,
        on_done: Callable[[int], None] | None = None,
    ) -> list[list[Hypothesis]]:
        """The hypotheses of each request, in order.

        Args:
            filters: change log-probabilities, after those of the options.
            on_done: is called with 1 whenever one more is done.
        """
        if options.deterministic and trace is not None and len(requests) > 1:
            raise SettingsError(
                "`trace` with `deterministic=true` works for one text only; translate one text, or remove one of them."
            )
        found: list[list[Hypothesis]] = [[] for _ in requests]
        lock = Lock()

        def work(numbers: Sequence[int]) -> None:
            together = [[number] for number in numbers] if options.deterministic else [numbers]
            for part in together:
                for index, hypotheses in self.begin([requests[number] for number in part], options, filters, trace):
                    with lock:
                        found[part[index]] = hypotheses
                        if on_done is not None:
                            on_done(1)

        num_workers = self._num_workers(len(requests), options)
        if num_workers == 1:
            work(range(len(requests)))
            return found
        self.prepared.current()
        by_length = sorted(range(len(requests)), key=lambda number: len(requests[number].source_ids))
        with side_by_side(num_workers) as run:
            run([partial(work, by_length[worker::num_workers]) for worker in range(num_workers)])
        return found

    def begin(
        self,
        requests: list[Request],
        options: DecodingOptions,
        filters: Sequence[Filter] = (),
        trace: Trace | None = None,
    ) -> Decoding:
        """The requests, ready to be decoded step by step."""
        check_after_fork()
        rule = options.rule(self._symbols.eos_id, trace, NativeBeamSearch)
        batch_size = texts_at_once(options.batch_size, self.device)
        if options.batch_size is None and self._lacking(min(len(requests), batch_size), rule.width):
            batch_size = TEXTS_ON_CPU  # nobody has asked for more
        self._check_room(min(len(requests), batch_size), rule.width)
        models = self.prepared.current()
        if self._choice is not None:
            models = [Adapted(model, self._choice) for model in models]
        return Decoding(
            models[0] if len(models) == 1 else Ensemble(models),
            requests,
            rule,
            self._symbols,
            batch_size=batch_size,
            filters=[*options.filters(self._tokenizer, self._symbols.eos_id), *filters],
            device=self.device,
        )

    def writable(self, log_probs: Tensor) -> Tensor:
        """Log-probabilities (..., vocabulary) with -inf for the tokens that are never written."""
        banned = torch.tensor(self._symbols.banned_ids, dtype=torch.long, device=log_probs.device)
        return log_probs.index_fill(-1, banned, -torch.inf)

    def _check_room(self, num_texts: int, width: int) -> None:
        """Make sure that there is memory for what a step scores, which is the most that decoding holds.

        Raises:
            SettingsError: there is not.
        """
        if (lacking := self._lacking(num_texts, width)) is not None:
            needed, free = lacking
            raise SettingsError(
                f"beam_size, n_best and batch_size must fit into memory; got {num_texts:,} texts with {width:,} hypotheses "
                f"each over {self.models[0].config.vocab_size:,} tokens, which need at least {needed / 1e9:,.1f} GB, of which "
                f"{free / 1e9:,.1f} GB are free on {self.device}. Lower one of them."
            )

    def _lacking(self, num_texts: int, width: int) -> tuple[int, int] | None:
        """The bytes that a step needs and those that are free, if these are fewer."""
        config = self.models[0].config
        if num_heads := getattr(config, "num_heads", 0):  # recurrent models have no cells
            of_pair = CELL_BYTES + (0 if self.prepared.engine in NATIVE else SCORE_BYTES * num_heads)
        else:
            of_pair = 0
        needed = num_texts * width * (STEP_BYTES * config.vocab_size + of_pair * width)
        free = free_bytes(self.device) if needed > ALWAYS_THERE else None
        return (needed, free) if free is not None and needed > free else None

    def _num_workers(self, num_texts: int, options: DecodingOptions) -> int:
        """The number of batches that are decoded in parallel.

        In PyTorch, two, if there are enough threads and texts: the Python of one runs while the other multiplies matrices. In C,
        as many as there are threads, with a few texts each: to divide texts is faster than to divide the products of one.
        """
        if options.trace or self.device.type != "cpu" or any(map(is_divided, self.models)):
            return 1  # processes that have parts of a model ask each other for them in one order
        if options.workers is not None:
            return options.workers
        threads = torch.get_num_threads()
        if threads == 1 or num_texts == 1:
            return 1
        if self.prepared.engine in NATIVE:
            return max(1, min(threads, num_texts // WORTH_A_WORKER, MOST_NATIVE_WORKERS))
        return 2 if num_texts >= 2 * texts_at_once(options.batch_size, self.device) else 1
