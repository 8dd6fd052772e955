"""A docstring is a noun phrase with a noun in it, or an imperative verb."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1] / "src" / "regard"
PENDING: set[str] = set()

BEGINS_WITHOUT_NOUN = re.compile(r"(What|How|Of|Those|One)\b")
SAYS_NOTHING = re.compile(r"(The same|Some of (it|them)|An error|The \w+'s|(Do|Run) it|That of the \w+)\.?")


def docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    """The strings that stand alone as statements: docstrings, and those of attributes below their assignment."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


def test_docstrings_have_a_noun_or_a_verb() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).parts[0] not in PENDING:
            for docstring in docstrings(ast.parse(path.read_text(encoding="utf-8"))):
                text = str(docstring.value).strip()
                place = f"{path}:{docstring.lineno}: {text}"
                assert not BEGINS_WITHOUT_NOUN.match(text), place
                assert not SAYS_NOTHING.fullmatch(text), place
