"""Replaces values in a text that comes in chunks."""

from __future__ import annotations

from typing import AnyStr, Generic, cast

from askback.domain.redaction.expression import INCOMPLETE
from askback.domain.redaction.finder import Finder

REVEALABLE_BYTES = 3
"""The maximum number of held bytes that are shown while a text pauses, even if a value begins with them."""


class RedactedStream(Generic[AnyStr]):
    """A text that arrives in chunks; the result is that of `Redactor.redact`, for any chunks.

    It holds back only text that the next chunk could complete to a value, at most the longest form of a piece.
    """

    __slots__ = ("_buffer", "_finder", "_kind", "_replaced_bytes", "_reported_names")

    def __init__(self, finder: Finder, kind: type[AnyStr]) -> None:
        self._finder, self._kind = finder, kind
        self._buffer = b""
        self._replaced_bytes = 0
        """The number of held bytes that were already emitted: as part of a redacted value, or in a pause."""
        self._reported_names: set[bytes] = set()
        """The replacement text of the finds that reach up to here without a gap."""

    def feed(self, chunk: AnyStr) -> AnyStr:
        """Take the next chunk and return the text that is certain so far, which may be empty."""
        return self._decoded(self._advance(_as_bytes(chunk), last=False))

    def pause(self) -> AnyStr:
        """Return the held text if it is short enough to reveal nothing, for a text that pauses.

        One line in five ends with a possible start of a value, and a reader would wait for it. If it was one,
        the rest is still replaced.
        """
        output = self._buffer[self._replaced_bytes :]
        if not output or len(self._buffer) > REVEALABLE_BYTES:
            return self._decoded(b"")
        self._replaced_bytes = len(self._buffer)
        self._reported_names.clear()
        return self._decoded(output)

    def close(self) -> AnyStr:
        """Return the rest."""
        return self._decoded(self._advance(b"", last=True))

    def _advance(self, chunk: bytes, *, last: bool) -> bytes:
        data = self._buffer + chunk
        safe_length, position = len(data), self._replaced_bytes
        output: list[bytes] = []
        for start, end, label in self._finder.find_matches(data, last=last):
            if end == INCOMPLETE:
                safe_length = start
                break
            if end <= position:
                continue
            if start > position:
                output.append(data[position:start])
                self._reported_names.clear()
            if label not in self._reported_names:
                output.append(label)
                self._reported_names.add(label)
            position = end
        if safe_length > position:
            output.append(data[position:safe_length])
            self._reported_names.clear()
            position = safe_length
        self._buffer, self._replaced_bytes = data[safe_length:], position - safe_length
        return b"".join(output)

    def _decoded(self, data: bytes) -> AnyStr:
        return cast("AnyStr", data.decode("utf-8", "surrogatepass") if issubclass(self._kind, str) else data)


def _as_bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
