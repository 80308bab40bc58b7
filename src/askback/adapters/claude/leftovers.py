"""What a session had asked when its process was killed, found again when the session goes on.

Claude Code forgets a call that was waiting then, so Claude repeats it with another id. Without this a person would
see the same card twice, and an answer that was given meanwhile would be lost. Requirement G8.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from askback.adapters.claude.calls import EXIT_PLAN, ToolUse, form_for, kept
from askback.adapters.claude.replays import ended_calls
from askback.client import AsyncClient
from askback.compat.claude_questions import card_of
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.domain.resume import resume_text
from askback.errors import AskbackError

MOST = 50
"""How many requests and outcomes of the thread are looked through, the newest first."""

HELD_S = 12
"""Seconds after which an outcome that nobody received is a resume: the server holds it back for ten."""


class Leftovers:
    """The requests of a session that may have an outcome which Claude has not seen."""

    def __init__(self, ask: AsyncClient, *, durable: bool) -> None:
        self._ask = ask
        self._durable = durable
        self._thread_id = ""
        self._requests = dict[str, InputRequest]()
        self._unseen = set[str]()
        """Those of them that surely have one: an approval that was not used, or a resume."""

    async def collect(self, thread_id: str, session_id: str, transcript: Path) -> list[str]:
        """Find them, and return the sentences for Claude about the outcomes.

        An answer may have arrived in the process that was killed, and not in the transcript of the session. Those of
        a durable session are the approvals that were not used. Its program gets the other outcomes as resumes. Open
        requests for calls that have a result are cancelled: the server was down when they should have been.
        """
        self._thread_id = thread_id
        page = await self._ask.requests.list(thread_id=thread_id, limit=MOST)
        mine = [each for each in page if _is_of(each, session_id, deferred=self._durable)]
        ended = ended_calls(transcript) if mine else None
        if self._durable:
            ids = {each["id"] for each in ended or ()}
            await self._cancel([each for each in mine if each.tool_call_id in ids])
            mine = [each for each in mine if _is_approved(each) and each.used_at is None]
        if not mine:
            return []
        self._requests = {each.id: each for each in mine if each.status in (Status.PENDING, Status.ANSWERED)}
        self._unseen = {each.id for each in mine if each.approval is not None and each.used_at is None}
        uses = [
            ToolUse(each["name"], each["input"], each["id"], session_id)
            for each in ended or ()
            if not each["failed"]
        ]
        answers = [each for each in mine if _is_answered(each) and ended is not None]
        lost = {each.id for each in answers if not any(_asks_the_same(each, use) for use in uses)}
        self._unseen |= lost
        texts = {
            each.id: resume_text(each)
            for each in mine
            if each.id in lost or (each.id in self._unseen and _is_approved(each))
        }
        return list((texts if self._durable else texts | await self._pull()).values())

    async def take(self, use: ToolUse, *, keep: bool = False) -> InputRequest | None:
        """Return the request for the same call, once unless `keep`; None if Claude has seen its outcome."""
        request = next((each for each in self._requests.values() if _asks_the_same(each, use)), None)
        if request is None:
            return None
        if request.status is not Status.PENDING and request.id not in self._unseen:
            await self._pull(wait=HELD_S)
        if not keep:
            del self._requests[request.id]
        return request if request.status is Status.PENDING or request.id in self._unseen else None

    async def withdraw(self) -> None:
        """Cancel requests that Claude has not repeated."""
        left, self._requests = self._requests, {}
        await self._cancel(left.values())

    async def _cancel(self, requests: Iterable[InputRequest]) -> None:
        for each in requests:
            if each.status is Status.PENDING:
                with suppress(AskbackError):
                    await self._ask.requests.cancel(each)

    async def _pull(self, *, wait: int = 0) -> dict[str, str]:
        """Take over the resumes of the session, and return their texts by request."""
        texts = dict[str, str]()
        for resume in await self._ask.resumes.pull(self._thread_id, wait=wait, limit=MOST):
            if resume.request_id in self._requests:
                texts[resume.request_id] = resume.text
                self._unseen.add(resume.request_id)
                await self._ask.resumes.ack(resume)
        return texts


def _is_of(request: InputRequest, session_id: str, *, deferred: bool) -> bool:
    about = kept(request)
    return about.get("session_id") == session_id and about["deferred"] == deferred


def _is_answered(request: InputRequest) -> bool:
    return request.form is not None and request.status is Status.ANSWERED


def _is_approved(request: InputRequest) -> bool:
    by_person = request.status is Status.ANSWERED and request.source == "responder"
    return by_person and request.answer is not None and request.answer.decision == "approve"


def _asks_the_same(request: InputRequest, use: ToolUse) -> bool:
    if request.approval is not None:
        if request.approval.plan is not None:
            return use.tool == EXIT_PLAN and request.approval.plan == use.input.get("plan")
        return (request.approval.tool, request.approval.input) == (use.tool, use.input)
    form = form_for(use) if request.form is not None else None
    return (
        isinstance(form, Form) and request.form is not None and _questions(request.form) == _questions(form)
    )


def _questions(form: Form) -> list[object]:
    return [each.wire for each in card_of(form) or ()]
