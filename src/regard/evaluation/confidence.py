"""The quality to be expected of a translation: a calibration of its tokens' probabilities, measured on pairs with
references.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import ModelFolderError
from regard.evaluation.text_metrics import sentence_utility
from regard.text.lines import write_whole

LEAST_PAIRS = 100
"""The smallest number of pairs; with fewer, the means say little."""
GROUP = 25
"""The smallest number of translations in a group."""
MOST_GROUPS = 20


@dataclass(frozen=True)
class Confidence:
    """The chrF that translations had, by the mean log-probability of their tokens; a line between each two groups."""

    log_probs: Sequence[float]
    """The mean of the mean log-probabilities of each group of translations, ascending."""
    chrf: Sequence[float]
    """The mean chrF of each group against its references, from 0 to 1; it does not fall."""
    num_pairs: int

    @classmethod
    def calibrate(
        cls, token_log_probs: Sequence[Sequence[float]], texts: Sequence[str], references: Sequence[str]
    ) -> Confidence | None:
        """Calibrate by some translations and their references; None: they are fewer than 100.

        Groups of equal size, by mean log-probability. A group that is no better than the one before is joined with it
        (isotonic regression, Ayer et al. 1955).

        Args:
            token_log_probs: of each translation.
        """
        chrf = sentence_utility("chrf")
        rows = [
            (float(np.mean(values)), chrf(text, reference) / 100)
            for values, text, reference in zip(token_log_probs, texts, references, strict=True)
            if values and reference.strip()
        ]
        if len(rows) < LEAST_PAIRS:
            return None
        groups: list[NDArray[Any]] = []
        for group in np.array_split(np.array(sorted(rows)), min(MOST_GROUPS, len(rows) // GROUP)):
            while groups and (groups[-1].mean(axis=0) >= group.mean(axis=0)).any():
                group = np.concatenate([groups.pop(), group])
            groups.append(group)
        log_probs, mean_chrf = np.stack([group.mean(axis=0) for group in groups], axis=1).tolist()
        return cls(log_probs, mean_chrf, len(rows))

    def expect(self, token_log_probs: Sequence[float]) -> float:
        """The chrF, from 0 to 1, to be expected of a translation; 1 for one without tokens."""
        if not token_log_probs:
            return 1.0
        return float(np.interp(math.fsum(token_log_probs) / len(token_log_probs), self.log_probs, self.chrf))

    def write(self, path: Path) -> None:
        """Store the calibration as JSON."""
        write_whole(path, (json.dumps(asdict(self), indent=2) + "\n").encode("utf-8"))

    @classmethod
    def read(cls, path: Path) -> Confidence | None:
        """A stored calibration; None: there is none.

        Raises:
            ModelFolderError: it is damaged.
        """
        try:
            content = json.loads(path.read_bytes())
            log_probs, chrf = ([float(value) for value in content[name]] for name in ("log_probs", "chrf"))
            num_pairs = int(content["num_pairs"])
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise ModelFolderError(
                f"{path} must be a calibration as Regard writes it; got: {error}. Delete it."
            ) from error
        ascends = all(first < second for values in (log_probs, chrf) for first, second in pairwise(values))
        if not log_probs or len(log_probs) != len(chrf) or not ascends or not np.isfinite([*log_probs, *chrf]).all():
            raise ModelFolderError(f"{path} must have as many log_probs as chrf, both ascending. Delete it.")
        if chrf[0] < 0 or chrf[-1] > 1:
            raise ModelFolderError(f"{path} must have chrf from 0 to 1; got {chrf[0]:g} to {chrf[-1]:g}. Delete it.")
        return cls(log_probs, chrf, num_pairs)
