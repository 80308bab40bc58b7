"""Test submitted secrets with a probe of the server that the agent chose; each submission at most once.

The server that stored a submission tests it (`domain.check`). If that server stops, the test times out. Its effect is
then unknown, so it is not repeated, and the person is asked to send the values again. A verdict that arrives later is
dropped, because the request has changed.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import anyio

from askback.domain.check import probe_deadline, probe_name, reprompts
from askback.domain.faults import join
from askback.domain.lifecycle import Transition
from askback.domain.record import Record
from askback.domain.redaction.redactor import Redactor
from askback.domain.secrets.probe_errors import probe_errors
from askback.domain.secrets.secret import Secret
from askback.ports.probe import UNVERIFIABLE, Probe, Verdict
from askback.service.context import Services
from askback.service.lifecycle.checks import reprompt_times, translate_for
from askback.service.lifecycle.settle import settle
from askback.service.secrets.accept import accept_secrets, values_under_test
from askback.service.secrets.locations import binding

VIA_PROBE = "probe"
"""The `via` of audit entries about verdicts of a probe."""

_log = logging.getLogger(__name__)


async def end_unknown(ctx: Services, record: Record) -> None:
    """Ask the person again, since the outcome of the test is unknown. Raises `Conflict`."""
    _log.warning("the trial of %s has no known outcome", record.id)
    await _reprompt(ctx, record, {"error_summary": translate_for(record, "fault.not_tested")})


async def test_secrets(ctx: Services, record: Record) -> None:
    """Test the submitted secrets of a request. Raises `Conflict` if the request ended meanwhile."""
    probe, deadline = ctx.probes.get(probe_name(record) or ""), probe_deadline(record)
    if probe is None or deadline is None or ctx.clock.now_ms() > deadline - ctx.limits.probe_s * 1000:
        return  # not enough time is left
    candidates = await values_under_test(ctx, record)
    values = {
        candidate.name: await ctx.vault.open(binding(candidate), candidate.sealed) for candidate in candidates
    }
    verdict = await _ask_probe(ctx, probe, values)
    if verdict.faults:
        problems = [
            {"path": join("secrets", name), "message": message} for name, message in verdict.faults.items()
        ]
        await _reprompt(ctx, record, {"field_errors": problems})
    else:
        await accept_secrets(ctx, None, record, verified=verdict.outcome == "holds", via=VIA_PROBE)


async def _ask_probe(ctx: Services, probe: Probe, values: Mapping[str, Secret]) -> Verdict:
    """Run the probe once and remove values from its messages."""
    try:
        with anyio.fail_after(ctx.limits.probe_s):
            verdict = await probe.probe(dict(values))
        redact = Redactor({name: value.reveal() for name, value in values.items()}).redact
        return Verdict(verdict.outcome, probe_errors(verdict.faults, of=values, redact=redact))
    except Exception as error:  # noqa: BLE001 - whatever fails has verified nothing
        # The text and the traceback of the error could contain a value.
        _log.warning("a probe failed with %s", type(error).__name__)
        return UNVERIFIABLE


async def _reprompt(ctx: Services, record: Record, errors: Mapping[str, Any]) -> None:
    """Ask the person again; after `limits.reprompts` times cancel the request."""
    if reprompts(record) >= ctx.limits.reprompts:
        await settle(ctx, record, Transition.CANCEL, {"reason": "failed"}, by=None, via=VIA_PROBE)
    else:
        times = reprompt_times(ctx, record)
        await settle(ctx, record, Transition.REPROMPT, errors, by=None, times=times, via=VIA_PROBE)
