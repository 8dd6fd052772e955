"""Kernels: ways to compute the same context. `explain_kernel` says which one is chosen, and why."""

from regard.nn.kernels.choice import KernelChoice, choose_kernel
from regard.nn.kernels.products import flex, fused, matmul, narrowed, scores_of, softmax, tiled

__all__ = [
    "KernelChoice",
    "choose_kernel",
    "flex",
    "fused",
    "matmul",
    "narrowed",
    "scores_of",
    "softmax",
    "tiled",
]
