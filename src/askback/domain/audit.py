"""The audit log: who decided what, by which rule, when; a chain in which no change goes unseen.

Each entry has a `seq` and the hash of the entry before (`prev`), and is sealed with its own: SHA-256 of its
canonical JSON (RFC 8785), without `hash`. To change, drop or move an entry is to break the chain at that
place. To drop the last ones breaks nothing, therefore the newest hash is kept apart, sealed with the master key
(`auditseal.py`), and can be noted elsewhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import rfc8785

from askback.domain.faults import Faults
from askback.domain.jsontext import parse

GENESIS = "0" * 64
"""What stands in the place of a hash before the first entry."""

_NO_ENTRY = "This is no entry."


@dataclass(frozen=True, slots=True)
class Broken:
    """Where a chain does not hold: the line as it was read (1 is the first), and why."""

    line: int
    why: str


def seal(data: str, *, seq: int, prev: str) -> tuple[str, str]:
    """Return an entry's text with `seq`, `prev` and `hash`, and that hash; `data` is its JSON object without them."""
    entry = {**json.loads(data), "seq": seq, "prev": prev}
    sealed = _hash(entry)
    return json.dumps({**entry, "hash": sealed}, separators=(",", ":"), ensure_ascii=False), sealed


def verify(
    lines: Iterable[str], *, head: tuple[int, str] | None = None, after: tuple[int, str] = (0, GENESIS)
) -> Broken | tuple[int, str]:
    """Check a chain; return its end (`seq` and hash), or the first place where it does not hold.

    `head` is where it has to end. `after` is the entry that the first line has to follow.
    """
    seq, prev = after
    line = 0
    for line, text in enumerate(lines, 1):
        try:
            seq, prev = seq + 1, _checked(text, seq=seq + 1, prev=prev)
        except ValueError as odd:
            return Broken(line, str(odd))
    if head is not None and head != (seq, prev):
        return Broken(line, f"The log ends at entry {seq}, but entry {head[0]} was written.")
    return seq, prev


def hash_of(text: str) -> str | None:
    """Return the hash that an entry says it has; None for what is no entry."""
    try:
        return _read(text).get("hash")
    except ValueError:
        return None


def _checked(text: str, *, seq: int, prev: str) -> str:
    """Return the hash of an entry that holds; raises `ValueError` with what is wrong."""
    read = _read(text)
    sealed = read.pop("hash", None)
    if read.get("seq") != seq:
        raise ValueError(f"Entry {seq} is missing or has been moved.")
    if read.get("prev") != prev:
        raise ValueError("The entry does not follow the one before it.")
    try:
        hashed = _hash(read)
    except rfc8785.CanonicalizationError:
        raise ValueError(_NO_ENTRY) from None
    if sealed != hashed:
        raise ValueError("The entry has been changed.")
    return hashed


def _read(text: str) -> dict[str, Any]:
    """Read an entry strictly: of two members with one name another reader may take the one that was not sealed."""
    try:
        read = parse(text)
    except Faults:
        read = None
    if not isinstance(read, dict):
        raise ValueError(_NO_ENTRY)
    return cast("dict[str, Any]", read)


def _hash(entry: Mapping[str, Any]) -> str:
    return hashlib.sha256(rfc8785.dumps(dict(entry))).hexdigest()
