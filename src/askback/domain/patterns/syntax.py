r"""Parse the part of RE2's syntax that can be written in JavaScript with the same meaning.

It only gets patterns that RE2 has compiled, so it need not find errors. Syntax that it does not know for
certain raises `ServerOnlyPattern`: flags, word boundaries, octal escapes, `\C`.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from askback.domain.patterns import charset
from askback.domain.patterns.charset import (
    Charset,
    ServerOnlyPattern,
    class_source,
    escape_class_literal,
    escape_literal,
)
from askback.domain.values import frozen

MAX_DEPTH = 12
"""Brackets within brackets; the check of a deeper pattern would cost more than it is worth."""


@frozen(slots=True)
class Chars:
    """One character out of a set; `source` is its JavaScript."""

    chars: Charset
    source: str


@frozen(slots=True)
class Edge:
    r"""`^`, `$`, `\A` or `\z`."""

    at_start: bool


@frozen(slots=True)
class Sequence:
    """One after the other."""

    items: tuple[Node, ...]


@frozen(slots=True)
class Choice:
    """One of several."""

    alternatives: tuple[Node, ...]


@frozen(slots=True)
class Group:
    """Brackets."""

    item: Node


@frozen(slots=True)
class Repeat:
    """`item`, `low` to `high` times (None: without end)."""

    item: Node
    low: int
    high: int | None


Node: TypeAlias = "Chars | Edge | Sequence | Choice | Group | Repeat"

_COUNT = re.compile(r"\{([0-9]+)(?:(,)([0-9]*))?\}")
_NAMED_GROUP = re.compile(r"\?P?<[^>]+>")
_POSIX = re.compile(r"\[:(\^?)([a-z]+):\]")
_UNICODE = re.compile(r"([pP])(?:\{(\^?)([A-Za-z_]+)\}|([A-Z]))")
_HEX = re.compile(r"x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
_CATEGORY = re.compile(r"[LMNPSZ][a-z]?")
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}


def parse(pattern: str) -> Node:
    """Return the tree of a pattern in RE2's spelling, or raise `ServerOnlyPattern`."""
    return _Parser(pattern).parse_all()


class _Parser:
    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.index = 0
        self.depth = 0

    def parse_all(self) -> Node:
        node = self.choice()
        if self.index < len(self.text):
            raise ServerOnlyPattern
        return node

    def choice(self) -> Node:
        alternatives = [self.sequence()]
        while self.take("|"):
            alternatives.append(self.sequence())
        return alternatives[0] if len(alternatives) == 1 else Choice(tuple(alternatives))

    def sequence(self) -> Node:
        items: list[Node] = []
        while self.index < len(self.text) and self.text[self.index] not in "|)":
            if self.take("\\Q"):
                items.extend(self.literal_run())
            else:
                items.append(self.atom())
            if items:
                items[-1] = self.quantified(items[-1])
        return Sequence(tuple(items))

    def take(self, token: str) -> bool:
        if not self.text.startswith(token, self.index):
            return False
        self.index += len(token)
        return True

    def match_next(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.index)
        if match is not None:
            self.index = match.end()
        return match

    def next(self) -> str:
        if self.index >= len(self.text):
            raise ServerOnlyPattern
        self.index += 1
        return self.text[self.index - 1]

    def literal_run(self) -> list[Node]:
        end = self.text.find("\\E", self.index)
        run = self.text[self.index :] if end < 0 else self.text[self.index : end]
        self.index = len(self.text) if end < 0 else end + 2
        if not run:  # a quantifier after an empty run applies to the item before it: too unusual to support
            raise ServerOnlyPattern
        return [_char(ord(char)) for char in run]

    def quantified(self, node: Node) -> Node:
        minimum, maximum = 1, 1
        if self.take("*"):
            minimum, maximum = 0, None
        elif self.take("+"):
            minimum, maximum = 1, None
        elif self.take("?"):
            minimum, maximum = 0, 1
        elif (count := self.match_next(_COUNT)) is not None:
            minimum = int(count[1])
            maximum = (int(count[3]) if count[3] else None) if count[2] else minimum
        else:
            return node
        self.take("?")  # lazy or greedy: a full match is the same
        if self.text[self.index : self.index + 1] in ("*", "+", "?") or _COUNT.match(self.text, self.index):
            raise ServerOnlyPattern
        return Repeat(node, minimum, maximum)

    def atom(self) -> Node:
        char = self.next()
        if char == "(":
            return self.group()
        if char == "[":
            return self.char_class()
        if char == ".":
            return Chars(charset.NOT_NEWLINE, "[^\\n]")
        if char in "^$":
            return Edge(char == "^")
        if char == "\\":
            return self.escape()
        return _char(ord(char))

    def group(self) -> Node:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ServerOnlyPattern
        if not self.take("?:") and self.match_next(_NAMED_GROUP) is None and self.take("?"):
            raise ServerOnlyPattern  # flags
        item = self.choice()
        if not self.take(")"):
            raise ServerOnlyPattern
        self.depth -= 1
        return Group(item)

    def escape(self) -> Node:
        if self.take("A"):
            return Edge(at_start=True)
        if self.take("z"):
            return Edge(at_start=False)
        if (name := self.text[self.index : self.index + 1]) and name in "sS":
            self.index += 1
            return Chars(charset.PERL[name], f"[{'^' if name == 'S' else ''}{class_source(charset.SPACE)}]")
        class_chars = self.named_class()
        return Chars(*class_chars) if class_chars else _char(self.escaped_char())

    def named_class(self) -> tuple[Charset, str] | None:
        """Take `d`, `w`, `s`, `pL` … after a backslash: its set, and its JavaScript within a class."""
        name = self.text[self.index : self.index + 1]
        if name and name in "dDwW":
            self.index += 1
            return charset.PERL[name], f"\\{name}"
        if name and name in "sS":
            self.index += 1
            return charset.PERL[name], class_source(charset.PERL[name])
        if (match := self.match_next(_UNICODE)) is None:
            return None
        word = match[3] or match[4]
        negated = (match[1] == "P") != bool(match[2])
        if len(word) <= 2 and _CATEGORY.fullmatch(word) is None:
            raise ServerOnlyPattern  # RE2's C lacks the unassigned, JavaScript's has them
        source = f"\\{'P' if negated else 'p'}{{{word if len(word) <= 2 else f'Script={word}'}}}"
        if word == "Any":
            raise ServerOnlyPattern
        return charset.unicode_class(word, negated=negated), source

    def escaped_char(self) -> int:
        if (code := self.match_next(_HEX)) is not None:
            return int(code[1] or code[2], 16)
        char = self.next()
        if char in _CONTROLS:
            return _CONTROLS[char]
        if char.isascii() and not char.isalnum():
            return ord(char)
        raise ServerOnlyPattern

    def char_class(self) -> Node:
        negated = self.take("^")
        ranges: list[charset.Range] = []
        source: list[str] = []
        inexact = False
        while not source or not self.take("]"):  # a leading bracket is a literal
            chars, item_source = self.class_item()
            ranges.extend(chars)
            source.append(item_source)
            inexact = inexact or "\\p" in item_source or "\\P" in item_source
        chars = charset.charset(ranges)
        if negated:
            chars = charset.complement(chars)
            chars = charset.union(chars, (charset.BEYOND_ASCII,)) if inexact else chars
        if not chars:
            raise ServerOnlyPattern
        return Chars(chars, f"[{'^' if negated else ''}{''.join(source)}]")

    def class_item(self) -> tuple[Charset, str]:
        if (posix := self.match_next(_POSIX)) is not None:
            if posix[2] not in charset.POSIX:
                raise ServerOnlyPattern
            chars = charset.POSIX[posix[2]]
            chars = charset.complement(chars) if posix[1] else chars
            return chars, class_source(chars)
        if self.text.startswith("\\", self.index) and self.text[self.index + 1 : self.index + 2] in tuple(
            "dDwWsSpP"
        ):
            self.index += 1
            return self.named_class() or self.unknown()
        low = self.class_char()
        if self.text.startswith("-", self.index) and not self.text.startswith("-]", self.index):
            self.index += 1
            high = self.class_char()
            return ((low, high),), f"{escape_class_literal(low)}-{escape_class_literal(high)}"
        return ((low, low),), escape_class_literal(low)

    def class_char(self) -> int:
        char = self.next()
        return self.escaped_char() if char == "\\" else ord(char)

    def unknown(self) -> tuple[Charset, str]:
        raise ServerOnlyPattern


def _char(code: int) -> Chars:
    return Chars(((code, code),), escape_literal(code))
