"""The server tries what a person handed over, by a probe that the agent named; each submission once at most.

The server that took a submission tries it (`domain.check`). If that server stops, the submission stays until its trial
times out. The effect of the trial is then unknown, so it is not repeated, and the person is asked to send the values
again. A verdict that arrives later is dropped, because the request has changed.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import anyio

from askback.domain.check import probe_of, tried_until
from askback.domain.faults import join
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.redaction.redactor import Redactor
from askback.domain.secrets.secret import Secret
from askback.domain.secrets.verdict import spoken
from askback.errors import Conflict
from askback.ports.probe import UNVERIFIABLE, Probe, Verdict
from askback.service.checks import pending_times
from askback.service.context import Services
from askback.service.secrets.places import binding
from askback.service.secrets.resolve import accept, trying
from askback.service.settle import settle

AT_ONCE = 32
"""Trials that run at the same time; the others wait, on their own time."""

VIA = "probe"
"""The way on which it decides, in the audit log."""

UNKNOWN = "It could not be checked whether this works. Send it again."

_log = logging.getLogger(__name__)


async def run(ctx: Services) -> None:
    """Try what this server takes, for ever."""
    room = anyio.Semaphore(AT_ONCE)

    async def attend(record: Record) -> None:
        async with room:
            await _attend(ctx, record)

    async with anyio.create_task_group() as tasks:
        async for record in ctx.submissions:
            tasks.start_soon(attend, record)


async def give_up(ctx: Services, record: Record) -> None:
    """Ask the person again, since nobody knows what came of the trial. Raises `Conflict`."""
    _log.warning("the trial of %s has no known outcome", record.id)
    await _ask_again(ctx, record, {"error_summary": UNKNOWN})


async def _attend(ctx: Services, record: Record) -> None:
    """Bring one trial to its end; where that fails, its time runs out."""
    try:
        await _try(ctx, record)
    except Conflict:
        _log.info("the request %s ended while it was tried", record.id)
    except Exception:  # noqa: BLE001 - one trial must not end those of others
        _log.exception("the trial of %s was not brought to its end", record.id)


async def _try(ctx: Services, record: Record) -> None:
    probe, until = ctx.probes.get(probe_of(record) or ""), tried_until(record)
    if probe is None or until is None or ctx.clock.now_ms() > until - ctx.limits.probe_s * 1000:
        return  # it waited too long for its turn
    tried = await trying(ctx, record)
    values = {each.name: await ctx.vault.open(binding(each), each.sealed) for each in tried}
    verdict = await _verdict(ctx, probe, values)
    if verdict.faults:
        wrong = [{"path": join("secrets", name), "message": said} for name, said in verdict.faults.items()]
        await _ask_again(ctx, record, {"field_errors": wrong})
    else:
        await accept(ctx, None, record, verified=verdict.outcome == "holds", via=VIA)


async def _verdict(ctx: Services, probe: Probe, values: Mapping[str, Secret]) -> Verdict:
    """Ask the probe, once; what it says comes without a value."""
    try:
        with anyio.fail_after(ctx.limits.probe_s):
            verdict = await probe.probe(dict(values))
        redact = Redactor({name: value.reveal() for name, value in values.items()}).redact
        return Verdict(verdict.outcome, spoken(verdict.faults, of=values, redact=redact))
    except Exception as failed:  # noqa: BLE001 - whatever fails has verified nothing
        # Neither its text nor its lines: the one may hold a value, the other are somebody else's.
        _log.warning("a probe failed with %s", type(failed).__name__)
        return UNVERIFIABLE


async def _ask_again(ctx: Services, record: Record, said: Mapping[str, Any]) -> None:
    """Ask the person once more; after `limits.reprompts` times the request is taken back."""
    if record.revision > ctx.limits.reprompts:
        await settle(ctx, record, Action.CANCEL, {"reason": "failed"}, by=None, via=VIA)
    else:
        times = pending_times(ctx, record)
        await settle(ctx, record, Action.REPROMPT, said, by=None, times=times, via=VIA)
