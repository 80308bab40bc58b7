"""Check the audit log as an admin: one unbroken chain, and an entry for each acknowledged decision."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from askback.domain.audit import GENESIS, ChainBreak, verify_chain
from tests.fault.caller import Caller
from tests.fault.processes import ADMIN

PAGE = 500
Entries = Counter[tuple[str, str]]
"""The number of entries, by action and request."""


class Audit:
    """The log as read so far."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._end = (0, GENESIS)
        self._entries: Entries = Counter()

    async def read(self) -> Entries:
        """Read new entries, check the chain, and return the counts of all entries."""
        while True:
            page = await self._caller.read(ADMIN, f"/v1/audit?after={self._end[0]}&limit={PAGE}")
            entries: list[dict[str, Any]] = page["entries"]
            verification = verify_chain([json.dumps(entry) for entry in entries], after=self._end)
            if isinstance(verification, ChainBreak):
                raise self._caller.broken("I13", f"the chain breaks after {self._end}: {verification}")
            self._end = verification
            self._entries.update((_action(entry), entry.get("request_id", "")) for entry in entries)
            head = page["head"]
            if not entries or verification[0] >= head["seq"]:
                self._caller.expect(
                    verification == (head["seq"], head["hash"]),
                    "I13",
                    f"the log ends at {verification}, not at {head}",
                )
                return self._entries


def _action(entry: dict[str, Any]) -> str:
    return f"{entry['action']} refused" if "refused" in entry else entry["action"]
