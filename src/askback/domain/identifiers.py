"""Identifiers that sort by time: 48 bits of time and 80 random ones, as 26 letters of Crockford's base32, as ULIDs."""

from __future__ import annotations

RANDOM_BITS = 80

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [a + b for a in _ALPHABET for b in _ALPHABET]


def identifier(prefix: str, number: int) -> str:
    """Return `prefix_…` for a number of 128 bits; identifiers sort like their numbers."""
    return f"{prefix}_{''.join([_PAIRS[number >> shift & 1023] for shift in range(120, -1, -10)])}"


def created_ms(identifier: str) -> int:
    """Return the millisecond in which an identifier was made; 0 for any other text."""
    number = 0
    for letter in identifier.rpartition("_")[2]:
        number = number << 5 | max(0, _ALPHABET.find(letter))
    return min(number >> RANDOM_BITS, 2**48 - 1)


def first_identifier(prefix: str, at_ms: int) -> str:
    """Return the smallest identifier of a millisecond, by which lists are bounded in time."""
    return identifier(prefix, max(0, min(at_ms, 2**48 - 1)) << RANDOM_BITS)
