"""Small regular expressions that also know whether more text could make a match longer.

No available engine reports that a match is incomplete at the end of its input, and a stream must know that exactly:
text held back too long stalls a terminal, and text passed on too early leaks the start of a value. So RE2 finds where
an expression may begin, from its `source`, and `ends` follows it from there. Every expression is bounded: there is
no unbounded repetition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Protocol

INCOMPLETE = -1
"""One of the ends of a match if the data ends before the match does."""

MAX_BLANKS = 12
"""The maximum number of blanks and quotes between two characters of a value."""

Ends = tuple[int, ...]
_STUCK: Ends = (INCOMPLETE,)


class Expression(Protocol):
    """A pattern for bytes."""

    @property
    def first(self) -> frozenset[int]:
        """The bytes that a match can begin with."""
        ...

    @property
    def optional(self) -> bool:
        """Whether it also matches nothing."""
        ...

    def ends(self, data: bytes, position: int) -> Ends:
        """Return each index where a match that begins at `position` can end, and `INCOMPLETE`."""
        ...

    def source(self) -> bytes:
        r"""Return the pattern in RE2's Latin-1 dialect; wherever a byte matches, `\z` matches too."""
        ...


class OneByte:
    """One byte of a set."""

    __slots__ = ("first",)
    optional = False

    def __init__(self, members: Iterable[int]) -> None:
        self.first = frozenset(members)

    def ends(self, data: bytes, position: int) -> Ends:
        """Return the next index if the byte matches."""
        if position == len(data):
            return _STUCK
        return (position + 1,) if data[position] in self.first else ()

    def source(self) -> bytes:
        """Return a regular expression for one of the bytes, or for the end of the text, where more data may follow."""
        return b"(?:[%b]|\\z)" % b"".join(b"\\x%02x" % byte for byte in sorted(self.first))


class Sequence:
    """One expression after the other."""

    __slots__ = ("first", "items", "optional")

    def __init__(self, items: Iterable[Expression]) -> None:
        self.items = tuple(items)
        self.first = frozenset(byte for item in self._openers() for byte in item.first)
        self.optional = all(item.optional for item in self.items)

    def _openers(self) -> Iterator[Expression]:
        for item in self.items:
            yield item
            if not item.optional:
                return

    def head(self, length: int) -> bytes:
        """Return the source of the first items, `length` of them counting only those that are not optional.

        It may match more: the break of a line in a gap ends it.
        """
        source, gaps = b"", 0
        for item in self.items:
            if isinstance(item, Gap):
                source += b"(?:%b|%b" % (item.end_of_line, item.source())
                gaps += 1
                continue
            source += item.source()
            length -= not item.optional
            if length == 0:
                break
        return source + b")" * gaps

    def ends(self, data: bytes, position: int) -> Ends:
        """Follow the items from each end of the item before."""
        positions: Ends = (position,)
        for item in self.items:
            positions = (
                item.ends(data, positions[0]) if len(positions) == 1 else _ends_after(item, data, positions)
            )
            if not positions or positions == _STUCK:
                break
        return positions

    def source(self) -> bytes:
        """Return the sources in a row."""
        return b"".join(item.source() for item in self.items)


class Either:
    """One of several expressions, none of them optional."""

    __slots__ = ("_by_first", "first", "items")
    optional = False

    def __init__(self, *items: Expression) -> None:
        self.items = items
        self.first = frozenset(byte for item in items for byte in item.first)
        self._by_first = {byte: [item for item in items if byte in item.first] for byte in self.first}

    def ends(self, data: bytes, position: int) -> Ends:
        """Return the ends of all that match."""
        if position == len(data):
            return _STUCK
        candidates = self._by_first.get(data[position], ())
        if len(candidates) == 1:
            return candidates[0].ends(data, position)
        return tuple({end for item in candidates for end in item.ends(data, position)})

    def source(self) -> bytes:
        """Return the sources as alternatives."""
        return b"(?:%b)" % b"|".join(item.source() for item in self.items)


class Repeat:
    """An expression `low` to `high` times in a row."""

    __slots__ = ("first", "high", "item", "low", "optional")

    def __init__(self, item: Expression, low: int, high: int) -> None:
        self.item, self.low, self.high = item, low, high
        self.first, self.optional = item.first, low == 0

    def ends(self, data: bytes, position: int) -> Ends:
        """Return the ends after each allowed number of times."""
        positions: Ends = (position,)
        for _ in range(self.low):
            positions = _ends_after(self.item, data, positions)
        new_ends = set(positions)
        for _ in range(self.low, self.high):
            positions = _ends_after(self.item, data, positions)
            if not positions:
                break
            new_ends.update(positions)
        return tuple(new_ends)

    def source(self) -> bytes:
        """Return the source with its counts."""
        return b"(?:%b){%d,%d}" % (self.item.source(), self.low, self.high)


class Gap:
    """What stands between two items, in a source that is simpler than the expression and matches more.

    `end_of_line` is the source of the beginning of a break in it. A gap is optional unless it is `required`. Of the
    `blanks`, which begin nothing else, it matches up to `MAX_BLANKS`.
    """

    __slots__ = ("_blanks", "_item", "_source", "end_of_line", "first", "optional")

    def __init__(
        self,
        item: Expression,
        *,
        source: bytes,
        end_of_line: bytes,
        required: bool = False,
        blanks: bytes = b"",
    ) -> None:
        self._item, self._source, self.end_of_line, self._blanks = item, source, end_of_line, blanks
        self.first, self.optional = item.first, not required

    def ends(self, data: bytes, position: int) -> Ends:
        """Return the ends of the expression; most items follow each other directly."""
        if position < len(data) and data[position] not in self.first:
            return (position,) if self.optional else ()
        if self._blanks:
            window = data[position : position + MAX_BLANKS + 1]
            count = len(window) - len(window.lstrip(self._blanks))
            if count > MAX_BLANKS or (count < len(window) and window[count] not in self.first):
                return tuple(range(position, position + min(count, MAX_BLANKS) + 1))
        return self._item.ends(data, position)

    def source(self) -> bytes:
        """Return the simpler source."""
        return self._source


def _ends_after(item: Expression, data: bytes, starts: Ends) -> Ends:
    if len(starts) == 1:
        return starts if starts == _STUCK else item.ends(data, starts[0])
    if not item.optional:  # most starts of a long gap lead nowhere
        first_bytes = item.first
        starts = tuple(
            [start for start in starts if not 0 <= start < len(data) or data[start] in first_bytes]
        )
    ends = {end for start in starts if start != INCOMPLETE for end in item.ends(data, start)}
    return tuple(ends | {INCOMPLETE}) if INCOMPLETE in starts else tuple(ends)


def match_bytes(text: bytes) -> Sequence:
    """Match exactly these bytes."""
    return Sequence(map(_match_byte, text))


@lru_cache(maxsize=256)
def _match_byte(byte: int) -> OneByte:
    return OneByte([byte])


def maybe(item: Expression) -> Expression:
    """Match the expression, or nothing."""
    return Repeat(item, 0, 1)
