"""Read and write the WebSocket frames (RFC 6455) that make up nearly all traffic: complete text messages.

Received bytes are split into frames. Masked text frames that are complete messages are read here; every other frame is
passed unchanged to a general parser.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

try:
    from websockets.speedups import apply_mask
except ImportError:  # a Python for which its C part was not built
    from websockets.utils import apply_mask

TEXT = 0x81
"""The first byte of a text message in one frame."""

NEWEST = 8
"""The number of cached frames."""

_CONTROL = 0x08
_FIN = 0x80
_MASKED = 0x80


class Piece(NamedTuple):
    """A part of the received bytes: the payload of a complete `text`, or a frame for the general parser."""

    payload: bytes
    text: bool


@lru_cache(NEWEST)
def write_text(text: str) -> bytes:
    """Return a text as a server's frame; the newest are cached: an event is the same text for all its readers."""
    payload = text.encode()
    length = len(payload)
    if length < 126:
        head = bytes((TEXT, length))
    elif length < 65_536:
        head = bytes((TEXT, 126)) + length.to_bytes(2)
    else:
        head = bytes((TEXT, 127)) + length.to_bytes(8)
    return head + payload


class FrameSplitter:
    """Splits the bytes of one client into frames; a frame longer than `limit` bytes is passed on unchanged."""

    __slots__ = ("_fragmented", "_held", "_limit", "_passing")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._held = bytearray()
        self._fragmented = False
        self._passing = False

    def split(self, data: bytes) -> Iterator[Piece]:
        """Yield the frames that are complete, in order; the start of a frame is held until the rest arrives."""
        if self._passing:
            yield Piece(data, text=False)
            return
        held = bool(self._held)
        if held:
            self._held += data
        buffer: bytes | bytearray = self._held if held else data
        at = 0
        while (frame := _frame(buffer, at)) is not None:
            mask, start, stop = frame
            if stop - start > self._limit:
                self._passing = True
                stop = len(buffer)
            elif stop > len(buffer):
                break
            yield self._piece(buffer, at, mask, start, stop)
            at = stop
        if held:
            del self._held[:at]
        elif at < len(data):
            self._held += data[at:]

    def _piece(self, buffer: bytes | bytearray, at: int, mask: int | None, start: int, stop: int) -> Piece:
        first = buffer[at]
        if first == TEXT and mask is not None and not self._fragmented and not self._passing:
            return Piece(apply_mask(buffer[start:stop], bytes(buffer[mask:start])), text=True)
        if not first & _CONTROL:
            self._fragmented = not first & _FIN
        return Piece(bytes(buffer[at:stop]), text=False)


def _frame(buffer: bytes | bytearray, at: int) -> tuple[int | None, int, int] | None:
    """Return where the mask, the payload and the next frame begin, once enough bytes have arrived."""
    there = len(buffer) - at
    if there < 2:
        return None
    length, head = buffer[at + 1] & 127, 2
    if length >= 126:
        size = 2 if length == 126 else 8
        if there < 2 + size:
            return None
        length, head = int.from_bytes(buffer[at + 2 : at + 2 + size]), 2 + size
    if buffer[at + 1] & _MASKED:
        start = at + head + 4
        return at + head, start, start + length
    return None, at + head, at + head + length
