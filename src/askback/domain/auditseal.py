"""The seal on the newest entry of an audit log, as a text: `1.<key id>.<seq>.<unsealed>.<mac>`.

`seq` is the entry that was the newest. `unsealed` is how many entries were there when the log was sealed for the
first time, or again after a time without keys: nothing vouches for those. The MAC, 64 hex digits, is made with a key
that is derived from the master key `key id`, over `statement`: the tenant, both numbers and the hash of the entry,
which holds all entries before it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum

_TEXT = re.compile(r"1\.([A-Za-z0-9_-]{1,64})\.(0|[1-9]\d{0,17})\.(0|[1-9]\d{0,17})\.([0-9a-f]{64})")


class Standing(StrEnum):
    """What a seal says of a log.

    `behind`: it is right for an earlier entry, and those since were written without a key. `wrong`: it is not the
    seal of this log, which was cut or changed. `unknown_key`: the key that it was made with is not here.
    """

    SEALED = "sealed"
    UNSEALED = "unsealed"
    BEHIND = "behind"
    WRONG = "wrong"
    UNKNOWN_KEY = "unknown_key"


@dataclass(frozen=True, slots=True)
class HeadSeal:
    """A seal as it was read."""

    key_id: str
    seq: int
    unsealed: int
    mac: str

    def __str__(self) -> str:
        """Return the text, of which there is one for each seal."""
        return f"1.{self.key_id}.{self.seq}.{self.unsealed}.{self.mac}"


def read_seal(text: str) -> HeadSeal | None:
    """Return the seal; None for what is none."""
    match = _TEXT.fullmatch(text)
    return match and HeadSeal(match[1], int(match[2]), int(match[3]), match[4])


def statement(tenant: str, seq: int, sealed: str, *, unsealed: int) -> bytes:
    """Return what is sealed; `sealed` is the hash of entry `seq`."""
    return json.dumps(["askback audit head", tenant, seq, sealed, unsealed]).encode()
