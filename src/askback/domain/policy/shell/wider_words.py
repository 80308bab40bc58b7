"""The words of a command line with patterns and variables: the tokens of `wider`.

A pattern and a variable are read with a sign of its own in their place, so that the same lexer finds the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import lexer
from askback.domain.policy.shell.lexer import NotUnderstood

_HIDE = str.maketrans({"*": "\ue000", "?": "\ue001"})
_SHOW = str.maketrans({"\ue000": "*", "\ue001": "?"})
_WILD = re.compile("[\ue000\ue001]")
_FIRST_SIGN = 0xE100
_SIGNS = 200

_VARIABLE = "\\$(?:\ue001|[A-Za-z_][A-Za-z0-9_]*|\\{[A-Za-z_][A-Za-z0-9_]*\\})"
_DOUBLE = rf'''"(?:[^"\\$`!]|\\[^\n]|{_VARIABLE}|\$(?=["\ |)/])|!(?=["\ ]))*"'''
_LITERAL = rf"{lexer.PLAIN}|'[^']*'|{lexer.ESCAPED}"
_END = r"(?=[ \t\n;|&)]|\Z)"
_TOKEN = re.compile(
    rf"""(?P<blank>[ \t]+(?:\\\n[ \t]*)*)
    |(?P<comment>\#[^\n]*)
    |(?P<redirect>[0-2]?>&[12]{_END}|(?:[0-2]?>>?|&>>?|0?<)[ \t]*/dev/null{_END})
    |(?P<input><[ \t]*(?P<path>(?:{_LITERAL}|{lexer.DOUBLE})++){_END})
    |(?P<join>&&|\|\||\|)
    |(?P<end>;|\n)
    |(?P<bracket>[()])
    |(?P<word>(?:{_LITERAL}|{_VARIABLE}|{_DOUBLE})++|(?:\[\[?|\]\]?|!|\{{\}}|[{{}}]){_END})""",
    re.VERBOSE,
)
_PIECES = re.compile(rf"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|{_VARIABLE}""", re.DOTALL)
_IN_DOUBLE = re.compile(rf"\\.|{_VARIABLE}", re.DOTALL)
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)
_SINGLE = frozenset({"{}", "{", "}", "!", "[[", "]]"})
"""Words of signs that the lexer does not take."""
_ASSIGNMENT = re.compile(
    r"(?:GIT_PAGER|PAGER)=cat|GIT_OPTIONAL_LOCKS=0|LC_ALL=C|LC_ALL=C\.UTF-8|LANG=C|TERM=dumb|NO_COLOR=1"
    r"|FORCE_COLOR=0|CI=(?:1|true)|COLUMNS=\d+"
)


@dataclass(frozen=True, slots=True)
class Token:
    """One token; patterns are still hidden."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable in a word: the sign in its place, its name, how it is written, and whether within double quotes."""

    sign: str
    name: str
    written: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Text:
    """One word. `text` has the sign of each of `variables` in its place; `shown` has them as they are written.

    `wild` tells that it is a pattern.
    """

    text: str
    shown: str
    wild: bool = False
    variables: tuple[Variable, ...] = ()

    @property
    def literal(self) -> bool:
        """Whether it stands for itself."""
        return not self.wild and not self.variables

    @property
    def names(self) -> frozenset[str]:
        """The names of its variables."""
        return frozenset(each.name for each in self.variables)


def tokens(text: str, *, posix: bool) -> Iterator[Token]:
    """Go through the tokens of a command line, without blanks and comments. Raises NotUnderstood."""
    text = text.translate(_HIDE)
    at, before = 0, "blank"
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise NotUnderstood(Reason("uncertain"))
        kind, part = match.lastgroup or "", match[0]
        kind = "input" if match["input"] else kind
        touching = kind in {"word", "input", "redirect"} and before in {"word", "redirect", "input", ")"}
        touching = (
            touching or (part == "(" == before) or (kind == "comment" and before not in {"blank", "end"})
        )
        # Digits that touch the sign choose a descriptor; a comment begins where a word may begin; `((` is arithmetic.
        if touching or (posix and part == "[["):
            raise NotUnderstood(Reason("uncertain"))
        if kind not in {"blank", "comment"}:
            yield Token(kind, match["path"] if kind == "input" else part)
        at, before = match.end(), part if kind == "bracket" else kind


def assigns(raw: str) -> bool:
    """Tell whether a word sets a variable that changes how something is shown, and nothing else."""
    return bool(_ASSIGNMENT.fullmatch(raw))


def word(token: Token, *, first: bool) -> Text:
    """Decode a word; `first` stands where a command begins. Raises NotUnderstood."""
    raw = token.text
    if raw in _SINGLE:
        return Text(raw, raw)
    found: list[Variable] = []
    masked = _PIECES.sub(lambda piece: _masked(piece[0], found), raw)
    text = lexer.word(masked, first=first).text
    shown = text
    for each in found:
        shown = shown.replace(each.sign, each.written)
    wild = bool(_WILD.search(_QUOTED.sub("", masked)))
    return Text(text.translate(_SHOW), shown.translate(_SHOW), wild, tuple(found))


def _masked(piece: str, found: list[Variable]) -> str:
    """Put signs in place of the variables of one piece, unless it is protected by single quotes or a backslash."""
    if piece[0] in "'\\":
        return piece
    if piece[0] == '"':
        return _IN_DOUBLE.sub(lambda each: _sign(each[0], found, quoted=True), piece)
    return _sign(piece, found, quoted=False)


def _sign(written: str, found: list[Variable], *, quoted: bool) -> str:
    if written[0] == "\\":
        return written
    if len(found) == _SIGNS:
        raise NotUnderstood(Reason("uncertain"))
    sign = chr(_FIRST_SIGN + len(found))
    name = written.strip("${}").translate(_SHOW)
    found.append(Variable(sign, name, written, quoted))
    return sign
