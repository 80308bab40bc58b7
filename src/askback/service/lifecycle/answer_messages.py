"""Write the answer of a person as their message, if the thread has that setting (ADR 66)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from askback.domain.answertext import answer_text
from askback.domain.events import MESSAGE_ADDED, EventDraft
from askback.domain.kinds import kind_of
from askback.domain.lifecycle import Status, Transition
from askback.domain.record import Record
from askback.domain.timestamps import rfc3339
from askback.ports.store import AnswerMessage, Principal
from askback.service.context import Services

_ENVELOPE_BYTES = 4_096
"""Bytes of `limits.message_bytes` that are reserved for the rest of a message beside its text."""


async def with_message(
    ctx: Services,
    record: Record,
    transition: Transition,
    status: Status,
    outcome: Mapping[str, Any],
    *,
    by: Principal | None,
    now: int,
) -> tuple[Mapping[str, Any], AnswerMessage | None]:
    """Return the outcome of a step and the message for it, if a person has answered or skipped a form.

    The answer gets the id of its message. An answer that was itself sent as a message gets no second one. The message
    has no owner, so nobody can change it.
    """
    if not kind_of(record).is_question or not _is_from_person(status, outcome):
        return outcome, None
    answer: Mapping[str, Any] | None = outcome.get("answer")
    if not await _are_messages(ctx, record) or (answer is not None and "message_id" in answer):
        return outcome, None
    values = record.state.members.get("submitted") if transition is Transition.ACCEPT else answer
    text = answer_text(record.spec.form, values)
    author = outcome.get("settled_by") or (None if by is None else by.settler)
    if text is None or author is None:
        return outcome, None
    message_id = ctx.ids.new("msg", now_ms=now)
    message = {
        "id": message_id,
        "role": "user",
        "author": {name: value for name, value in author.items() if name != "role"},
        "request_id": record.id,
        "at": rfc3339(now),
        "content": [{"type": "text", "text": _shorten(text, ctx.limits.message_bytes - _ENVELOPE_BYTES)}],
    }
    data = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    event = EventDraft(MESSAGE_ADDED, record.tenant, record.thread_id, now, None, data)
    if answer is not None:
        outcome = {**outcome, "answer": {**answer, "message_id": message_id}}
    return outcome, AnswerMessage(message_id, event)


async def _are_messages(ctx: Services, record: Record) -> bool:
    if record.answers_as_messages is not None:
        return record.answers_as_messages
    return (await ctx.store.thread_config(record.tenant, record.thread_id)).answers_as_messages


def _is_from_person(status: Status, outcome: Mapping[str, Any]) -> bool:
    if status is Status.ANSWERED:
        return outcome.get("source") == "responder"
    return status is Status.DECLINED and outcome.get("reason") == "skipped"


def _shorten(text: str, limit: int) -> str:
    data = text.encode()
    return text if len(data) <= limit else f"{data[:limit].decode(errors='ignore')}…"
