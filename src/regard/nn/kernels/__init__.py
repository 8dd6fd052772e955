"""Kernels compute the same context in several ways. `explain_kernel` says which one is chosen, and why."""

from regard.nn.kernels.kernel_choice import KernelChoice, choose_kernel
from regard.nn.kernels.products import masked_scores, narrowed, scores_of, softmax

__all__ = [
    "KernelChoice",
    "choose_kernel",
    "masked_scores",
    "narrowed",
    "scores_of",
    "softmax",
]
