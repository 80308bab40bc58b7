"""Create, read, list, answer and settle requests."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from askback.domain.brief import brief
from askback.domain.record import Labels, Record
from askback.domain.secrets.secret import RawBody
from askback.ports.outcome import Outcome
from askback.ports.store import Change
from askback.service.access import roles, sharing
from askback.service.actions import report
from askback.service.delivery import waits
from askback.service.files import read as files
from askback.service.lifecycle import checks, read, refusals
from askback.service.requests import answer, answering, batch, create, options, reported, resolve, update
from askback.service.secrets import agents
from askback.transports import texts
from askback.transports.call import OperationCall, Result, json_result


async def create_request(call: OperationCall) -> Result:
    """Create a request; 200 for an earlier one with the same external id or a repeated refusal."""
    change = await create.create_request(call.ctx, call.principal, call.body, key=call.key)
    is_repeated = change.outcome is Outcome.REPLAYED and change.record.state.members.get("repeated", False)
    return _change_result(change, status=200 if is_repeated or change.outcome is Outcome.FOUND else None)


async def get_request(call: OperationCall) -> Result:
    """Read a request; with `wait`, a long poll, which returns 204 if nothing happens."""
    request_id = call.args["request_id"]
    if not call.args.get("wait"):
        return Result((await read.get_delivered(call.ctx, call.principal, request_id)).wire)
    record = await waits.long_poll(
        call.ctx,
        call.principal,
        request_id,
        seconds=call.args["wait"],
        revision=call.args["revision"],
        receipt=call.args["receipt"],
    )
    return Result(status=204) if record is None else Result(record.wire)


async def get_request_text(call: OperationCall) -> Result:
    """Read the sentence for a model; an outcome counts as received, as with `get_request`."""
    return json_result(
        {"text": await read.get_request_text(call.ctx, call.principal, call.args["request_id"])}
    )


async def list_requests(call: OperationCall) -> Result:
    """List requests, newest first."""
    return Result(page_text(call, *await page(call)))


async def page(call: OperationCall) -> tuple[Sequence[Record], str | None]:
    """Return a page of requests and the cursor of the next."""
    return await read.list_requests(
        call.ctx,
        call.principal,
        thread_id=call.args["thread_id"],
        statuses=call.args["status"],
        kind=call.args["kind"],
        agent=call.args["agent"],
        labels=Labels(**{name: call.args[name] for name in ("run_id", "tool_call_id", "external_id")}),
        created_after=call.args["created_after"],
        created_before=call.args["created_before"],
        limit=call.args["limit"],
        cursor=call.args["cursor"],
    )


def page_text(call: OperationCall, records: Sequence[Record], cursor: str | None) -> str:
    """Write a page of requests."""
    wires = [sharing.list_item(call.principal, record) for record in records]
    if call.args["brief"]:
        wires = [json.dumps(brief(json.loads(wire)), ensure_ascii=False) for wire in wires]
    return texts.page("requests", wires, cursor)


async def list_options(call: OperationCall) -> Result:
    """Search the options of a field with a source."""
    names = ("field", "q", "parent", "limit", "cursor")
    page = await options.list_options(
        call.ctx,
        call.principal,
        call.args["request_id"],
        **{name: call.args[name] for name in names},
    )
    return Result(page.model_dump_json(exclude_defaults=True))


async def answer_request(call: OperationCall) -> Result:
    """Answer a request; bytes may contain a secret, so only the service parses them."""
    request_id = call.args["request_id"]
    if isinstance(call.body, RawBody):
        done = await answer.answer_request_bytes(
            call.ctx, call.principal, request_id, call.body, key=call.key
        )
    else:
        done = await answer.answer_request(call.ctx, call.principal, request_id, call.body, key=call.key)
    result = _change_result(done)
    return replace(result, text=texts.with_warnings(result.text, done.warnings, call.locale))


async def decline_request(call: OperationCall) -> Result:
    """Decline a request."""
    return await _change(call, answer.decline_request)


async def cancel_request(call: OperationCall) -> Result:
    """Cancel a request."""
    return await _change(call, create.cancel_request)


async def report_outcome(call: OperationCall) -> Result:
    """Report the outcome of an action."""
    return await _change(call, report.report_outcome)


async def report_answer(call: OperationCall) -> Result:
    """Report a person's answer in the agent's own client."""
    return await _change(call, reported.report_answer)


async def accept_submission(call: OperationCall) -> Result:
    """Accept the submission."""
    return await _change(call, resolve.accept_submission)


async def reprompt_request(call: OperationCall) -> Result:
    """Reject the submission and ask again."""
    return await _change(call, resolve.reprompt_request)


async def update_request(call: OperationCall) -> Result:
    """Change an open request."""
    return await _change(call, update.update_request)


async def check_submission(call: OperationCall) -> Result:
    """Begin or renew the check of an answer."""
    return _change_result(
        await checks.check_submission(call.ctx, call.principal, call.args["request_id"], call.body)
    )


async def ask_again(call: OperationCall) -> Result:
    """Lift a refusal."""
    return Result(
        (await refusals.ask_again(call.ctx, call.principal, call.args["request_id"], call.body)).wire
    )


async def mark_shown(call: OperationCall) -> Result:
    """Mark a request as seen."""
    return Result(
        (await answer.mark_shown(call.ctx, call.principal, call.args["request_id"], call.body)).wire
    )


async def mark_answering(call: OperationCall) -> Result:
    """Show others that a person is answering."""
    await answering.mark_answering(call.ctx, call.principal, call.args["request_id"], call.body)
    return Result(status=204)


async def batch_requests(call: OperationCall) -> Result:
    """Answer or decline several requests."""
    results = await batch.batch_requests(call.ctx, call.principal, call.body, key=call.key)
    return Result(texts.results_text(results, locale=call.locale))


async def get_saved_scopes(call: OperationCall) -> Result:
    """Read the scopes in which the names of a request are set."""
    return json_result(
        {"saved": await agents.get_saved_scopes(call.ctx, call.principal, call.args["request_id"])}
    )


async def list_kinds(call: OperationCall) -> Result:
    """List the kinds of requests that packages add."""
    await roles.require(call.ctx, call.principal, "list_kinds")
    kinds = [{"name": kind.name, "element": kind.element} for kind in call.ctx.kinds.values()]
    return json_result({"kinds": kinds})


async def _change(call: OperationCall, act: Callable[..., Awaitable[Change]]) -> Result:
    """Change one request by a function of the service that takes an idempotency key."""
    return _change_result(
        await act(call.ctx, call.principal, call.args["request_id"], call.body, key=call.key)
    )


def _change_result(change: Change, *, status: int | None = None) -> Result:
    is_replayed = change.outcome in {Outcome.REPLAYED, Outcome.FOUND}
    return Result(change.record.wire, status, replayed=is_replayed)


async def list_files(call: OperationCall) -> Result:
    """List the files of a request that the caller may read."""
    uploads = await files.list_files(call.ctx, call.principal, call.args["request_id"])
    return json_result({"files": [{**file.upload.value, "field": file.field} for file in uploads]})


async def delete_file(call: OperationCall) -> Result:
    """Remove an upload of the caller."""
    await files.delete_file(call.ctx, call.principal, call.args["file_id"])
    return Result()
