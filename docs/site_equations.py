"""Equations of docstrings, which are written in the names of the code, as LaTeX.

    >>> latex("score(q, k) = q . k / sqrt(key_dim)")
    '\\\\mathrm{score}(q,\\\\, k) = \\\\frac{q \\\\cdot k}{\\\\sqrt{\\\\mathrm{key\\\\_dim}}}'

Indices in brackets become subscripts. `a . b` is a dot product, `a * b` an elementwise one, `a b` a product.
"""

from __future__ import annotations

import re

TOKEN = re.compile(r"\s*(?P<token>[A-Za-z]\w*|\d[\d,]*(?:\.\d+)?(?!\.\d)|<=|\.\.\.|\.\.|[-+*/.^()\[\]|=,;:])")
INDEX = "index"
"""A bracket right after a name: what is in it are indices. After a space it begins a list."""
FUNCTIONS = {"exp", "tanh", "sin", "cos", "log", "min", "max"}
GREEK = {"epsilon", "alpha", "beta", "gamma", "sigma", "theta"}
PHRASES = (
    # words before an operand, what stands for them, and whether sums belong to the operand
    (r"softmax over the allowed (\w) of\b", r"\\operatorname*{softmax}_{\1\\ \\text{allowed}}", True),
    (r"sum over allowed (\w) of\b", r"\\sum_{\1\\ \\text{allowed}}", False),
    (r"sum over (\w) of\b", r"\\sum_{\1}", False),
    (r"(mean|variance) over tokens of\b", r"\\operatorname*{\1}_{\\text{tokens}}", False),
)
ENDS = {")", "]", "|", ",", ";", "=", "<=", "+", "-", "/", "*", ".", ":", "..", ""}
BRACKETS = re.compile(r"\\left\((.*)\\right\)", re.S)
SUBSCRIPT = re.compile(r"(.*?)_\{(.*)\}", re.S)


class NotAnEquationError(ValueError):
    """Words that this cannot set."""


def latex(equation: str) -> str:
    """An equation as LaTeX.

    Raises:
        NotAnEquationError: it has words that are no names.
    """
    parser = _Parser(equation)
    found = parser.relation()
    while parser.next == ";":
        parser.take()
        found += r",\qquad " + parser.relation()
    if parser.next:
        raise NotAnEquationError(f"{equation!r}: {parser.next!r} was not expected.")
    return found


class _Parser:
    """A parser by descent: relation, sum, product, operand."""

    def __init__(self, equation: str) -> None:
        self.phrases: list[tuple[str, bool]] = []
        for pattern, set_as, takes_sums in PHRASES:

            def noted(found: re.Match[str], set_as: str = set_as, takes_sums: bool = takes_sums) -> str:
                self.phrases.append((found.expand(set_as), takes_sums))
                return f"PHRASE{len(self.phrases) - 1}"

            equation = re.sub(pattern, noted, equation)
        self.tokens: list[str] = []
        position = 0
        while equation[position:].strip():
            found = TOKEN.match(equation, position)
            if found is None:
                raise NotAnEquationError(f"{equation!r}: not understood from {equation[position:]!r} on.")
            is_index = (
                found[0] == "["
                and position > 0
                and (equation[position - 1].isalnum() or equation[position - 1] in ")]")
            )
            self.tokens.append(INDEX if is_index else found["token"])
            position = found.end()
        self.in_bars = self.in_power = False

    @property
    def next(self) -> str:
        return self.tokens[0] if self.tokens else ""

    def take(self, expected: str | None = None) -> str:
        if not self.tokens or (expected is not None and self.next != expected):
            raise NotAnEquationError(f"{expected or 'more'} was expected, not {self.next!r}.")
        return self.tokens.pop(0)

    def relation(self) -> str:
        found = self.sum()
        while self.next in ("=", "<="):
            found += r" \le " if self.take() == "<=" else " = "
            found += self.sum()
        return found

    def sum(self) -> str:
        found = ""
        if self.next == "-":
            found = self.take()
        found += self.product()
        while self.next in ("+", "-"):
            found += f" {self.take()} {self.product()}"
        return found

    def product(self) -> str:
        found = self.operand()
        words = 1
        while self.next not in ENDS or self.next in (".", "*", "/") or (self.next == "|" and not self.in_bars):
            if self.next == "/" and self.in_power:
                found += f" {self.take()} {self.operand()}"
            elif self.next == "/":
                self.take()
                whole = BRACKETS.fullmatch(found)
                found = whole[1] if whole and r"\left" not in whole[1] else found
                found = rf"\frac{{{found}}}{{{self.operand(bare=True)}}}"
            elif self.next in (".", "*"):
                found += r" \cdot " if self.take() == "." else r" \odot "
                found += self.operand()
            else:
                words = words + 1 if re.fullmatch(r"[a-z]{3,}", self.next) else 0
                if words > 2:
                    raise NotAnEquationError(f"{self.next!r} seems to be a word.")
                space = "" if re.fullmatch(r"\d+", found) and len(self.next) == 1 else r"\, "
                found += f"{space}{self.operand()}"
        return found

    def operand(self, *, bare: bool = False) -> str:
        """One factor with its power; bare: brackets around all of it are left out, as under a fraction."""
        token = self.take()
        if token == "(":
            inner = self.arguments(")")
            found = inner if bare and self.next in ENDS else rf"\left({inner}\right)"
        elif token == "[":
            found = rf"\left[{self.arguments(']')}\right]"
        elif token == "|":
            self.in_bars = True
            found = rf"\lvert {self.sum()} \rvert"
            self.take("|")
            self.in_bars = False
        elif token.startswith("PHRASE"):
            set_as, takes_sums = self.phrases[int(token.removeprefix("PHRASE"))]
            has_no_brackets = takes_sums and self.next != "("
            found = rf"{set_as}\left({self.sum()}\right)" if has_no_brackets else f"{set_as} {self.product()}"
        elif token[0].isalpha():
            found = self.named(token)
        elif token[0].isdigit():
            found = token.replace(",", "{,}")
        elif token == "...":
            found = r"\dots"
        else:
            raise NotAnEquationError(f"{token!r} was not expected.")
        if self.next == "^":
            self.take()
            outer, self.in_power = self.in_power, True  # a fraction in a power is too small to read
            found += f"^{{{self.operand(bare=True)}}}"
            self.in_power = outer
        return found

    def named(self, token: str) -> str:
        """A name with its indices and, if it is called, its arguments."""
        if token == "sqrt" and self.next == "(":
            self.take()
            return rf"\sqrt{{{self.arguments(')')}}}"
        found = _name(token)
        if self.next == "(" and len(token) > 1 and not re.fullmatch(r"\w_\w+", token):
            self.take()
            inner = self.arguments(")")
            found += rf"\left({inner}\right)" if r"\frac" in inner else f"({inner})"
        while self.next == INDEX:
            self.take()
            indices = self.arguments("]")
            split = SUBSCRIPT.fullmatch(found)
            found = f"{split[1]}_{{{split[2]},\\, {indices}}}" if split else f"{found}_{{{indices}}}"
        return found

    def arguments(self, end: str) -> str:
        """What stands between brackets, with its commas."""
        found = []
        while self.next != end:
            if self.next == ":":  # all of an axis
                found.append(self.take())
            else:
                found.append(self.sum())
                if self.next == "..":
                    self.take()
                    found[-1] += rf"\dots {self.sum()}"
            if self.next != end:
                self.take(",")
        self.take(end)
        return r",\, ".join(found)


def _name(token: str) -> str:
    letter, _, rest = token.partition("_")
    if token in FUNCTIONS or token in GREEK:
        return f"\\{token}"
    if len(letter) == 1 and rest:
        return f"{letter}_{{{_upright(rest)}}}"
    return token if len(token) == 1 else rf"\mathrm{{{token.replace('_', chr(92) + '_')}}}"


def _upright(name: str) -> str:
    return name if len(name) == 1 else rf"\mathrm{{{name}}}"
