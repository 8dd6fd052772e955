"""The parts that a process is to do: from `--part`, or from the variables that schedulers set for each of many tasks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from regard.errors import SettingsError

VARIABLES = ("SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX")
"""Set by Slurm, by Kubernetes for indexed jobs, and by AWS Batch."""
SLURM_STEP = "SLURM_ARRAY_TASK_STEP"
"""With `--array=0-255:16`, each task takes 16 parts from its own number on."""


def part_numbers(asked: str | None, num_parts: int, environment: Mapping[str, str]) -> tuple[range, str]:
    """The numbers of the parts, and where they come from: a variable, or an empty text.

    Args:
        asked: such as `7` or `16-31`; None: what a scheduler says, otherwise all.
    Raises:
        SettingsError: numbers that do not exist.
    """
    if asked is not None:
        found = re.fullmatch(r"(\d{1,9})(?:-(\d{1,9}))?", asked)
        if not found:
            raise SettingsError(f"--part must be a number or a range, such as 7 or 16-31; got {asked}.")
        first, last = int(found[1]), int(found[2] or found[1])
        if not first <= last < num_parts:
            raise SettingsError(
                f"--part must be from 0 to {num_parts - 1}, as there are {num_parts} parts; got {asked}."
            )
        return range(first, last + 1), ""
    for name in VARIABLES:
        if (value := environment.get(name)) is None:
            continue
        step = environment.get(SLURM_STEP, "1") if name.startswith("SLURM") else "1"
        if not (value.isdecimal() and step.isdecimal() and int(value) < num_parts):
            raise SettingsError(
                f"{name} must be from 0 to {num_parts - 1}, as there are {num_parts} parts; got {value}. To choose parts "
                "by hand, use `--part`."
            )
        return range(int(value), min(int(value) + max(1, int(step)), num_parts)), name
    return range(num_parts), ""
