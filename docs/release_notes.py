"""Prints a version's section of CHANGELOG.md, once all files agree about the version: `python docs/release_notes.py v0.1.0`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def notes(tag: str, root: Path = ROOT) -> str:
    """The text of a release.

    Raises:
        ValueError: the tag is not `v` and the version of the package, CITATION.cff has another version, or the changelog has no
            section of it with a date.
    """
    (version,) = re.findall(r'__version__ = "(.+)"', (root / "src" / "regard" / "version.py").read_text())
    if tag != f"v{version}":
        raise ValueError(f"the tag must be v{version}, after src/regard/version.py; got {tag}.")
    cited = re.findall(r'^version: "?([^"\n]+)"?$', (root / "CITATION.cff").read_text(), re.M)
    if cited != [version]:
        raise ValueError(f"CITATION.cff must have the version {version}; got {cited}.")
    sections = re.split(r"^## ", (root / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.M)[1:]
    for section in sections:
        heading, _, text = section.partition("\n")
        if heading.split(",")[0] == version:
            if not re.fullmatch(rf"{re.escape(version)}, \d{{4}}-\d\d-\d\d", heading):
                raise ValueError(f"CHANGELOG.md must date its section, as `## {version}, 2026-12-01`; got {heading!r}.")
            return text.strip()
    raise ValueError(f"CHANGELOG.md must have a section of {version}; it has none.")


if __name__ == "__main__":
    try:
        print(notes(*sys.argv[1:2]))
    except (ValueError, TypeError) as error:
        sys.exit(str(error))
