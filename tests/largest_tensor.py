"""How much a computation holds at once: the largest tensor that any operator gives."""

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class LargestTensor(TorchDispatchMode):
    """Notes the largest tensor that any operator gives; tensors on `meta` hold nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.numel = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(tensor, Tensor) and tensor.device.type != "meta":
                self.numel = max(self.numel, tensor.untyped_storage().nbytes() // tensor.element_size())
        return result
