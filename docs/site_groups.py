"""The groups of the reference: docs/reference has a page for each public module, and its headings are the groups.

Below a heading, `<!-- names: a b c -->` says which public names belong to it.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = {"regard": "regard", "regard.nn": "nn", "regard.analysis": "analysis", "regard.extending": "extending"}
"""Public modules, and the page of each under reference/."""
NAMES = re.compile(r"^<!-- names: ([^>]*?) -->$", re.M)


def groups(module: str) -> dict[str, str]:
    """The public names of a module in the order of its page, and the group of each.

    Raises:
        ValueError: a name that no group has, that two have, or that is not public.
    """
    page = ROOT / "docs" / "reference" / f"{MODULES[module]}.md"
    entries = [
        (name, section.split("\n", 1)[0].strip())
        for section in re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.M)[1:]
        for names in NAMES.findall(section)
        for name in names.split()
    ]
    grouped = [name for name, _ in entries]
    wrong = (set(import_module(module).__all__) - {"__version__"}).symmetric_difference(grouped)
    wrong |= {name for name in grouped if grouped.count(name) > 1}
    if wrong:
        raise ValueError(f"docs/reference/{page.name} must have each public name in one group; not so: {sorted(wrong)}")
    return dict(entries)
