"""Replacing values in a text that comes in chunks."""

from __future__ import annotations

from typing import AnyStr, Generic, cast

from askback.domain.redaction.expression import UNDER_WAY
from askback.domain.redaction.finder import Finder

SLIGHT = 3
"""Bytes at the beginning of a value that may be seen while a text pauses there."""


class Stream(Generic[AnyStr]):
    """A text that comes in chunks; however it is cut, it comes out as `Redactor.redact` would give it.

    It keeps back only what the next chunk could make part of a value, at most the longest form of a piece.
    """

    __slots__ = ("_finder", "_held", "_kind", "_named", "_replaced")

    def __init__(self, finder: Finder, kind: type[AnyStr]) -> None:
        self._finder, self._kind = finder, kind
        self._held = b""
        self._replaced = 0
        """How many bytes of what is held are out already: named as part of a find, or shown in a pause."""
        self._named: set[bytes] = set()
        """What was put for the finds that reach up to here without a gap."""

    def feed(self, chunk: AnyStr) -> AnyStr:
        """Take the next chunk and return what is certain by now, which may be nothing."""
        return self._out(self._advance(_as_bytes(chunk), last=False))

    def pause(self) -> AnyStr:
        """Return what is kept back, if it is so little that seeing it tells nothing; for a text that rests for a while.

        One line in five ends with what could be the beginning of a value, and whoever reads along would wait for it.
        When it was one, its rest is replaced all the same.
        """
        kept = self._held[self._replaced :]
        if not kept or len(self._held) > SLIGHT:
            return self._out(b"")
        self._replaced = len(self._held)
        self._named.clear()
        return self._out(kept)

    def close(self) -> AnyStr:
        """Return the rest."""
        return self._out(self._advance(b"", last=True))

    def _advance(self, chunk: bytes, *, last: bool) -> bytes:
        data = self._held + chunk
        certain, done = len(data), self._replaced
        out: list[bytes] = []
        for start, end, label in self._finder.finds(data, last=last):
            if end == UNDER_WAY:
                certain = start
                break
            if end <= done:
                continue
            if start > done:
                out.append(data[done:start])
                self._named.clear()
            if label not in self._named:
                out.append(label)
                self._named.add(label)
            done = end
        if certain > done:
            out.append(data[done:certain])
            self._named.clear()
            done = certain
        self._held, self._replaced = data[certain:], done - certain
        return b"".join(out)

    def _out(self, data: bytes) -> AnyStr:
        return cast("AnyStr", data.decode("utf-8", "surrogatepass") if issubclass(self._kind, str) else data)


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
