"""Test submitted values before they are accepted: one verdict per submission, and a limit on asking again."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from askback.client.lease import Lease
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.domain.secrets.verdict import spoken

Faults = Mapping[str, str] | None
Probe = Callable[[Lease], Faults | Awaitable[Faults]]
"""Takes a lease of what was sent and returns None, or by name what is wrong with it, for the person to read."""

ROUNDS = 10
FAILURES = 2
"""How often a probe may fail: the second time it is not what the person typed that is at fault."""
UNVERIFIED = "The agent could not verify this. Check it, and send it again."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one trial: it holds, or what to tell the person; `last` when there is no asking again."""

    holds: bool = False
    last: bool = False
    faults: Mapping[str, str] = field(default_factory=dict[str, str])
    summary: str | None = None


class Trials:
    """The trials of one request, counted. `found` is the request as it was when this agent came to it."""

    def __init__(self, probe: Probe, *, found: InputRequest) -> None:
        self._probe = probe
        self._found = found
        self._rounds = 0
        self._failures = 0

    def outcome_unknown(self, request: InputRequest) -> bool:
        """Whether an agent before this one may have tried a submission: it is not tried again."""
        return self._found.status is Status.RESOLVING and self._found.revision == request.revision

    async def judge(self, lease: Lease) -> Verdict:
        """Try what was sent."""
        self._rounds += 1
        try:
            faults = _said(await self._call(lease), lease)
        except Exception as failed:  # noqa: BLE001 - whatever fails has verified nothing
            # Neither its text nor its frames: both may hold a value.
            _log.warning("the probe failed with %s", type(failed).__name__)
            return self.unknown()
        if not faults:
            return Verdict(holds=True)
        return Verdict(last=self._rounds >= ROUNDS, faults=faults)

    def unknown(self) -> Verdict:
        """Say that nobody can tell whether it holds."""
        self._failures += 1
        return Verdict(last=self._failures >= FAILURES, summary=UNVERIFIED)

    async def _call(self, lease: Lease) -> Faults:
        if inspect.iscoroutinefunction(self._probe):
            return await self._probe(lease)
        found = await asyncio.to_thread(self._probe, lease)
        return await found if inspect.isawaitable(found) else found


def _said(found: Faults, lease: Lease) -> dict[str, str]:
    return spoken(found or {}, of=set(lease), redact=lease.redact)
