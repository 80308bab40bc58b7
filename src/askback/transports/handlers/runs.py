"""Runs of agents."""

from __future__ import annotations

from askback.ports.outcome import Outcome
from askback.service.threads import runs
from askback.transports import texts
from askback.transports.call import OperationCall, Result, json_result


async def start_run(call: OperationCall) -> Result:
    """Begin a run; 200 for one that has already begun."""
    run, outcome = await runs.start_run(call.ctx, call.principal, call.args["thread_id"], call.body)
    return Result(run.wire, 200 if outcome is Outcome.FOUND else 201, replayed=outcome is Outcome.FOUND)


async def list_runs(call: OperationCall) -> Result:
    """List the runs of a thread, newest first."""
    page, cursor = await runs.list_runs(
        call.ctx,
        call.principal,
        call.args["thread_id"],
        running=call.args["running"],
        limit=call.args["limit"],
        cursor=call.args["cursor"],
    )
    return Result(texts.page("runs", [run.wire for run in page], cursor))


async def get_run(call: OperationCall) -> Result:
    """Read a run."""
    return Result((await runs.get_run(call.ctx, call.principal, *_names(call))).wire)


async def renew_run(call: OperationCall) -> Result:
    """Keep a run open."""
    return Result((await runs.renew_run(call.ctx, call.principal, *_names(call), call.body)).wire)


async def end_run(call: OperationCall) -> Result:
    """End a run."""
    return Result((await runs.end_run(call.ctx, call.principal, *_names(call), call.body)).wire)


async def cancel_run(call: OperationCall) -> Result:
    """Cancel the open requests of a run."""
    return json_result(await runs.cancel_run(call.ctx, call.principal, *_names(call), call.body))


def _names(call: OperationCall) -> tuple[str, str]:
    return call.args["thread_id"], call.args["run_id"]
