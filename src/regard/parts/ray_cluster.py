"""The parts of a large input on a cluster of Ray: an actor loads the model once and answers one part after the other.

Our part files are the unit of recovery. An actor or a node that is lost leaves nothing half done: Ray gives its part to
another, and a driver that is started again finds what is missing.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from typing import Any

from regard.errors import DataError, MissingExtraError, RegardError
from regard.parts.part_files import PartRecord, PartWork, write_part
from regard.version import __version__

AUTO, LOCAL = "auto", "local"
"""The addresses of the cluster that this machine belongs to, and of one that is started here."""
CONNECT_SECONDS = 10.0


class PartWorker:
    """An actor that answers parts. Its node must have the same Regard, model and input."""

    def __init__(self, work: PartWork) -> None:
        self.work, self.is_checked = work, False

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Answer the parts of a batch: their records, and the message of one that could not be done."""
        records, errors = [], []
        for number in map(int, batch["part"]):
            try:
                self._check_node()
                records.append(write_part(self.work, number).model_dump_json())
                errors.append("")
            except RegardError as error:  # other parts may go well elsewhere
                records.append("")
                errors.append(str(error))
        return {"part": batch["part"], "record": records, "error": errors}

    def _check_node(self) -> None:
        """Make sure that this node would answer as all others do.

        Raises:
            DataError: it has another version of Regard, or another model.
        """
        if self.is_checked:
            return
        work, model = self.work.manifest.work, self.work.answer.model
        if __version__ != work.version:
            raise DataError(f"each node must have Regard {work.version}; got {__version__} on one. Install the same.")
        if model.digests() != work.models:
            raise DataError(f"{model.path} must be the same on each node; it differs on one. Copy it anew.")
        self.is_checked = True


def _check_reachable(address: str) -> None:
    """Make sure that somebody answers at an address: Ray itself would wait for minutes.

    Raises:
        DataError: nobody does.
    """
    if address in (LOCAL, AUTO):
        return
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    try:
        if not (colon and port.isdecimal()):
            raise ValueError("no port")
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        raise DataError(
            f"--ray must be auto, local or host:port of a cluster that can be reached; got {address}: {error}."
        ) from error


def answer_on_cluster(
    address: str, work: PartWork, numbers: Sequence[int], *, threads: int = 1
) -> Iterator[PartRecord]:
    """Answer parts on a cluster; their records, as they are done.

    Args:
        address: as `ray.init` takes it: `auto` is the cluster that this machine belongs to; `local` starts one here.
        threads: the processors of an actor.
    Raises:
        DataError: the cluster cannot be reached, or parts could not be done. All others are.
        MissingExtraError: Ray is not installed.
    """
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise MissingExtraError("`--ray`", "ray") from error
    _check_reachable(address)
    try:
        ray.init(None if address == LOCAL else address, ignore_reinit_error=True, log_to_driver=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise DataError(
            f"--ray must be the address of a cluster that can be reached; got {address}: {error}"
        ) from error
    num_gpus = 1.0 if work.answer.model.device.startswith("cuda") else 0.0
    most = max(1, int(ray.cluster_resources().get("GPU" if num_gpus else "CPU", 1) / (num_gpus or threads)))
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    done = ray.data.from_items([{"part": number} for number in numbers], override_num_blocks=len(numbers)).map_batches(
        PartWorker,
        fn_constructor_args=(work,),
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=min(most, len(numbers))),
        batch_size=1,
        num_cpus=threads,
        num_gpus=num_gpus,
        max_restarts=-1,
        max_task_retries=-1,
    )
    problems = []
    for row in done.iter_rows():
        if row["error"]:
            problems.append(f"part {row['part']}: {row['error']}")
        else:
            yield PartRecord.model_validate_json(row["record"])
    if problems:
        more = f" ({len(problems) - 1:,} more failed)" if len(problems) > 1 else ""
        raise DataError(f"{problems[0]}{more} The other parts are done; the same command tries the rest again.")
