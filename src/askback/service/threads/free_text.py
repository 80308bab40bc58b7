"""Handle a person's message while a request is open, by the policy of the thread.

    ignore          the message is stored
    block_input     it is refused: the question has to be answered first
    queue           it is stored and held, and delivered once no request is open
    cancel_pending  it is stored, and the open forms are cancelled
    answer          it is stored, and answers the open form if there is one and the text is unambiguous

A text never answers or cancels approvals and secrets.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.domain.faults import Faults
from askback.domain.lifecycle import OPEN, Status
from askback.domain.policy.settings import FreeText, read_thread_settings
from askback.domain.record import Record
from askback.domain.validation.answer import parse_reply
from askback.errors import Conflict, Refused
from askback.messages import DEFAULT_LOCALE, translate
from askback.ports.store import Claim, Principal
from askback.service.access import roles
from askback.service.context import Services
from askback.service.requests.answer import answer_request
from askback.service.threads import archive
from askback.wire.thread_bodies import MessageBody, TextBlock

ANSWER_FIRST = translate("ui.composer.answer_first", DEFAULT_LOCALE)


async def policy_for_message(ctx: Services, principal: Principal, thread_id: str) -> FreeText:
    """Return the policy for a new message: `ignore` for agents, and if no request is open.

    Raises `Conflict` (`answer_first`) if an open question has to be answered first.
    """
    if not roles.is_person(principal):
        return "ignore"
    thread_config = await ctx.store.thread_config(principal.tenant, thread_id)
    policy = read_thread_settings(thread_config.tenant_settings, thread_config.thread_settings).free_text
    if policy in ("ignore", "answer"):
        return policy
    if not await _open_requests(ctx, principal, thread_id, OPEN):
        return "ignore"
    if policy == "block_input":
        raise Conflict(ANSWER_FIRST, code="answer_first")
    return policy


async def apply_policy(
    ctx: Services,
    principal: Principal,
    thread_id: str,
    payload: MessageBody,
    policy: FreeText,
    *,
    message_id: str,
) -> dict[str, Any]:
    """Apply the policy to a stored message; return the members that its reply has beside the id."""
    if policy == "cancel_pending":
        await archive.cancel_open(
            ctx,
            principal.tenant,
            thread_id,
            by=principal,
            reason="user_message",
            until=ctx.clock.now_ms(),
            kind="form",
        )
    if policy != "answer":
        return {}
    return await _answer(ctx, principal, thread_id, payload, message_id)


async def replayed_result(
    ctx: Services, principal: Principal, thread_id: str, payload: MessageBody, message_id: str
) -> dict[str, Any]:
    """Return those members for a replayed message; it answers nothing."""
    if not roles.is_person(principal):
        return {}
    if (existing_reply := await ctx.store.find_claim(_claim(principal, thread_id, message_id))) is not None:
        return {"answered": existing_reply}
    thread_config = await ctx.store.thread_config(principal.tenant, thread_id)
    if (
        read_thread_settings(thread_config.tenant_settings, thread_config.thread_settings).free_text
        != "answer"
    ):
        return {}
    parsed_reply = await _find_answer(ctx, principal, thread_id, payload)
    return _not_answered(parsed_reply if isinstance(parsed_reply, str) else "nothing_open")


def _claim(principal: Principal, thread_id: str, message_id: str) -> Claim:
    """Return the claim by which a message answers at most one request."""
    return Claim(principal.tenant, principal.id, f"free_text:{thread_id}", message_id, "")


async def _find_answer(
    ctx: Services, principal: Principal, thread_id: str, payload: MessageBody
) -> tuple[Record, dict[str, Any]] | str:
    """Return the request that a message answers with the values, or the reason why it answers none."""
    requests = await _open_requests(ctx, principal, thread_id, frozenset({Status.PENDING}))
    if len(requests) != 1:
        return "several_open" if requests else "nothing_open"
    record, block = requests[0], payload.content[0]
    if record.kind != "form" or len(payload.content) != 1 or not isinstance(block, TextBlock):
        return "not_for_text"
    parsed_reply = parse_reply(record.spec.form, block.text)
    return str(parsed_reply.why) if parsed_reply.values is None else (record, dict(parsed_reply.values))


async def _answer(
    ctx: Services, principal: Principal, thread_id: str, payload: MessageBody, message_id: str
) -> dict[str, Any]:
    parsed_reply = await _find_answer(ctx, principal, thread_id, payload)
    if isinstance(parsed_reply, str):
        return _not_answered(parsed_reply)
    record, values = parsed_reply
    try:
        body: dict[str, Any] = {"revision": record.revision, "values": values}
        if record.spec.form.submit != "form":
            body["control"] = next(iter(values))
        claim = _claim(principal, thread_id, message_id)
        await answer_request(ctx, principal, record.id, body, claim=claim)
    except Faults:
        return _not_answered("not_valid")
    except Refused as error:
        return _not_answered(error.code)
    return {"answered": record.id}


def _not_answered(reason: str) -> dict[str, Any]:
    return {"answered": None, "why": reason}


async def _open_requests(
    ctx: Services, principal: Principal, thread_id: str, statuses: frozenset[Status]
) -> Sequence[Record]:
    """Return the open requests that are not queued."""
    records = await ctx.store.list_requests(principal.tenant, thread_id=thread_id, statuses=statuses)
    return [record for record in records if not record.queued_behind]
