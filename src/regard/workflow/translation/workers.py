"""Models at work on many requests: packed for the processor, one batch at a time or several side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, cast

import torch

from regard.errors import SettingsError
from regard.generation.decoding import Decoding
from regard.generation.ensemble import Ensemble
from regard.generation.request import Hypothesis, Request, TargetSymbols
from regard.generation.rules.trace import Trace
from regard.models.families import PairModel
from regard.models.interface import SequenceToSequence
from regard.models.packed import is_divided, packed
from regard.workflow.translation.options import DecodingOptions


class Workers:
    """Decodes requests with a model, or with several as an ensemble.

    Args:
        encode: the ids of a text, for phrases among the options.
    """

    def __init__(
        self, models: Sequence[PairModel], symbols: TargetSymbols, encode: Callable[[str], Sequence[int]]
    ) -> None:
        self.models, self.symbols, self.encode = models, symbols, encode
        self.device = next(models[0].parameters()).device
        self._packed: tuple[list[tuple[int, int]], list[SequenceToSequence[Any]]] | None = None

    def decode(
        self,
        requests: list[Request],
        options: DecodingOptions,
        trace: Trace | None = None,
        on_done: Callable[[int], None] | None = None,
    ) -> list[list[Hypothesis]]:
        """What is found for each request, in order.

        Args:
            on_done: is called with 1 whenever one more is done.
        """
        if options.deterministic and trace is not None and len(requests) > 1:
            raise SettingsError("trace must be asked of one text where each is decoded on its own.")
        found: list[list[Hypothesis]] = [[] for _ in requests]
        lock = Lock()

        def work(numbers: Sequence[int]) -> None:
            together = [[number] for number in numbers] if options.deterministic else [numbers]
            for part in together:
                for index, hypotheses in self.begin([requests[number] for number in part], options, trace):
                    with lock:
                        found[part[index]] = hypotheses
                        if on_done is not None:
                            on_done(1)

        num_workers = self._num_workers(len(requests), options)
        if num_workers == 1:
            work(range(len(requests)))
            return found
        self._for_decoding()
        by_length = sorted(range(len(requests)), key=lambda number: len(requests[number].source_ids))
        num_threads = torch.get_num_threads()
        share = max(num_threads // num_workers, 1)
        try:
            with ThreadPoolExecutor(num_workers, initializer=torch.set_num_threads, initargs=(share,)) as pool:
                list(pool.map(work, [by_length[worker::num_workers] for worker in range(num_workers)]))
        finally:
            torch.set_num_threads(num_threads)
        return found

    def begin(self, requests: list[Request], options: DecodingOptions, trace: Trace | None = None) -> Decoding:
        """The requests, ready to be decoded step by step."""
        models = self._for_decoding()
        return Decoding(
            models[0] if len(models) == 1 else Ensemble(models),
            requests,
            options.rule(self.symbols.eos_id, trace),
            self.symbols,
            batch_size=options.batch_size,
            filters=options.filters(self.encode, self.symbols.eos_id),
            device=self.device,
        )

    def _num_workers(self, num_texts: int, options: DecodingOptions) -> int:
        """Two where a processor has the threads and there is work: the Python of one runs beside the products of the other."""
        if options.trace or self.device.type != "cpu" or any(map(is_divided, self.models)):
            return 1  # processes that have parts of a model ask each other for them in one order
        if options.workers is not None:
            return options.workers
        return 2 if torch.get_num_threads() > 1 and num_texts >= 2 * options.batch_size else 1

    def _for_decoding(self) -> list[SequenceToSequence[Any]]:
        """The models with their weights packed; anew when the weights have changed."""
        # Tensors of inference mode, such as a divided model's while it is put together, count no versions.
        stamp = [(id(x), x.is_inference() or x._version) for model in self.models for x in model.parameters()]
        if self._packed is None or self._packed[0] != stamp:
            self._packed = stamp, [cast("SequenceToSequence[Any]", packed(model)) for model in self.models]
        return self._packed[1]
