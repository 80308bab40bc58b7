"""What a session had asked when its process was killed, found again when the session continues.

Claude Code forgets a call that was waiting then, so Claude repeats it with another id. Without this a person would
see the same card twice, and an answer that was given meanwhile would be lost. Requirement G8.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from askback.adapters.claude.calls import ToolUse, form_for, stored_context
from askback.adapters.claude.hooks import Json
from askback.adapters.claude.replays import ended_calls
from askback.client import AsyncClient
from askback.compat.claude_questions import EXIT_PLAN, card_of
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.domain.request import InputRequest
from askback.domain.resume import resume_text

PAGE_LIMIT = 50
"""How many requests and outcomes of the thread are looked through, the newest first."""

STORING_S = 5
"""Seconds after which Claude Code has surely stored a call; it takes a tenth of a second."""

RESUME_DELAY_S = 12
"""Seconds after which an outcome that nobody received is a resume: the server holds it back for ten."""


class EarlierRequests:
    """The requests of a session that are open, or have an outcome which Claude has not read."""

    def __init__(self, ask: AsyncClient, *, durable: bool) -> None:
        self._ask = ask
        self._durable = durable
        self._thread_id = ""
        self._requests = dict[str, InputRequest]()
        self._unread_ids = set[str]()
        """Those of them that surely have such an outcome, which the transcript or a resume shows."""

    async def collect(self, thread_id: str, session_id: str, transcript: Path) -> list[str]:
        """Find them, and return the sentences for Claude about the outcomes.

        An answer may have arrived in the process that was killed, and not in the transcript of the session. The program
        of a durable session gets the outcomes as resumes too.
        """
        self._thread_id = thread_id
        page = await self._ask.requests.list(thread_id=thread_id, limit=PAGE_LIMIT)
        await self._cancel([item for item in page if _is_lost(item, session_id, transcript)])
        reusable = [item for item in page if _is_reusable(item, session_id)]
        if not reusable:
            return []
        ended = ended_calls(transcript)
        read = {item.id for item in reusable if self._is_read(item, ended or ())}
        self._requests = {item.id: item for item in reusable if item.id not in read}
        outcomes = [request for request in self._requests.values() if request.status is not Status.PENDING]
        settled_outcomes = [outcome for outcome in outcomes if ended is not None or _is_approved(outcome)]
        self._unread_ids = {item.id for item in settled_outcomes}
        texts = {item.id: resume_text(item) for item in settled_outcomes}
        return list((texts if self._durable else texts | await self._pull_resumes()).values())

    async def take(self, use: ToolUse, *, deferrable: bool, is_repeated: bool) -> InputRequest | None:
        """Return the request for the same call, once; None if Claude has read its outcome.

        With `is_repeated` one that has an outcome can be taken once more. A call that may be deferred can only use an
        open request whose outcome comes as a resume.
        """
        matching = [item for item in self._requests.values() if _asks_the_same(item, use)]
        matching.sort(key=lambda item: item.tool_call_id != use.id)
        for request in matching:
            if request.status is not Status.PENDING:
                return await self._take_outcome(request, is_repeated=is_repeated)
            if stored_context(request)["deferred"] or not deferrable:
                return self._requests.pop(request.id)
        return None

    async def _take_outcome(self, request: InputRequest, *, is_repeated: bool) -> InputRequest | None:
        if request.id not in self._unread_ids and not self._durable:
            await self._pull_resumes(wait=RESUME_DELAY_S)
        if not is_repeated:
            del self._requests[request.id]
        return request if request.id in self._unread_ids else None

    async def withdraw(self) -> None:
        """Cancel requests that Claude has not repeated."""
        unused_requests, self._requests = self._requests, {}
        await self._cancel(unused_requests.values())

    async def _cancel(self, requests: Iterable[InputRequest]) -> None:
        for request in requests:
            if request.status is Status.PENDING:
                await self._ask.requests.withdraw(request)

    def _is_read(self, request: InputRequest, calls: Iterable[Json]) -> bool:
        """Return whether an approval was used, or the same call has a result that is another outcome."""
        if request.status is Status.PENDING or _is_approved(request):
            return request.used_at is not None
        session, outcome = stored_context(request)["session_id"], self._ask.text_of(request)
        return any(
            _asks_the_same(request, ToolUse(item["name"], item["input"], item["id"], session))
            for item in calls
            if not item["failed"] or outcome in item["text"]
        )

    async def _pull_resumes(self, *, wait: int = 0) -> dict[str, str]:
        """Take over the resumes of the session, and return their texts by request."""
        texts = dict[str, str]()
        for resume in await self._ask.resumes.pull(self._thread_id, wait=wait, limit=PAGE_LIMIT):
            if resume.request_id in self._requests:
                texts[resume.request_id] = resume.text
                self._unread_ids.add(resume.request_id)
                await self._ask.resumes.ack(resume)
        return texts


def _is_reusable(request: InputRequest, session_id: str) -> bool:
    """Return whether a request of the session is open or was decided by a person: the policy decides again."""
    if stored_context(request).get("session_id") != session_id:
        return False
    if request.status is Status.ANSWERED:
        return request.approval is None or request.source == "responder"
    return request.status in (Status.PENDING, Status.DECLINED)


def _is_lost(request: InputRequest, session_id: str, transcript: Path) -> bool:
    """Return whether a request is of a durable session that died before it stored the call, and was begun anew.

    Its transcript is in the same folder as that of the new one. The outcome would continue a session without the call.
    """
    call_context = stored_context(request)
    if not call_context or not call_context["deferred"] or call_context["session_id"] == session_id:
        return False
    other_transcript = transcript.with_name(f"{call_context['session_id']}.jsonl")
    with suppress(OSError):
        is_stored = time.time() - other_transcript.stat().st_mtime > STORING_S
        return is_stored and call_context["tool_use_id"].encode() not in other_transcript.read_bytes()
    return False


def _is_approved(request: InputRequest) -> bool:
    return (
        request.status is Status.ANSWERED
        and request.answer is not None
        and request.answer.decision == "approve"
    )


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
    return [*(item.wire for item in card_of(form) or ()), *(field.description for field in form.all_fields)]
