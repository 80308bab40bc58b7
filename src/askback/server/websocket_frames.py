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


class FramePiece(NamedTuple):
    """A part of the received bytes: the payload of a complete `text`, or a frame for the general parser."""

    payload: bytes
    text: bool


@lru_cache(NEWEST)
def write_text(text: str) -> bytes:
    """Return a text as a server's frame; the newest are cached: an event is the same text for all its readers."""
    payload = text.encode()
    length = len(payload)
    if length < 126:
        header = bytes((TEXT, length))
    elif length < 65_536:
        header = bytes((TEXT, 126)) + length.to_bytes(2)
    else:
        header = bytes((TEXT, 127)) + length.to_bytes(8)
    return header + payload


class FrameSplitter:
    """Splits the bytes of one client into frames; a frame longer than `limit` bytes is passed on unchanged."""

    __slots__ = ("_buffer", "_fragmented", "_is_passed_through", "_limit")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        self._fragmented = False
        self._is_passed_through = False

    def split(self, data: bytes) -> Iterator[FramePiece]:
        """Yield the frames that are complete, in order; the start of a frame is held until the rest arrives."""
        if self._is_passed_through:
            yield FramePiece(data, text=False)
            return
        is_buffered = bool(self._buffer)
        if is_buffered:
            self._buffer += data
        buffer: bytes | bytearray = self._buffer if is_buffered else data
        offset = 0
        while (frame := _frame(buffer, offset)) is not None:
            mask, start, end = frame
            if end - start > self._limit:
                self._is_passed_through = True
                end = len(buffer)
            elif end > len(buffer):
                break
            yield self._piece(buffer, offset, mask, start, end)
            offset = end
        if is_buffered:
            del self._buffer[:offset]
        elif offset < len(data):
            self._buffer += data[offset:]

    def _piece(
        self, buffer: bytes | bytearray, offset: int, mask: int | None, start: int, end: int
    ) -> FramePiece:
        first = buffer[offset]
        if first == TEXT and mask is not None and not self._fragmented and not self._is_passed_through:
            return FramePiece(apply_mask(buffer[start:end], bytes(buffer[mask:start])), text=True)
        if not first & _CONTROL:
            self._fragmented = not first & _FIN
        return FramePiece(bytes(buffer[offset:end]), text=False)


def _frame(buffer: bytes | bytearray, offset: int) -> tuple[int | None, int, int] | None:
    """Return where the mask, the payload and the next frame begin, once enough bytes have arrived."""
    available = len(buffer) - offset
    if available < 2:
        return None
    length, header_length = buffer[offset + 1] & 127, 2
    if length >= 126:
        size = 2 if length == 126 else 8
        if available < 2 + size:
            return None
        length, header_length = int.from_bytes(buffer[offset + 2 : offset + 2 + size]), 2 + size
    if buffer[offset + 1] & _MASKED:
        start = offset + header_length + 4
        return offset + header_length, start, start + length
    return None, offset + header_length, offset + header_length + length
