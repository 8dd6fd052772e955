"""Changes by hand that a model's configuration does not describe."""

from __future__ import annotations

from regard.models.interface import Model

RATES = ("dropout", "rate", "momentum")
"""Settings of modules that matter in training only, and may be changed for it."""


def deviation(model: Model, wanted: Model) -> str:
    """The parts of a model that its configuration does not describe; empty: none."""
    ours, theirs = dict(model.named_modules(remove_duplicate=False)), dict(wanted.named_modules(remove_duplicate=False))
    for name in sorted(ours.keys() ^ theirs.keys()):
        return f"{name} is {'added' if name in ours else 'missing'}"
    for name, module in theirs.items():
        if type(ours[name]) is not type(module):
            return f"{name} is a {type(ours[name]).__name__}, not a {type(module).__name__}"
        given, expected = (dict(each.named_parameters(recurse=False)) for each in (ours[name], module))
        for key in sorted(given.keys() | expected.keys()):
            sizes = [tuple(each[key].shape) if key in each else None for each in (given, expected)]
            if sizes[0] != sizes[1]:
                return f"{name}.{key} has shape {sizes[0]}, not {sizes[1]}"
        for key, value in vars(module).items():
            if isinstance(value, float | str) and key not in RATES and getattr(ours[name], key, None) != value:
                return f"{name}.{key} is {getattr(ours[name], key, None)!r}, not {value!r}"
    shared: dict[int, str] = {}
    tied = dict(model.named_parameters(remove_duplicate=False))
    for name, parameter in wanted.named_parameters(remove_duplicate=False):
        first = shared.setdefault(id(parameter), name)
        if tied[first] is not tied[name]:
            return f"{name} is not tied to {first}"
    return ""
