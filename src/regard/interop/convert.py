"""Conversion from one format to another, with the account of tensors and the check: `regard convert`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from regard.adapters import Base, adapt, is_adapter, read_adapter, save_adapter, weights_digest
from regard.arguments import checked
from regard.checkpoint import check_output, load_model, save_new
from regard.errors import ModelFolderError, SettingsError, how_to_install
from regard.interop.argos import ARGOS, Plan
from regard.interop.check import Check
from regard.interop.foreign import ForeignModel
from regard.interop.formats import EIGHT_BITS, FORMATS, is_foreign, read_foreign, write_foreign
from regard.interop.mapping import names
from regard.interop.peft import PEFT, is_peft, read_peft, write_peft
from regard.models.adaptation import adapted
from regard.models.config import SAME_WEIGHTS


@dataclass(frozen=True)
class Step:
    """A model read from a foreign format, or written in one."""

    title: str
    foreign: ForeignModel
    check: Check | None
    """The comparison with the original; None: not asked for, or the original implementation is not installed."""

    def lines(self, *, checked: bool) -> list[str]:
        """The lines to print."""
        lines = [self.title, *self.foreign.account.lines(), *self.foreign.notes]
        if self.check is not None:
            lines += self.check.lines()
        elif checked:
            lines.append(
                "NOT CHECKED: Regard knows no original implementation of this format"
                if self.foreign.make_reference is None
                else f"NOT CHECKED: the original implementation is not installed; {how_to_install('convert')}"
            )
        return [lines[0], *(f"  {line}" for line in lines[1:])]


@dataclass(repr=False)
class Conversion:
    """The steps of a conversion from one format to another."""

    steps: list[Step] = field(default_factory=list)
    arch: str = ""

    def __repr__(self) -> str:
        return f"Conversion(arch={self.arch!r}, {'; '.join(step.title for step in self.steps)})"


@checked
def convert(
    source: Path | str,
    output: Path | str,
    *,
    format: str | None = None,
    direction: str | None = None,
    pairs: Sequence[tuple[str, str]] = (),
    check: bool = True,
    overwrite: bool = False,
    say: Callable[[Step], None] = lambda step: None,
    accept: Callable[[Path], None] = lambda new: None,
) -> Conversion:
    """Convert a model to another format, in a new folder.

    Args:
        source: a model folder of ours, a foreign model, or `hf:owner/name` on the Hugging Face hub.
        format: one of `FORMATS`; `regard-int8`, ours with matrices of 8 bits; None: ours.
        direction: the languages of an Argos package, such as en-de.
        pairs: sources with their targets that the SentencePiece model of an Argos package must cut as the tokenizer does.
        check: compare with the original implementation on generated input; a model with other results is not written.
        overwrite: whether an existing Regard model folder at `output` is replaced by another one.
        say: called with each step when it is done.
        accept: called with a new folder of ours before it is at `output`; if it raises, nothing is written.
    Raises:
        SettingsError: a format that does not suit.
        ModelFolderError: something cannot be read, represented or written, or the results differ from the original's.
    """
    if format == PEFT or is_adapter(source) or is_peft(source):
        raise SettingsError("an adapter can be converted with the model that it belongs to. Add `--base MODEL`.")
    if direction is not None and format != ARGOS:
        raise SettingsError(f"`--direction` needs `--to {ARGOS}`; got {format or 'no format'}. Remove it.")
    done, output = Conversion(), Path(output)

    def finish(title: str, foreign: ForeignModel) -> None:
        found = foreign.check() if check else None
        step = Step(title, foreign, found)
        done.steps.append(step)
        say(step)
        if found is not None and not found.agrees:
            surplus = foreign.account.left_over
            cause = f" The cause may be tensors that were not read: {names(surplus)}." if surplus else ""
            raise ModelFolderError(
                f"{foreign.format} must give the same results as {found.against}; its {found.what} differ by "
                f"{found.largest_difference:.2g}.{cause} Nothing was written. `--no-check` writes the model anyway."
            )

    if format is None and not is_foreign(source):
        load_model(source)
        raise SettingsError(
            f"{source} is a Regard model already. Choose the format to write: `--to` with one of "
            f"{', '.join((EIGHT_BITS, *FORMATS))}."
        )
    plan = Plan.of(direction, pairs) if format == ARGOS else None
    is_ours = format in (None, EIGHT_BITS)
    check_output(output, overwrite=overwrite and is_ours)
    if is_foreign(source):
        foreign = read_foreign(source)
        finish(f"{source}: {foreign.format}, read", foreign)
        loaded = foreign.loaded
    else:
        loaded = load_model(source)
    done.arch = loaded.model.config.arch
    if is_ours:
        save_new(output, *loaded, dtype=torch.float32 if format is None else torch.int8, accept=accept)
    else:
        assert format is not None
        write_foreign(
            loaded,
            output,
            format,
            plan=plan,
            accept=lambda written: finish(f"{output}: {written.format}, written", written),
        )
    return done


@checked
def convert_adapter(
    source: Path | str, output: Path | str, base: Path | str, *, format: str | None = None, overwrite: bool = False
) -> list[str]:
    """Convert an adapter to another format, in a new folder: PEFT's to ours, or ours to PEFT's. Returns the names of
    the adapted maps.

    Args:
        base: the model that it belongs to, in Hugging Face's format.
        format: `peft`; None: ours.
    Raises:
        SettingsError: a format that does not suit.
        ModelFolderError: something cannot be read or written, or the adapter does not belong to the model.
    """
    output, foreign = Path(output), read_foreign(base) if is_foreign(base) else None
    if foreign is None or not foreign.refs:
        raise ModelFolderError(f"`--base` must be a model in Hugging Face's format; got {base}.")
    if is_peft(source) and format is None:
        check_output(output, overwrite=overwrite)
        model = adapt(foreign.loaded, read_peft(source, foreign))
        save_adapter(output, model, Base(name=Path(base).name, sha256=weights_digest(foreign.loaded.model)))
        return list(adapted(model))
    if is_adapter(source) and format == PEFT:
        adapter = read_adapter(source)
        assert adapter.config is not None
        both = adapter.config, foreign.loaded.model.config
        ours, theirs = (config.model_dump(exclude=set(SAME_WEIGHTS)) for config in both)
        if ours != theirs:
            raise ModelFolderError(f"{source} has a new head, which PEFT's format of linear maps cannot represent.")
        if adapter.whole:
            raise ModelFolderError(
                f"{source} has {adapter.whole[0]} of its own, which PEFT's format of linear maps cannot represent."
            )
        return write_peft(adapt(foreign.loaded, adapter), foreign, output)
    raise SettingsError(
        f"`--base` converts an adapter: one of Regard's with `--to {PEFT}`, or one of PEFT's without `--to`; got {source}."
    )
