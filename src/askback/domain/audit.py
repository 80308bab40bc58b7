"""The audit log: who decided what, by which rule, and when, as a chain that reveals every change.

Each entry has a `seq` and the hash of the entry before (`prev`), and its own hash: SHA-256 of its canonical JSON
(RFC 8785) without `hash`. Changing, removing or moving an entry breaks the chain at that place. Removing the last
entries breaks nothing; therefore the newest hash is kept separately, sealed with the master key (`HeadSeal`), and
can be noted elsewhere.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, cast

from pydantic_core import from_json, to_json

from askback.domain.canonicaljson import NotCanonical, canonical_json
from askback.domain.faults import Faults
from askback.domain.jsontext import parse
from askback.domain.values import frozen

GENESIS = "0" * 64
"""The `prev` of the first entry."""

_NO_ENTRY = "This is no entry."


@frozen(slots=True)
class ChainBreak:
    """The place where a chain is broken: the line (1 is the first), and why."""

    line: int
    why: str


def seal_entry(data: str, *, seq: int, previous_hash: str) -> tuple[str, str]:
    """Return an entry's text with `seq`, `prev` and `hash`, and that hash; `data` is its JSON object without them."""
    entry = {**from_json(data), "seq": seq, "prev": previous_hash}
    sealed = _hash(entry)
    return to_json({**entry, "hash": sealed}).decode(), sealed


def verify_chain(
    lines: Iterable[str], *, head: tuple[int, str] | None = None, after: tuple[int, str] = (0, GENESIS)
) -> ChainBreak | tuple[int, str]:
    """Check a chain; return its end (`seq` and hash), or the first break.

    `head` is the expected end. `after` is the entry before the first line.
    """
    seq, previous_hash = after
    line = 0
    for line, text in enumerate(lines, 1):
        try:
            seq, previous_hash = seq + 1, _verify_entry(text, seq=seq + 1, previous_hash=previous_hash)
        except ValueError as error:
            return ChainBreak(line, str(error))
    if head is not None and head != (seq, previous_hash):
        return ChainBreak(line, f"The log ends at entry {seq}, but entry {head[0]} was written.")
    return seq, previous_hash


def entry_hash(text: str) -> str | None:
    """Return the hash that an entry contains; None if the text is not an entry."""
    try:
        return _parse_entry(text).get("hash")
    except ValueError:
        return None


def _verify_entry(text: str, *, seq: int, previous_hash: str) -> str:
    """Return the hash of a valid entry; raises `ValueError` with the fault."""
    read = _parse_entry(text)
    sealed = read.pop("hash", None)
    if read.get("seq") != seq:
        raise ValueError(f"Entry {seq} is missing or has been moved.")
    if read.get("prev") != previous_hash:
        raise ValueError("The entry does not follow the one before it.")
    try:
        entry_hash = _hash(read)
    except NotCanonical:
        raise ValueError(_NO_ENTRY) from None
    if sealed != entry_hash:
        raise ValueError("The entry has been changed.")
    return entry_hash


def _parse_entry(text: str) -> dict[str, Any]:
    """Parse an entry strictly: if a key occurs twice, another reader may take the value that was not hashed."""
    try:
        read = parse(text)
    except Faults:
        read = None
    if not isinstance(read, dict):
        raise ValueError(_NO_ENTRY)
    return cast("dict[str, Any]", read)


def _hash(entry: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical_json(entry)).hexdigest()


_SEAL = re.compile(r"1\.([A-Za-z0-9_-]{1,64})\.(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})\.([0-9a-f]{64})")


class SealStatus(StrEnum):
    """The result of checking the seal of a log.

    `behind`: it matches an earlier entry; the entries since then were written without a key. `wrong`: it does not
    match, because the log was cut or changed. `unknown_key`: the key that made it is missing.
    """

    SEALED = "sealed"
    UNSEALED = "unsealed"
    BEHIND = "behind"
    WRONG = "wrong"
    UNKNOWN_KEY = "unknown_key"


@frozen(slots=True)
class HeadSeal:
    """The seal on the newest entry of a log; its text is `1.<key id>.<seq>.<unsealed>.<mac>`.

    `seq` is the sealed entry. `unsealed` is how many entries the log had when it was sealed for the first time, or
    again after a time without keys: nothing proves those. `mac`, 64 hex digits, is made with a key derived from the
    master key `key_id`, over `statement`.
    """

    key_id: str
    seq: int
    unsealed: int
    mac: str

    def __str__(self) -> str:
        """Return the text; equal seals have equal texts."""
        return f"1.{self.key_id}.{self.seq}.{self.unsealed}.{self.mac}"


def read_seal(text: str) -> HeadSeal | None:
    """Parse a seal; return None if the text is not one."""
    match = _SEAL.fullmatch(text)
    return match and HeadSeal(match[1], int(match[2]), int(match[3]), match[4])


def seal_statement(tenant: str, seq: int, sealed: str, *, unsealed: int) -> bytes:
    """Return the bytes that the MAC covers; `sealed` is the hash of entry `seq`, which covers all entries before it."""
    return json.dumps(["askback audit head", tenant, seq, sealed, unsealed]).encode()
