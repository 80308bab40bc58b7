"""How programs write all bytes of a value at once: base64, hexadecimal digits, backwards."""

from __future__ import annotations

from functools import lru_cache

from askback.domain.redaction.expression import Either, Expression, OneByte, Sequence, literal, maybe
from askback.domain.redaction.spelling import hexadecimal

_DIGITS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_WRAPPED = maybe(Either(literal(b"\n"), literal(b"\r\n"), literal(b"\\n")))
"""MIME and `base64` break lines anywhere; JSON escapes that break."""
_BETWEEN = maybe(Either(OneByte(b" :-\n"), literal(b"\r\n")))
"""`xxd`, `od` and fingerprints part the bytes."""


def base64(raw: bytes) -> list[Sequence]:
    """Return the digits of both alphabets for each of the three ways in which the bytes can be aligned.

    A digit that the bytes share with their neighbours matches as far as it is known.
    """
    return [_aligned(raw, before=before) for before in (0, 2, 4)]


def hexdump(raw: bytes) -> Sequence:
    """Return the bytes as pairs of hexadecimal digits, one blank, colon or dash between them or none."""
    pairs = [hexadecimal(f"{byte:02x}") for byte in raw]
    return _joined(pairs, _BETWEEN)


def _aligned(raw: bytes, *, before: int) -> Sequence:
    bits = "?" * before + "".join(f"{byte:08b}" for byte in raw)
    bits += "?" * (-len(bits) % 6)
    return _joined([_digit(bits[index : index + 6]) for index in range(0, len(bits), 6)], _WRAPPED)


def _joined(items: list[Expression], between: Expression) -> Sequence:
    return Sequence([part for item in items for part in (between, item)][1:])


@lru_cache(maxsize=512)
def _digit(bits: str) -> Expression:
    """Match a base64 digit of which some bits may not be known (`?`)."""
    values = [value for value in range(64) if _fits(f"{value:06b}", bits)]
    plain = {_DIGITS[value] for value in values if value < 62}
    ways: list[Expression] = []
    if 62 in values:
        plain.update(b"+-")
        ways.append(Sequence([literal(b"%2"), OneByte(b"bB")]))
    if 63 in values:
        plain.update(b"/_")
        ways += [Sequence([literal(b"%2"), OneByte(b"fF")]), literal(b"\\/")]
    return Either(OneByte(plain), *ways)


def _fits(value: str, bits: str) -> bool:
    return all(known in ("?", bit) for bit, known in zip(value, bits, strict=True))
