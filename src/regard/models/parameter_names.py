"""The parameters and linear maps of a model, chosen by names: what is frozen, and what is adapted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from torch import nn

from regard.errors import SettingsError, nearest_hint
from regard.models.interface import Model


def parameters_named(model: Model, names: Sequence[str], setting: str) -> list[str]:
    """The names of the parameters that are in some parts of a model.

    Args:
        names: of parts (`embeddings`, `encoder`, `decoder`, `output`), of modules (`decoder_layers.0`, `cross_attention`), or
            patterns of these, in which `*` stands for any text (`decoder_layers.*.feed_forward`).
        setting: where the names stand, for the message.
    Raises:
        SettingsError: a name that nothing has.
    """
    parameters = [name for name, _ in model.named_parameters()]
    return _chosen(model, parameters, names, setting)


def linears_named(model: Model, names: Sequence[str], setting: str) -> list[str]:
    """The names of the linear maps that are in some parts of a model. The arguments are those of `parameters_named`.

    Raises:
        SettingsError: a name that nothing has, or without a linear map in it.
    """
    linears = [name for name, module in model.named_modules() if isinstance(module, nn.Linear)]
    return _chosen(model, linears, names, setting)


def _chosen(model: Model, among: Sequence[str], names: Sequence[str], setting: str) -> list[str]:
    """The dotted names that are in one of the parts or modules that are named."""
    found: set[str] = set()
    for name in names:
        inside = {each for each in among if _is_in(model, each, name)}
        if not inside:
            parts = sorted({model.part_of(each) for each in among})
            if name in {model.part_of(each) for each, _ in model.named_parameters(remove_duplicate=False)}.difference(
                parts
            ):
                raise SettingsError(
                    f"{setting} must name parts of the model with weights of their own ({', '.join(parts)}); got {name!r}, "
                    "which shares those of another part."
                )
            modules = {word for each in among for word in each.split(".") if not word.isdecimal()}
            raise SettingsError(
                f"{setting} must name parts of the model ({', '.join(parts)}) or modules; got {name!r}. "
                f"{nearest_hint(name, {*parts, *modules, *_prefixes(among)})}"
            )
        found |= inside
    return [each for each in among if each in found]


def _is_in(model: Model, path: str, name: str) -> bool:
    """Whether a dotted path is in the part or module of this name."""
    if model.part_of(path) == name:
        return True
    words, wanted = path.split("."), name.split(".")
    if len(wanted) == 1:
        return any(fnmatchcase(word, name) for word in words)
    return len(wanted) <= len(words) and all(map(fnmatchcase, words, wanted))


def _prefixes(paths: Iterable[str]) -> set[str]:
    """The modules that some paths are in."""
    return {path.rsplit(".", count)[0] for path in paths for count in range(1, path.count(".") + 1)}
