"""The reference of the site: a page for each public name, from its signature and docstring, and for each module an overview.

Where a page of docs/reference has `<!-- names: a b c -->` (`site_groups.py`), a table of links is put. Descriptions in tables
are those of docs/api.md. `site_html.py` puts a file where `<!-- source: nn/masks.py -->` stands, and a link to one of its
lines for `<!-- at: nn/masks.py 54 -->`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path

import griffe
from site_docstrings import cell, docstring
from site_groups import MODULES, NAMES, groups

ROOT = Path(__file__).parents[1]
TENSOR = re.compile(r"(Float|Bool|Int|Shaped|Integer)\[Tensor, ['\"]\s*(.*?)['\"]\]")
KINDS = {"Float": "float", "Bool": "bool", "Int": "integer", "Integer": "integer", "Shaped": ""}


@dataclass(frozen=True)
class Name:
    """A public name."""

    module: str
    name: str
    group: str
    described: griffe.Object

    @property
    def page(self) -> str:
        """Its page under reference/, without .md. Some file systems do not tell `Attention` from `attention`."""
        others = {other.lower() for other in import_module(self.module).__all__ if other != self.name}
        suffix = "-class" if self.name.lower() in others and self.name[0].isupper() else ""
        return f"{MODULES[self.module]}/{self.name}{suffix}"


def write(docs: Path) -> dict[str, str]:
    """Writes all pages of the reference below `docs`; for each page of a module, its part of the navigation as TOML."""
    described = descriptions((ROOT / "docs" / "api.md").read_text())
    names = public_names()
    sources = {source_of(name.described) for name in names}
    pages = Pages(names)
    for name in names:
        path = docs / "reference" / f"{name.page}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(pages.page(name))
    for source in sources:
        path = docs / "source" / Path(source).with_suffix(".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"---\nhide: [navigation, toc]\nsearch:\n  exclude: true\n---\n# `src/regard/{source}`\n\n<!-- source: {source} -->\n"
        )
    navigation = {}
    for module, page in MODULES.items():
        path = docs / "reference" / f"{page}.md"
        mine = {name.name: name for name in names if name.module == module}

        def table(found: re.Match[str], module: str = module, mine: dict[str, Name] = mine) -> str:
            rows = (
                f"| [`{name}`]({mine[name].page}.md) | {described[module].get(name, '')} |" for name in found[1].split()
            )
            return "\n".join(("| name | description |", "|---|---|", *rows))

        path.write_text(NAMES.sub(table, path.read_text()))
        sections: dict[str, list[str]] = {}
        for name in mine.values():
            sections.setdefault(name.group, []).append(
                f"{{ {json.dumps(name.name)} = {json.dumps(f'reference/{name.page}.md')} }}"
            )
        parts = [f"{{ {json.dumps(group)} = [{', '.join(entries)}] }}" for group, entries in sections.items()]
        navigation[f"reference/{page}.md"] = f"[{json.dumps(f'reference/{page}.md')}, {', '.join(parts)}]"
    return navigation


def public_names() -> list[Name]:
    """All public names in the order of their groups.

    Raises:
        ValueError: a name that no group has, that two have, or that is not public.
    """
    return [
        Name(module, name, group, described(module, name))
        for module in MODULES
        for name, group in groups(module).items()
    ]


@cache
def package() -> griffe.Module:
    """The package, read without running it."""
    found = griffe.load("regard", search_paths=[ROOT / "src"], allow_inspection=False)
    assert isinstance(found, griffe.Module)
    return found


def described(module: str, name: str) -> griffe.Object:
    """The object of a public name where it is defined."""
    value = getattr(import_module(module), name)
    found = package()[f"{value.__module__}.{value.__qualname__}".removeprefix("regard.")]
    return found.final_target if isinstance(found, griffe.Alias) else found


def source_of(described: griffe.Object) -> str:
    """The file of an object, from src/regard on."""
    assert isinstance(described.filepath, Path)
    return described.filepath.relative_to(ROOT / "src" / "regard").as_posix()


def descriptions(api: str) -> dict[str, dict[str, str]]:
    """What docs/api.md says of each name of each module, in a line."""
    sections = re.split(r"^## `([\w.]+)`$", api, flags=re.M)[1:]
    return {
        module: dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", text, re.M))
        for module, text in zip(sections[::2], sections[1::2], strict=True)
    }


class Pages:
    """The pages of names, which link to each other."""

    def __init__(self, names: list[Name]) -> None:
        self.names = names
        self.chapters = {
            path: path.read_text()
            for pattern in ("guide/[01]*.md", "*.md")
            for path in sorted((ROOT / "docs").glob(pattern))
            if path.name not in ("api.md", "index.md", "changelog.md")
        }

    def page(self, name: Name) -> str:
        """A page in Markdown."""
        target = name.described
        kind = "class" if target.is_class else "function"
        where = f"<!-- at: {source_of(target)} {target.lineno} -->"
        parts = [
            f"# `{name.name}`",
            f'<p class="reference-line" markdown>`{name.module}.{name.name}` · {kind} · {where}</p>',
        ]
        parts += self.described(target, name)
        if isinstance(target, griffe.Class):
            parts += self.members(target, name)
        used = [
            f"[{_title(text)}](../../{path.relative_to(ROOT / 'docs')})"
            for path, text in self.chapters.items()
            if _uses(text, name)
        ]
        if used:
            parts += ["## Used in", "\n".join(f"- {link}" for link in used)]
        return "\n\n".join(parts) + "\n"

    def described(self, target: griffe.Object, name: Name) -> list[str]:
        """Text, signature, arguments and errors of a function or class."""
        read = docstring(target.docstring.value if target.docstring else "")
        parts = []
        parameters = _parameters(target)
        returns = target.returns if isinstance(target, griffe.Function) else None
        if parameters is not None:
            parts.append(f"```python\n{_signature(target.name, parameters, returns)}\n```")
        parts += read.text
        rows = []
        said = dict(read.items.get("Args", {}))
        if isinstance(target, griffe.Class):  # fields of a dataclass are described one by one
            names = {parameter.name for parameter in parameters or []} - set(said)
            said |= {field: text for field, text in _fields(target).items() if field in names}
        for parameter in parameters or []:
            default = "" if parameter.default is None else _code(str(parameter.default))
            rows.append((f"`{parameter.name}`", _type(parameter.annotation), default, said.pop(parameter.name, "")))
        rows += [(f"`{argument}`", "", "", text) for argument, text in said.items()]
        if returns is not None and str(returns) != "None":
            rows.append(("**returns**", _type(returns), "", read.items.get("Returns", {}).get("", "")))
        if any(text or "tensor" in kind for _, kind, _, text in rows):
            parts += [
                "| argument | type and shape | default | description |\n|---|---|---|---|\n"
                + "\n".join(f"| {' | '.join(row)} |" for row in rows)
            ]
        if "Raises" in read.items:
            parts.append(
                "**Raises**\n\n" + "\n".join(f"- `{error}`: {text}" for error, text in read.items["Raises"].items())
            )
        if read.source:
            parts.append(f"**Source:** {read.source}")
        return [part if part.startswith("```") else self.linked(part, name) for part in parts]

    def members(self, target: griffe.Class, name: Name) -> list[str]:
        """The attributes and methods of a class."""
        parts = []
        own = {
            key: member for key, member in target.members.items()
            if not key.startswith("_") and not member.is_alias and (key not in ("__init__",))
        }  # fmt: skip
        arguments = {parameter.name for parameter in _parameters(target) or []}
        attributes = [
            member for member in own.values() if isinstance(member, griffe.Attribute) and member.name not in arguments
        ]
        rows = []
        for member in attributes:
            said = docstring(member.docstring.value if member.docstring else "")
            value = str(member.value or "")
            about = " ".join(said.text) or "".join(re.findall(r"description=['\"](.*?)['\"](?:,|\)$)", value))
            if about or "__init__" not in target.members:
                rows.append(f"| `{member.name}` | {_type(member.annotation)} | {_default(value)} | {cell(about)} |")
        if rows:
            parts += [
                "## Attributes",
                self.linked("| name | type | default | description |\n|---|---|---|---|\n" + "\n".join(rows), name),
            ]
        methods = [member for member in own.values() if isinstance(member, griffe.Function) and member.docstring]
        if methods:
            parts.append("## Methods")
        for method in methods:
            parts += [f"### `{method.name}`", *self.described(method, name)]
        inherited: dict[str, list[str]] = {}
        for key, alias in target.inherited_members.items():
            parent = alias.final_target.parent
            if not key.startswith("_") and alias.is_function and parent is not None:
                inherited.setdefault(parent.name, []).append(key)
        public = {other.name: other for other in self.names}
        for parent_name, keys in inherited.items():
            shown = (
                f"[`{parent_name}`](../{public[parent_name].page}.md)" if parent_name in public else f"`{parent_name}`"
            )
            parts.append(f"Inherited from {shown}: {', '.join(f'`{key}`' for key in keys)}.")
        return parts

    def linked(self, text: str, name: Name) -> str:
        """The text with links from other public names, and from files, to their pages."""

        def link(found: re.Match[str]) -> str:
            known = [other for other in self.names if other.name == found[1] and other.name != name.name]
            known.sort(key=lambda other: other.module != name.module)
            return f"[`{found[1]}`](../{known[0].page}.md)" if known else found[0]

        return re.sub(r"(?<![\[`])`(\w+)`(?!`)", link, text)


def _fields(target: griffe.Class) -> dict[str, str]:
    """Attributes with what is said of them."""
    return {
        key: cell(" ".join(docstring(member.docstring.value).text))
        for key, member in target.members.items()
        if isinstance(member, griffe.Attribute) and member.docstring
    }


def _parameters(target: griffe.Object) -> list[griffe.Parameter] | None:
    """What it is called with; None: nothing is known."""
    if isinstance(target, griffe.Class):
        if "__init__" not in target.all_members:
            return None
        parameters = list(target.parameters)
    elif isinstance(target, griffe.Function):
        parameters = list(target.parameters)
    else:
        return None
    return [parameter for parameter in parameters if parameter.name not in ("self", "cls")]


def _signature(name: str, parameters: list[griffe.Parameter], returns: object) -> str:
    """A call with types, on one line if it fits."""
    shown = []
    marked = False
    for parameter in parameters:
        kind = parameter.kind
        if kind is griffe.ParameterKind.keyword_only and not marked:
            shown.append("*")
            marked = True
        marked = marked or kind is griffe.ParameterKind.var_positional
        stars = (
            {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(kind, "")
            if kind
            else ""
        )
        text = stars + parameter.name
        if parameter.annotation is not None:
            text += f": {_plain(parameter.annotation)}"
        if parameter.default is not None and not stars:
            text += f" = {parameter.default}" if parameter.annotation is not None else f"={parameter.default}"
        shown.append(text)
    end = f" -> {_plain(returns)}" if returns is not None else ""
    line = f"{name}({', '.join(shown)}){end}"
    return line if len(line) <= 88 else f"{name}(\n" + "".join(f"    {text},\n" for text in shown) + f"){end}"


def _plain(annotation: object) -> str:
    return re.sub(r"(\[Tensor, )'\s*(.*?)'\]", r'\1"\2"]', str(annotation))


def _type(annotation: object) -> str:
    """A type for a table: of a tensor, the kind of its numbers and its shape."""
    if annotation is None:
        return ""
    text = str(annotation)
    names = [annotation] if isinstance(annotation, griffe.ExprName) else []
    if isinstance(annotation, griffe.ExprBinOp) and isinstance(annotation.left, griffe.ExprName):
        names = [annotation.left]
    for name in names:
        shape = _alias(name)
        text = text.replace(str(name), shape, 1) if shape is not None else text
    tensor = TENSOR.match(text)
    if tensor is None:
        return _code(text)
    shape = " of any shape" if tensor[2] == "..." else f", `{tensor[2]}`"
    rest = text[tensor.end() :].replace(" | ", ", or ")
    return f"{KINDS[tensor[1]]} tensor{shape}{rest}"


def _alias(name: griffe.ExprName) -> str | None:
    """The shape that an alias like `Heads` stands for."""
    try:
        target = package()[name.canonical_path.removeprefix("regard.")]
        target = target.final_target if isinstance(target, griffe.Alias) else target
    except (KeyError, griffe.AliasResolutionError):
        return None
    value = str(target.value) if isinstance(target, griffe.Attribute) else ""
    return value if TENSOR.match(value) else None


def _default(value: str) -> str:
    """The default of a field: what stands in its `Field(...)`, or the value itself."""
    inside = re.match(r"Field\((?:default=)?([^,()=]+?)(?:,|\))", value)
    shown = inside[1] if inside else "" if "(" in value else value
    return _code(shown) if shown else ""


def _code(text: str) -> str:
    """Code for a cell of a table, where a bar would begin the next one."""
    return f"<code>{escape(text).replace('|', '&#124;')}</code>" if "|" in text else f"`{text}`"


def _title(text: str) -> str:
    found = re.search(r"^# (.*)$", text, re.M)
    return found[1] if found else ""


def _uses(text: str, name: Name) -> bool:
    """Whether the code of a page uses a name."""
    if name.module == "regard":
        return re.search(rf"\bregard\.{name.name}\b", text) is not None
    if name.module == "regard.nn" and re.search(rf"\b(?:rn|regard\.nn)\.{name.name}\b", text):
        return True
    imports = re.findall(rf"from {re.escape(name.module)} import (?:\((.*?)\)|(.*))", text, re.S)
    return any(re.search(rf"\b{name.name}\b", (wrapped or line.split(chr(10))[0])) for wrapped, line in imports)
