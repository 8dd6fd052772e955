"""Docstrings in their parts: text as Markdown, with equations set as such; arguments, errors, and the source."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

from site_equations import NotAnEquationError, latex

SECTION = re.compile(r"(Args|Raises|Returns|Yields|Attributes|Source|Example):\s*(.*)")
EQUATION = re.compile(
    r"(?P<before>^|.*: )(?P<equation>\w+[\[(][\w, ]+[\])] = .+?)"
    r"(?P<after>(?<! )\.(?= |$)|(?=, for |: | \(\w+\)\.).*)(?P<rest>.*)",
    re.S,
)


@dataclass
class Docstring:
    """A docstring in its parts."""

    text: list[str] = field(default_factory=list)
    """Paragraphs, as Markdown."""
    items: dict[str, dict[str, str]] = field(default_factory=dict)
    """Sections like Args: each name with its description."""
    source: str = ""


def docstring(text: str) -> Docstring:
    """A docstring in its parts."""
    found = Docstring()
    section, name = "", ""
    paragraphs: list[list[str]] = [[]]
    for line in inspect.cleandoc(text).split("\n"):
        begins = SECTION.fullmatch(line)
        if begins and begins[1] == "Source":
            section, found.source = "Source", begins[2]
        elif begins:
            section, name = begins[1], ""
            found.items[section] = {"": begins[2]} if begins[2] else {}
        elif section == "Source" and line.strip():
            found.source += f" {line.strip()}"
        elif section and (item := re.fullmatch(r" {4}([\w`*.]+(?:, \w+)*): (.*)", line)):
            name = item[1]
            found.items[section][name] = item[2]
        elif section and line.startswith(" "):
            found.items[section][name] = f"{found.items[section].get(name, '')} {line.strip()}".strip()
        elif line.strip():
            section = ""
            paragraphs[-1].append(line)
        else:
            section = ""
            paragraphs.append([])
    for lines in filter(None, paragraphs):
        if all(line.startswith("    ") for line in lines):
            found.text.append("```python\n" + inspect.cleandoc("\n".join(lines)) + "\n```")
        elif all(" = " in line for line in lines):
            if len(lines) == 1 and _is_sentence(lines[0]):
                found.text += _summary(lines[0], found)
            else:
                found.text += [_set(equation) for line in lines for equation in re.split(r";\s+", line)]
        else:
            found.text += _summary("\n".join(lines), found)
    found.items = {part: {key: cell(value) for key, value in items.items()} for part, items in found.items.items()}
    return found


def _is_sentence(line: str) -> bool:
    return bool(re.search(r"(?<! )\.( |$)|, for |: ", line))


def _set(equation: str) -> str:
    """An equation as LaTeX; as text, if it has words in it."""
    try:
        return f"$$\n{latex(equation)}\n$$"
    except NotAnEquationError:
        return f'<p class="equation">{equation.replace("*", "&#42;")}</p>'


def _summary(text: str, found: Docstring) -> list[str]:
    """A paragraph; an equation in it is set on a line of its own, and a source at its end noted."""
    text, _, source = text.partition(" Source: ")
    found.source = source or found.source
    match = EQUATION.fullmatch(text)
    if match is None:
        return [text.replace("*batch", "\\*batch")]
    try:
        equation = f"$$\n{latex(match['equation'])}\n$$"
    except NotAnEquationError:
        return [text]
    before = match["before"].removesuffix(": ")
    after = re.sub(r"^(, |: |\. ?)", "", match["after"] + match["rest"]).strip()
    alias = re.fullmatch(r"\((\w+)\)\.", after)
    if alias:
        before, after = f"{before} ({alias[1]})", ""
    return [part for part in (f"{before}:" if before else "", equation, after[:1].upper() + after[1:]) if part]


def cell(text: str) -> str:
    """Text for a cell of a table."""
    return text.replace("\n", " ").replace("|", "\\|")
