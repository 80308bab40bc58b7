"""The words of a command line with patterns and variables: the tokens of `extended`.

Each pattern and variable is replaced by its own sign, so that the same lexer finds the same words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import lexer
from askback.domain.policy.shell.lexer import NotUnderstood
from askback.domain.values import frozen

_HIDE = str.maketrans({"*": "\ue000", "?": "\ue001"})
_SHOW = str.maketrans({"\ue000": "*", "\ue001": "?"})
_MASKED_WILDCARD = re.compile("[\ue000\ue001]")
_FIRST_PLACEHOLDER = 0xE100
_MAX_PLACEHOLDERS = 200

# zsh, in which some agents run what they call bash, reads `$f:h` as the folder of `$f`; `${f}:h` is the same in both.
_VARIABLE = "\\$(?:(?:\ue001|[A-Za-z_][A-Za-z0-9_]*+)(?!:[A-Za-z&])|\\{[A-Za-z_][A-Za-z0-9_]*\\})"
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
_MASKED_PARTS = re.compile(rf"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|{_VARIABLE}""", re.DOTALL)
_IN_DOUBLE = re.compile(rf"\\.|{_VARIABLE}", re.DOTALL)
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)
_WORDS_OF_SYNTAX = frozenset({"{}", "{", "}", "!", "[[", "]]"})
"""Words of special characters that the lexer does not accept."""
_ASSIGNMENT = re.compile(
    r"(?:GIT_PAGER|PAGER)=cat|GIT_OPTIONAL_LOCKS=0|LC_ALL=C|LC_ALL=C\.UTF-8|LANG=C|TERM=dumb|NO_COLOR=1"
    r"|FORCE_COLOR=0|CI=(?:1|true)|COLUMNS=\d+"
)


@frozen(slots=True)
class Token:
    """One token; pattern characters are still replaced by signs."""

    kind: str
    text: str


@frozen(slots=True)
class Variable:
    """One variable in a word: its sign, its name, its source text, and whether it is in double quotes."""

    sign: str
    name: str
    source_text: str
    quoted: bool


@frozen(slots=True)
class ExtendedWord:
    """One word. `text` has the sign of each of `variables`; `source_text` has their source texts.

    `is_pattern`: it has pattern characters.
    """

    text: str
    source_text: str
    is_pattern: bool = False
    variables: tuple[Variable, ...] = ()

    @property
    def is_literal(self) -> bool:
        """Whether it has no patterns and no variables."""
        return not self.is_pattern and not self.variables

    @property
    def names(self) -> frozenset[str]:
        """The names of its variables."""
        return frozenset(variable.name for variable in self.variables)


def extended_tokens(text: str, *, posix: bool) -> Iterator[Token]:
    """Return the tokens of a command line, without blanks and comments. Raises NotUnderstood."""
    text = text.translate(_HIDE)
    position, previous = 0, "blank"
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise NotUnderstood(Reason("uncertain"))
        kind, part = match.lastgroup or "", match[0]
        kind = "input" if match["input"] else kind
        touching = kind in {"word", "input", "redirect"} and previous in {"word", "redirect", "input", ")"}
        touching = (
            touching or (part == "(" == previous) or (kind == "comment" and previous not in {"blank", "end"})
        )
        # Digits before an operator are a descriptor; a comment begins where a word may begin; `((` is arithmetic.
        if touching or (posix and part == "[["):
            raise NotUnderstood(Reason("uncertain"))
        if kind not in {"blank", "comment"}:
            yield Token(kind, match["path"] if kind == "input" else part)
        position, previous = match.end(), part if kind == "bracket" else kind


def is_harmless_assignment(raw: str) -> bool:
    """Return whether a word only sets a variable that changes how output looks."""
    return bool(_ASSIGNMENT.fullmatch(raw))


def decode_word(token: Token, *, first: bool) -> ExtendedWord:
    """Decode a word; `first` is true where a command begins. Raises NotUnderstood."""
    raw = token.text
    if raw in _WORDS_OF_SYNTAX:
        return ExtendedWord(raw, raw)
    variables: list[Variable] = []
    masked = _MASKED_PARTS.sub(lambda piece: _mask_piece(piece[0], variables), raw)
    text = lexer.decode_word(masked, first=first).text
    shown_text = text
    for variable in variables:
        shown_text = shown_text.replace(variable.sign, variable.source_text)
    is_pattern = bool(_MASKED_WILDCARD.search(_QUOTED.sub("", masked)))
    return ExtendedWord(text.translate(_SHOW), shown_text.translate(_SHOW), is_pattern, tuple(variables))


def _mask_piece(part: str, variables: list[Variable]) -> str:
    """Replace the variables of one piece by signs, unless single quotes or a backslash protect them."""
    if part[0] in "'\\":
        return part
    if part[0] == '"':
        return _IN_DOUBLE.sub(lambda item: _mask_variables(item[0], variables, quoted=True), part)
    return _mask_variables(part, variables, quoted=False)


def _mask_variables(text: str, variables: list[Variable], *, quoted: bool) -> str:
    if text[0] == "\\":
        return text
    if len(variables) == _MAX_PLACEHOLDERS:
        raise NotUnderstood(Reason("uncertain"))
    placeholder = chr(_FIRST_PLACEHOLDER + len(variables))
    name = text.strip("${}").translate(_SHOW)
    variables.append(Variable(placeholder, name, text, quoted))
    return placeholder
