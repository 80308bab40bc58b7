"""Test submitted secrets before they are accepted: one result per submission, and a limit on asking again."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from askback.client.lease import Lease
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.domain.secrets.probe_errors import probe_errors

ProbeErrors = Mapping[str, str] | None
Probe = Callable[[Lease], ProbeErrors | Awaitable[ProbeErrors]]
"""Takes a lease of the submitted values and returns None, or the errors by name, for the person to read."""

ROUNDS = 10
FAILURES = 2
"""Failures of a probe after which the request is cancelled: the second time the value is not at fault."""
UNVERIFIED = "The agent could not verify this. Check it, and send it again."

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of one test: accepted, or the errors for the person; `last` when the person is not asked again."""

    accepted: bool = False
    last: bool = False
    faults: Mapping[str, str] = field(default_factory=dict[str, str])
    summary: str | None = None


class ProbeRunner:
    """Runs the probe of one request, and counts tests and failures. `request` is its state before the first test."""

    def __init__(self, probe: Probe, *, request: InputRequest) -> None:
        self._probe = probe
        self._request = request
        self._round_count = 0
        self._failure_count = 0

    def outcome_unknown(self, request: InputRequest) -> bool:
        """Return whether an earlier agent may have tested a submission, which is then not tested again."""
        return self._request.status is Status.RESOLVING and self._request.revision == request.revision

    async def run(self, lease: Lease) -> ProbeResult:
        """Test the submitted values."""
        self._round_count += 1
        try:
            faults = _errors(await self._call(lease), lease)
        except Exception as error:  # noqa: BLE001 - a probe that fails has verified nothing
            # Neither its text nor its frames: both may hold a value.
            _log.warning("the probe failed with %s", type(error).__name__)
            return self.unknown()
        if not faults:
            return ProbeResult(accepted=True)
        return ProbeResult(last=self._round_count >= ROUNDS, faults=faults)

    def unknown(self) -> ProbeResult:
        """Return the result when a test could not tell."""
        self._failure_count += 1
        return ProbeResult(last=self._failure_count >= FAILURES, summary=UNVERIFIED)

    async def _call(self, lease: Lease) -> ProbeErrors:
        if inspect.iscoroutinefunction(self._probe):
            return await self._probe(lease)
        errors = await asyncio.to_thread(self._probe, lease)
        return await errors if inspect.isawaitable(errors) else errors


def _errors(errors: ProbeErrors, lease: Lease) -> dict[str, str]:
    return probe_errors(errors or {}, of=set(lease), redact=lease.redact)
