"""A step of training: forward and loss of each micro-batch, backward, clip, update; on a single process or on many."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property
from typing import Any, Generic, TypeVar

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.distributed.fsdp import FSDPModule

from regard.errors import TrainingError
from regard.models.adaptation import merged
from regard.models.interface import Model, stored_tensors
from regard.nn.losses import spread_over_all
from regard.training.distributed import ALONE, World, put, replicated, sharded, whole
from regard.training.objectives.distillation import Teacher
from regard.training.objectives.guided_alignment import guided_loss
from regard.training.optimization import WeightAverage, parameter_groups
from regard.training.precision import MasterWeights, resolve_precision
from regard.training.training_config import TrainingConfig
from regard.training.training_run import AnyBatch

AnyModel = TypeVar("AnyModel", bound=Model)
Found = TypeVar("Found")
MOMENTS = ("step", "exp_avg", "exp_avg_sq")
METHODS = ("states", "labelled_states", "logits", "encode", "embed", "prefill", "decode_step")
"""Methods of a model that validation calls, besides `forward`."""


class Outcome:
    """The result of a step. It stays on the device until it is asked for, which waits for the step to end.

    Args:
        numbers: the loss, and the norm of the gradient.
    """

    def __init__(self, numbers: Float[Tensor, "2"]) -> None:
        self._numbers = numbers

    @cached_property
    def _read(self) -> list[float]:
        return self._numbers.tolist()

    @property
    def loss(self) -> float:
        """The loss in nats per label, over all micro-batches and processes."""
        return self._read[0]

    @property
    def problem(self) -> str:
        """The name of the number that was not finite, `loss` or `gradient`: then the weights have not changed; empty: neither."""
        found = zip(("loss", "gradient"), self._read, strict=True)
        return next((what for what, number in found if not math.isfinite(number)), "")


class _Loss(nn.Module):
    """A module that holds a model and its loss, whose forward pass can be spread over processes."""

    def __init__(
        self, model: Model, smoothing: float, teacher: Teacher | None = None, alignment_weight: float = 0.0
    ) -> None:
        super().__init__()
        self.model, self.smoothing, self.alignment_weight = model, smoothing, alignment_weight
        self.teacher = None if teacher is None else teacher.like(model)
        """The teacher; not a module of this one: it does not learn, and has no part in what processes exchange."""

    def forward(self, batch: Any) -> Tensor:
        if getattr(batch, "links", None) is None:
            return self._of_labels(batch)
        return guided_loss(self.model, batch, lambda: self._of_labels(batch), self.alignment_weight)

    def _of_labels(self, batch: Any) -> Tensor:
        if self.teacher is None:
            return self.model.loss(batch, smoothing=self.smoothing)
        return self.model.loss(batch, smoothing=self.smoothing, soft=self.teacher.targets(batch))


def compiled(model: AnyModel) -> AnyModel:
    """A model with the same parameters whose `states` PyTorch compiles at the first batch: one graph for batches of any
    shape.
    """
    copied = copy.copy(model)
    copied.states = torch.compile(model.states, dynamic=True)
    return copied


def compile_layers(model: Model) -> None:
    """Let PyTorch compile each layer at the first batch, in place: between layers, FSDP puts weights together."""
    for layers in model.layer_stacks().values():
        for layer in layers:
            layer.forward = torch.compile(layer.forward, dynamic=True)


class Updater(Generic[AnyModel, AnyBatch]):
    """Updates a model's weights by the gradient of its loss.

    Args:
        model: on its device, in float32; its weights are moved in place, but for `shard`. Frozen ones stay as they are.
        shard: divide weights and moments among the processes, instead of having all of them in each.
        teacher: a model that this one learns from, beside the labels.
        compiles: compute with compiled `states`; with `shard`, with compiled layers.
    """

    def __init__(
        self,
        model: AnyModel,
        config: TrainingConfig,
        world: World = ALONE,
        *,
        shard: bool = False,
        teacher: Teacher | None = None,
        compiles: bool = False,
    ) -> None:
        self.config, self.world, self.shard = config, world, shard and world.size > 1
        self.device = next(model.parameters()).device
        dtype = resolve_precision(config.precision, self.device)
        smoothing = config.label_smoothing
        if config.smoothing_over == "others":
            smoothing = spread_over_all(smoothing, model.num_classes)
        self._unspread = copy.deepcopy(model).cpu() if self.shard and world.is_main else None
        self.model = model
        self.average = WeightAverage(model, config.average_decay, is_separate=self.shard)
        if self.shard:
            sharded(self.average.model, dtype, METHODS)
            self.weights = MasterWeights(model, torch.float32)
            if compiles:
                compile_layers(model)
            loss = _Loss(model, smoothing, teacher, config.alignment_weight)
            self.module = sharded(loss, dtype)
        else:
            self.weights = MasterWeights(model, dtype)
            compute = compiled(self.weights.compute) if compiles else self.weights.compute
            loss = _Loss(compute, smoothing, teacher, config.alignment_weight)
            self.module = loss if world.size == 1 else replicated(loss)
        self.teacher = loss.teacher
        self._buffers = [each for each in stored_tensors(model).values() if not isinstance(each, nn.Parameter)]
        """Tensors that a forward pass changes, such as the running means of batch norms."""
        self.optimizer = torch.optim.AdamW(
            parameter_groups(model, config.weight_decay), betas=config.adam_betas, eps=config.adam_epsilon, fused=True
        )

    def step(self, batches: Sequence[AnyBatch], learning_rate: float, num_tokens: int | None = None) -> Outcome:
        """Update the weights once, by the gradient of the mean loss over the labels of all batches.

        Where loss or gradient is not finite, the weights stay as they were, and so do running means and the optimizer. A GPU
        decides that by itself: nothing here waits for it.

        Args:
            num_tokens: labels of the whole step, over all processes; None: those of these batches.
        Raises:
            TrainingError: there is not enough memory, or the model cannot be compiled.
        """
        num_tokens = sum(batch.num_tokens for batch in batches) if num_tokens is None else num_tokens
        with _reporting_lack_of_memory(lambda: _sizes(batches), self.config), _reporting_compile_errors():
            return self._step(batches, learning_rate, num_tokens)

    def _step(self, batches: Sequence[AnyBatch], learning_rate: float, num_tokens: int) -> Outcome:
        if not self.weights.compute.training:
            self.weights.compute.train()
            self.module.train()
        total, before = torch.zeros((), device=self.device), [each.clone() for each in self._buffers]
        sums_first = len(batches) > 1 and self.weights.compute is not self.model
        for batch in batches:
            total += self._backward(batch, num_tokens, is_last=batch is batches[-1], sums_first=sums_first)
        mean_loss = self.world.summed(total)
        learning = [each for group in self.optimizer.param_groups for each in group["params"] if each.grad is not None]
        if sums_first:
            self.world.average([each.grad for each in learning])
        norm = whole(nn.utils.get_total_norm([each.grad for each in learning]))
        nn.utils.clip_grads_with_norm_(learning, self.config.clip_norm, norm)
        numbers = torch.stack((mean_loss, norm.float()))
        is_skipped = ~numbers.isfinite().all()
        self.optimizer.found_inf = is_skipped.float()  # type: ignore[attr-defined]  # as torch.amp tells it
        for buffer, earlier in zip(self._buffers, before, strict=True):
            buffer.copy_(torch.where(is_skipped, earlier, buffer))
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.weights.spread_weights()
        return Outcome(numbers)

    def _backward(self, batch: AnyBatch, num_tokens: int, *, is_last: bool, sums_first: bool) -> Tensor:
        """Accumulate the gradient of a batch; returns its part of the mean loss.

        Processes exchange gradients once a step: with the last batch, while they are computed; or where the sum over batches has
        more digits than a batch's gradient, after it.
        """
        waits = self.world.size > 1 and not self.shard and (sums_first or not is_last)
        if isinstance(self.module, FSDPModule):
            self.module.set_requires_gradient_sync(is_last)
        with self.module.no_sync() if waits else nullcontext():  # type: ignore[operator]  # DDP's, not nn.Module's
            loss: Tensor = self.module(batch.to(self.device)) / num_tokens
            (loss * self.world.size).backward()  # the reduction over processes is a mean
        self.weights.gather_gradients()
        return loss.detach()

    def measure(self, look: Callable[[AnyModel], Found]) -> Found:
        """Apply a function to the averaged model, in the main process, or in all where each has only a part of it;
        returns its result in all.
        """
        model = (self.average.model if self.shard else merged(self.average.model)).eval()
        # What is put together of a divided model in inference mode cannot be renewed outside of it: so always in it.
        in_inference = torch.inference_mode() if self.shard else nullcontext()
        with in_inference, _reporting_lack_of_memory(lambda: "the validation text, in batches", self.config):
            found = look(model) if self.world.is_main or self.shard else None
        if isinstance(model, FSDPModule):
            model.reshard()
        shared = self.world.broadcast(found)
        assert shared is not None
        return shared

    def whole_model(self) -> AnyModel:
        """The averaged model to be stored; whole in the main process. All processes must call this."""
        if not self.shard:
            return self.average.model
        held = {} if self._unspread is None else stored_tensors(self._unspread)
        for name, spread in stored_tensors(self.average.model).items():
            value = whole(spread.detach())  # each process has a part of it
            if held:
                put(held[name], value)
        return self.average.model if self._unspread is None else self._unspread

    def tensors(self) -> dict[str, Tensor]:
        """The weights, averages and moments, whole in the main process. All processes must call this."""
        weights = stored_tensors(self.model)
        found = {f"weights.{name}": tensor.detach() for name, tensor in weights.items()}
        averaged = stored_tensors(self.average.model)
        found |= {
            f"average.{name}": each
            for name, each in averaged.items()
            if weights[name].requires_grad and each is not weights[name]
        }  # frozen ones stay the same
        for name, parameter in weights.items():
            moments = self.optimizer.state.get(parameter, {})
            found |= {f"optimizer.{name}.{key}": tensor for key, tensor in moments.items()}
        gathered = ((name, whole(tensor)) for name, tensor in found.items())
        return {name: tensor.cpu().contiguous() for name, tensor in gathered if self.world.is_main}

    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Load the state of an earlier run, with any number of processes."""
        for name, parameter in stored_tensors(self.model).items():
            put(parameter, tensors[f"weights.{name}"])
        for name, parameter in stored_tensors(self.average.model).items():
            put(parameter, tensors.get(f"average.{name}", tensors[f"weights.{name}"]))
        self.weights.spread_weights()
        for name, parameter in self.model.named_parameters():
            for key in MOMENTS:
                if (value := tensors.get(f"optimizer.{name}.{key}")) is not None:
                    moment = torch.zeros_like(parameter) if key != "step" else torch.zeros((), device=self.device)
                    put(moment, value)
                    self.optimizer.state[parameter][key] = moment


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error says that memory is used up, on a processor or on a GPU."""
    said = str(error).lower()
    is_named = isinstance(error, MemoryError | torch.OutOfMemoryError)
    return is_named or "can't allocate memory" in said or "out of memory" in said


@contextmanager
def _reporting_lack_of_memory(what: Callable[[], str], config: TrainingConfig) -> Iterator[None]:
    """Turn the libraries' out-of-memory errors into a `TrainingError`.

    Raises:
        TrainingError: there is not enough memory.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise TrainingError(
            f"a batch must fit into memory; got {what()}. In a new run, lower training.batch_tokens, now "
            f"{config.batch_tokens:,}, and raise training.accumulation, now {config.accumulation}, by the same factor: an "
            "update still covers as many tokens. The checkpoints are intact: with more memory, continue with `--resume`."
        ) from error


@contextmanager
def _reporting_compile_errors() -> Iterator[None]:
    """Turn the compiler's errors, such as that a machine has no C++ compiler, into a `TrainingError`.

    Raises:
        TrainingError: the model cannot be compiled.
    """
    try:
        yield
    except RuntimeError as error:
        if not type(error).__module__.startswith(("torch._dynamo", "torch._inductor")):
            raise
        lines = [line for line in str(error).splitlines() if line]
        said = next((line for line in lines if not line.endswith("raised:")), "")
        raise TrainingError(
            f"`--compile` must be able to compile the model; got {said!r}. Train without it."
        ) from error


def _sizes(batches: Sequence[Any]) -> str:
    """The shapes of the largest of some batches."""
    shapes = [
        {name: value.shape for name, value in vars(batch).items() if isinstance(value, Tensor) and value.ndim > 1}
        for batch in batches
    ]
    largest = max(shapes, key=lambda sizes: sum(shape.numel() for shape in sizes.values()))
    return ", ".join(f"{name} {' x '.join(map(str, shape))}" for name, shape in largest.items())
