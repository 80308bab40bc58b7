"""Ask in the best way that the client has, and always also in the inbox; wait, and stop waiting in time.

The client's way differs by the protocol. Before 2026-07-28 the server sends `elicitation/create` while the call runs,
and the first answer counts. Since then the call ends with `input_required`, and the client calls again with the
person's answer. The state that it sends back has the id of the request and a count. It is no credential: the request
is read with the caller's own token.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

from mcp.server.apps import client_supports_apps
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
)
from pydantic import ValidationError
from pydantic_core import from_json

from askback.adapters.mcp.clients import client_of, take_answer
from askback.adapters.mcp.dialogs import Dialog, Modes, Unanswered, dialog_for, person_of, report
from askback.adapters.mcp.repeats import counts_for_repeat
from askback.adapters.mcp.tool_call import ToolCall
from askback.domain.lifecycle import TERMINAL
from askback.domain.request import InputRequest
from askback.errors import AskbackError, ConnectionLost, Invalid, NotFound
from askback.messages import DEFAULT_LOCALE, translate

MAX_ROUNDS = 8
"""How often a refused answer is asked for again; clients stop after ten rounds of one call."""
_READ_S = 5.0
"""How long to read a request after the wait for it: the client's own limit is near."""
_SAME_ID = 20
"""How many requests with the id of a call to compare: a client may use one id for calls of several tools."""
_ANSWER = "answer"

log = logging.getLogger(__name__)


class Unaskable(AskbackError):
    """Nobody can be asked; the message is for the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What to ask: `create` makes the request, which only these people may answer; None is everybody.

    `is_asked_by` says whether a request asks the same, and `fits_dialog` whether a form of the client could ask it. One
    that asks for secrets (`is_secret`) is for the person of the caller alone. `dialog_s` is how many seconds a dialog
    of the client may be open, `wait_s` how many to wait without one.
    """

    create: Callable[[list[str] | None], Awaitable[InputRequest]]
    is_asked_by: Callable[[InputRequest], bool]
    fits_dialog: bool
    dialog_s: float
    wait_s: float
    is_secret: bool = False


async def ask(call: ToolCall, question: Question) -> InputRequest | InputRequiredResult:
    """Ask, and return the request as it is when the wait is over, or what a modern client shall show before.

    Raises `AskbackError`.
    """
    modes = Modes.of(call.context)
    needs_caller = modes.form or modes.url or question.is_secret
    caller = await call.connection.client.sessions.current() if needs_caller else None
    state = _read_state(call) if call.modern else None
    if state is None:
        person = None if caller is None else person_of(caller)
        is_personal = question.is_secret or (modes.url and not question.fits_dialog)
        request_body = _earlier_or_new(call, question, [person] if person and is_personal else None)
    else:
        request_body = call.connection.client.requests.get(state.request_id)
    call.asking = asyncio.ensure_future(request_body)
    request = await asyncio.shield(call.asking)
    uses_dialog = caller is not None and not _is_settled(request) and question.dialog_s > 0
    client = client_of(call.context)
    dialog = dialog_for(request, call.connection, modes, caller, client) if uses_dialog and caller else None
    if dialog is None:
        return await _without_dialog(call, request, question)
    if not call.modern:
        return await _race(call, request, dialog, question)
    if state is None:
        return _input_required(call, request, dialog, rounds=0)
    answer = take_answer(client, _client_answer(call), time.time() - state.shown_at)
    outcome = await report(request, dialog, answer, call.connection)
    if isinstance(outcome, Unanswered):
        return await _without_dialog(call, request, question, outcome)
    if isinstance(outcome, InputRequest):
        return outcome
    if state.rounds >= MAX_ROUNDS:
        return request
    return _input_required(call, request, outcome, rounds=state.rounds + 1)


async def _earlier_or_new(call: ToolCall, question: Question, assignees: list[str] | None) -> InputRequest:
    """Return the request of the call that this one repeats, if it still counts; otherwise create one."""
    if call.earlier is not None:
        with suppress(NotFound):
            request = await call.connection.client.requests.get(call.earlier.request_id)
            if counts_for_repeat(request, call.earlier):
                return request
    return await question.create(assignees)


async def _without_dialog(
    call: ToolCall, request: InputRequest, question: Question, outcome: Unanswered = Unanswered.CLOSED
) -> InputRequest:
    """Wait for an answer from elsewhere, unless the end of the call brings the view."""
    return request if _needs_view(call, outcome) else await settle(call, request, question.wait_s)


def _needs_view(call: ToolCall, outcome: Unanswered) -> bool:
    """Whether the person answers in a view; it shows the result of the call, so the call has to end first."""
    return outcome is Unanswered.CLOSED and client_supports_apps(call.context)


async def settle(call: ToolCall, request: InputRequest, seconds: float | None) -> InputRequest:
    """Wait for the end of a request and report progress.

    Returns it after this many seconds at the latest, and immediately as it was when the server stops.
    """
    if _is_settled(request) or (seconds is not None and seconds <= 0):
        return request
    waits = call.connection.waits
    reporting = asyncio.create_task(_report_progress(call, request, seconds))
    try:
        async with waits.limit(seconds):
            return await call.connection.client.wait(request)
    except TimeoutError:
        if waits.is_ended:
            return request
        with suppress(ConnectionLost, TimeoutError):  # without a server it stays open all the same
            async with asyncio.timeout(_READ_S):
                return await call.connection.client.requests.get(request.id)
        return request
    finally:
        reporting.cancel()


async def earlier_request(
    call: ToolCall, tool_call_id: str | None, is_same: Callable[[InputRequest], bool]
) -> InputRequest:
    """Return the request of the same call by another connection, which has another thread; raises `Unaskable`."""
    if tool_call_id is not None:
        for request in await call.connection.client.requests.list(tool_call_id=tool_call_id, limit=_SAME_ID):
            if is_same(request):
                return request
    raise Unaskable(
        "An earlier call with the same id had other arguments, so nobody was asked. Call the tool again with a new id."
    )


async def _report_progress(call: ToolCall, request: InputRequest, seconds: float | None) -> None:
    """Report the seconds that the call waits, at once and then regularly, with the page where people answer."""
    text = translate("mcp.waiting", DEFAULT_LOCALE, url=call.connection.page(request.id))
    for count in itertools.count():
        try:
            await call.context.session.report_progress(
                count * call.limits.progress_s, total=seconds, message=text
            )
        except Exception as error:  # noqa: BLE001 - whatever a transport raises: the wait itself decides when to end
            log.debug("progress could not be reported: %r", error)
            return
        await asyncio.sleep(call.limits.progress_s)


async def _race(call: ToolCall, request: InputRequest, dialog: Dialog, question: Question) -> InputRequest:
    """Let the client's dialog and the inbox race: the first answer wins, and closes the dialog."""
    settling = asyncio.create_task(settle(call, request, question.dialog_s))
    dialog_task = asyncio.create_task(_talk(call, request, dialog))
    try:
        await asyncio.wait({settling, dialog_task}, return_when=asyncio.FIRST_COMPLETED)
        if not settling.done():
            outcome = dialog_task.result()
            if isinstance(outcome, InputRequest):
                return outcome
            if not _needs_view(call, outcome):
                await asyncio.wait({settling}, timeout=question.wait_s)
        if not settling.done():
            return request
        if isinstance(dialog, ElicitRequestURLParams):
            await _complete(call, request)
        return settling.result()
    finally:
        for item in (settling, dialog_task):
            item.cancel()
        await asyncio.gather(settling, dialog_task, return_exceptions=True)


async def _talk(call: ToolCall, request: InputRequest, dialog: Dialog) -> InputRequest | Unanswered:
    """Show the dialog until there is an answer that the server takes, or the client has none."""
    dialog_now, clock = dialog, asyncio.get_running_loop()
    for _ in range(MAX_ROUNDS + 1):
        started_at = clock.time()
        try:
            result = await call.context.session.send_request(
                ElicitRequest(params=dialog_now),
                ElicitResult,
                metadata=ServerMessageMetadata(related_request_id=call.context.request_id),
            )
        except (MCPError, ValidationError) as error:
            log.debug("the client did not ask: %r", error)
            return Unanswered.CLOSED
        result = take_answer(client_of(call.context), result, clock.time() - started_at)
        outcome = await report(request, dialog, result, call.connection)
        if isinstance(outcome, InputRequest | Unanswered):
            return outcome
        dialog_now = outcome
    return request


async def _complete(call: ToolCall, request: InputRequest) -> None:
    """Tell the client that the request behind its open page is complete."""
    try:
        await call.context.session.send_elicit_complete(
            request.id, related_request_id=call.context.request_id
        )
    except Exception as error:  # noqa: BLE001 - as above
        log.debug("the client was not notified: %r", error)


def _is_settled(request: InputRequest) -> bool:
    return request.status in TERMINAL


@dataclass(frozen=True, slots=True)
class _State:
    request_id: str
    rounds: int
    shown_at: float
    """When the client was told what to show; another server may read the answer."""


def _input_required(
    call: ToolCall, request: InputRequest, dialog: Dialog, *, rounds: int
) -> InputRequiredResult:
    shown_form = (
        dialog.model_copy(update={"elicitation_id": None})
        if isinstance(dialog, ElicitRequestURLParams)
        else dialog
    )
    state = json.dumps(
        {"request_id": request.id, "rounds": rounds, "call": call.digest, "shown_at": time.time()}
    )
    return InputRequiredResult(
        input_requests={_ANSWER: ElicitRequest(params=shown_form)}, request_state=state
    )


def _read_state(call: ToolCall) -> _State | None:
    """Return the state of the earlier round, None at the first; raises `Invalid` for one that is not of this call."""
    if call.params.request_state is None:
        return None
    try:
        read = from_json(call.params.request_state)
        request_id, rounds, digest = read["request_id"], read["rounds"], read["call"]
        shown_at = float(read.get("shown_at", 0))
    except (ValueError, TypeError, KeyError, AttributeError):
        request_id, rounds, digest, shown_at = None, None, None, 0.0
    if not isinstance(request_id, str) or not isinstance(rounds, int) or digest != call.digest:
        raise Invalid("This requestState is not from this call. Call the tool again without it.")
    return _State(request_id, rounds, shown_at)


def _client_answer(call: ToolCall) -> ElicitResult:
    """Return the client's answer. A missing answer means that the client showed nothing."""
    result = (call.params.input_responses or {}).get(_ANSWER)
    return result if isinstance(result, ElicitResult) else ElicitResult(action="cancel")
