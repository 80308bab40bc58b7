"""The promises to the outside: a line for each acknowledged call, and for each broken promise."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from tests.fault.notes import EFFECTS, read

INVARIANTS = {
    "I1": "no lost ask",
    "I2": "an acknowledged answer is applied, once",
    "I3": "the first valid answer wins",
    "I4": "gapless order",
    "I5": "one terminal outcome, and every waiter gets it",
    "I6": "deadlines fire, and never early",
    "I7": "an answer that is not checked is given back",
    "I8": "one request for one key",
    "I9": "each resume to one at a time, and acted upon once",
    "I10": "what was acknowledged is acknowledged again",
    "I11": "each event once on every stream",
    "I12": "each event to a webhook, under one id",
    "I13": "each decision once in the audit chain",
    "I14": "each message once, its text whole",
    "I15": "an approved call runs once",
    "I16": "what was refused is not asked again",
    "I17": "what was revoked stays revoked",
}


class Outcome(NamedTuple):
    """The outcome of a request: the status, and the answer in one word."""

    status: str
    value: str | None


@dataclass
class Ledger:
    """Promises of the server to people; those to agents are in their notes."""

    folder: Path
    settled: dict[str, Outcome] = field(default_factory=dict[str, Outcome])
    """The outcome reported to the person who settled a request, by request."""
    submitted: dict[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    """The answers reported as being checked, by request and revision."""
    faults: list[str] = field(default_factory=list[str])
    quiet_since: float = -math.inf
    """The end of the last trouble, by the monotonic clock: until then no call has to be answered."""

    @contextmanager
    def trouble(self) -> Iterator[None]:
        """Allow unanswered calls until the block ends."""
        self.quiet_since = math.inf
        try:
            yield
        finally:
            self.quiet_since = time.monotonic()

    def broken(self, invariant: str, how: str) -> None:
        """Record a broken invariant."""
        self.faults.append(f"{invariant} ({INVARIANTS[invariant]}): {how}")

    def settles(self, request_id: str, outcome: Outcome) -> None:
        """Record the outcome of a request that was reported to a person."""
        if (before := self.settled.setdefault(request_id, outcome)) != outcome:
            self.broken("I2", f"{request_id}: two ends were acknowledged, {before} and {outcome}")

    def submits(self, request_id: str, revision: int, value: str) -> None:
        """Record an answer that was reported to a person as being checked."""
        if (before := self.submitted.setdefault((request_id, revision), value)) != value:
            self.broken("I3", f"{request_id}: both {before} and {value} were taken for revision {revision}")

    def notes(self, note_kind: str) -> Iterator[dict[str, Any]]:
        """Read the agents' complete notes of this kind."""
        for path in sorted(self.folder.glob("*.notes")):
            yield from (note for note in read(path) if note["what"] == note_kind)

    def size(self) -> int:
        """The size of the agents' notes, in bytes: it grows as long as any of them receives something."""
        return sum(path.stat().st_size for path in self.folder.glob("*.notes"))

    def effects(self) -> set[str]:
        """Read the requests that somebody has continued: each once, since nobody can a second time."""
        return {path.name for path in (self.folder / EFFECTS).iterdir()}
