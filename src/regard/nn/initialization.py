"""Initial parameters of attention and layers. Encoders and decoders draw their matrices again, with another scale."""

from __future__ import annotations

from torch import nn


def linear(in_dim: int, out_dim: int, *, bias: bool = True) -> nn.Linear:
    """A linear map with Glorot-uniform weights and zero biases (Glorot and Bengio 2010, equation 16)."""
    layer = nn.Linear(in_dim, out_dim, bias=bias)
    nn.init.xavier_uniform_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


def tied(table: nn.Embedding) -> nn.Embedding:
    """Embeddings of the same weights. One module in two places would not do: what swaps parameters by their names, as
    `torch.func.functional_call` does, would find them twice.
    """
    size, width = table.weight.shape
    other = nn.Embedding(size, width, _weight=table.weight.detach())
    other.weight = table.weight
    return other


def share_weights(module: nn.Module, source: nn.Module) -> None:
    """Give a module the parameters of another of the same shape. Both are trained as one; hooks see them apart."""
    for mine, other in zip(module.modules(), source.modules(), strict=True):
        for name, parameter in other.named_parameters(recurse=False):
            setattr(mine, name, parameter)


def embedding(num_embeddings: int, model_dim: int) -> nn.Embedding:
    """Embeddings of variance 1/model_dim: of length about 1 as output weights, and unit variance once scaled."""
    table = nn.Embedding(num_embeddings, model_dim)
    nn.init.normal_(table.weight, std=model_dim**-0.5)
    return table
