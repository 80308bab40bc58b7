"""Handle a person's message while a request is open, by the policy of the thread.

    ignore          the message is stored, and that is all
    block_input     it is refused: the question comes first
    queue           it is stored and held, and delivered when nothing is open any more
    cancel_pending  it is stored, and the open forms are taken back
    answer          it is stored, and where it can mean nothing else it answers the one open form

Approvals and secrets are never answered by a text, nor taken back by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.domain.bodies import MessageBody, TextBlock
from askback.domain.faults import Faults
from askback.domain.freetext import read_text
from askback.domain.lifecycle import Status
from askback.domain.policy.conduct import FreeText, read_conduct
from askback.domain.record import Record
from askback.errors import Conflict, Refused
from askback.ports.store import Claim, Principal
from askback.service import access, archive
from askback.service.answer import answer
from askback.service.context import Services
from askback.service.withdrawal import OPEN

FIRST = "Please answer the question above to continue"


async def admit(ctx: Services, principal: Principal, thread_id: str) -> FreeText:
    """Return what a new message means here: `ignore` for what an agent writes, and where nothing is open.

    Raises `Conflict` (`answer_first`) where the question comes first.
    """
    if not access.is_person(principal):
        return "ignore"
    terms = await ctx.store.terms(principal.tenant, thread_id)
    policy = read_conduct(terms.everywhere, terms.here).free_text
    if policy in ("ignore", "answer"):
        return policy
    if not await _open(ctx, principal, thread_id, OPEN):
        return "ignore"
    if policy == "block_input":
        raise Conflict(FIRST, code="answer_first")
    return policy


async def follow(
    ctx: Services,
    principal: Principal,
    thread_id: str,
    sent: MessageBody,
    policy: FreeText,
    *,
    message_id: str,
) -> dict[str, Any]:
    """Do what a message leads to that was just stored; return what its sender is told beside its id."""
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
    return await _answer(ctx, principal, thread_id, sent, message_id)


async def followed(
    ctx: Services, principal: Principal, thread_id: str, sent: MessageBody, message_id: str
) -> dict[str, Any]:
    """Return what the sender of a message was told that comes again; it answers nothing that is open by now."""
    if not access.is_person(principal):
        return {}
    if (answered := await ctx.store.claimed(_claim(principal, thread_id, message_id))) is not None:
        return {"answered": answered}
    terms = await ctx.store.terms(principal.tenant, thread_id)
    if read_conduct(terms.everywhere, terms.here).free_text != "answer":
        return {}
    meant = await _meant(ctx, principal, thread_id, sent)
    return _unanswered(meant if isinstance(meant, str) else "nothing_open")


def _claim(principal: Principal, thread_id: str, message_id: str) -> Claim:
    """Bind the answer of a message to it, so that the message answers one request at most."""
    return Claim(principal.tenant, principal.id, f"free_text:{thread_id}", message_id, "")


async def _meant(
    ctx: Services, principal: Principal, thread_id: str, sent: MessageBody
) -> tuple[Record, dict[str, Any]] | str:
    """Return which request a message would answer, and how, or why it answers none."""
    found = await _open(ctx, principal, thread_id, frozenset({Status.PENDING}))
    if len(found) != 1:
        return "several_open" if found else "nothing_open"
    record, block = found[0], sent.content[0]
    if record.kind != "form" or len(sent.content) != 1 or not isinstance(block, TextBlock):
        return "not_for_text"
    meant = read_text(record.spec.form, block.text)
    return str(meant.why) if meant.values is None else (record, dict(meant.values))


async def _answer(
    ctx: Services, principal: Principal, thread_id: str, sent: MessageBody, message_id: str
) -> dict[str, Any]:
    meant = await _meant(ctx, principal, thread_id, sent)
    if isinstance(meant, str):
        return _unanswered(meant)
    record, values = meant
    try:
        body = {"revision": record.revision, "values": values}
        claimed = _claim(principal, thread_id, message_id)
        await answer(ctx, principal, record.id, body, claimed=claimed)
    except Faults:
        return _unanswered("not_valid")
    except Refused as refused:
        return _unanswered(refused.code)
    return {"answered": record.id}


def _unanswered(why: str) -> dict[str, Any]:
    return {"answered": None, "why": why}


async def _open(
    ctx: Services, principal: Principal, thread_id: str, statuses: frozenset[Status]
) -> Sequence[Record]:
    """Return what is open and not in line: what waits there comes forward by itself."""
    found = await ctx.store.list_requests(principal.tenant, thread_id=thread_id, statuses=statuses)
    return [record for record in found if not record.behind]
