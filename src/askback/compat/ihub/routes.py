"""iHub's paths: the chat of an app for people, and its tool calls and answers for the agent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from askback.compat.ihub import calls, reply
from askback.compat.ihub.clarification import Style, clarification, is_question, text_of, user_messages
from askback.compat.open_requests import open_requests
from askback.compat.system import Answer, Api, Call, EventStream, Json, Problem, Route, StreamEvent, System
from askback.domain.faults import Faults
from askback.domain.lifecycle import Status
from askback.domain.validation.structure import parse
from askback.errors import Conflict, NotFound
from askback.messages import translate
from askback.messages.languages import choose
from askback.wire.operation import PEOPLE, REQUESTER

CHAT = "/api/apps/{app}/chat/{chat}"
ANSWER_FIRST_S = 0.4
"""How long an open question is held back on a new stream: iHub's page opens one before it sends its answer."""
_CHANGES = frozenset({"request.created", "request.reprompted", "request.updated"})


async def _tool_calls(call: Call) -> Answer:
    app, chat = call.path["app"], call.path["chat"]
    truncate = call.query.get("truncate") == "true"
    messages, faults = await calls.run_calls(call.api, call.json(), app=app, chat=chat, truncate=truncate)
    return Answer({"messages": messages, **({"field_errors": faults} if faults else {})})


async def _messages(call: Call) -> Answer:
    thread = await call.api.call("get_thread", thread_id=call.path["chat"])
    return Answer({"messages": user_messages(thread)})


def tool(language: str | None = None) -> Json:
    """Return the record of the tool; with a language (`en`, `de`), its texts in that language."""

    def chosen(members: Json) -> Any:
        return choose(members, (language,)) if language and members.keys() == {"en", "de"} else members

    return json.loads(Path(__file__).with_name("ask_user.json").read_text("utf-8"), object_hook=chosen)


async def _tools(call: Call) -> Answer:
    return Answer([tool(call.query.get("language"))])


async def _send(call: Call) -> Answer:
    chat = call.path["chat"]
    message, answer, path = reply.last_message(call.json())
    if answer is None:
        await _write(call.api, chat, message, path)
    else:
        sent = message.get("messageId")
        key = calls.key_of(chat, sent) if isinstance(sent, str) else None
        await _answer(call.api, chat, parse(reply.Response, answer), key=key)
    return Answer({"status": "streaming", "chatId": chat})


async def _write(api: Api, chat: str, message: Json, path: str) -> None:
    if await _open_questions(api, chat):
        raise Conflict(translate("ui.composer.answer_first", api.locale), code="answer_first")
    try:
        await api.call("post_message", reply.text_message(message), thread_id=chat)
    except Faults as found:
        raise reply.in_message(found, path) from None


async def _answer(api: Api, chat: str, answer: reply.Response, *, key: str | None) -> None:
    request = await _find(api, chat, answer.question_id)
    try:
        values = answer.read(request["form"]["fields"][0])
        if values is None:
            await api.call("decline_request", {"reason": "skipped"}, request_id=request["id"], key=key)
            return
        body = {"revision": request["revision"], "values": values}
        await api.call("answer_request", body, request_id=request["id"], key=key)
    except Faults as found:
        raise reply.in_answer(found, answer) from None


async def _find(api: Api, chat: str, question_id: str) -> Json:
    """Return the question with our id or that of the tool call; of several calls with one id, the open or newest."""
    named = await api.call("list_requests", thread_id=chat, tool_call_id=question_id)
    found = [each for each in named["requests"] if is_question(each)]
    if not found:
        request = await api.call("get_request", request_id=question_id)
        found = [request] if request["thread_id"] == chat and is_question(request) else []
    if not found:
        raise NotFound("There is no such question in this chat.")
    return next((each for each in found if each["status"] == Status.PENDING), found[0])


async def _open_questions(api: Api, chat: str) -> Sequence[Json]:
    """Return the questions of a chat that are open, the oldest first."""
    return [each for each in await open_requests(api, thread_id=chat, kind="form") if is_question(each)]


async def _stream(call: Call, style: Style = "snake") -> EventStream:
    await call.api.call("get_thread", thread_id=call.path["chat"])  # raises before the stream begins
    style = "camel" if call.query.get("style") == "camel" else style
    return EventStream(_events(call.api, call.path["chat"], style))


async def _events(api: Api, chat: str, style: Style) -> AsyncIterator[StreamEvent]:
    def event(name: str, data: Json) -> StreamEvent:
        return StreamEvent(name, {"event": name, "chatId": chat, **data})

    def ask(request: Json) -> Sequence[StreamEvent]:
        data = clarification(request, style=style, locale=api.locale)
        done = {"finishReason": "clarification", "clarificationData": data}
        return event("clarification", data), event("done", done)

    async with api.watch(chat) as changes:
        yield event("connected", {})
        if await _open_questions(api, chat):
            await asyncio.sleep(ANSWER_FIRST_S)
        shown = set[tuple[str, int]]()
        for request in await _open_questions(api, chat):
            shown.add((request["id"], request["revision"]))
            for each in ask(request):
                yield each
        async for change in changes:
            request: Json = change.get("request", {})
            if change["type"] in _CHANGES and is_question(request):
                if (request["id"], request["revision"]) not in shown:
                    for each in ask(request):
                        yield each
            elif (text := _agent_text(change)) is not None:
                yield event("chunk", {"content": text})
            elif change["type"] == "run.ended":
                yield event("done", {"finishReason": "stop"})


def _agent_text(change: Json) -> str | None:
    """Return what an agent has written with an event; None for any other event."""
    if change["type"] == "message.delta":
        return change["delta"]["text"]
    own = change["type"] == "message.added" and change["message"]["role"] == "agent"
    return text_of(change["message"], "") or None if own else None


def _refuse(problem: Problem) -> tuple[int, Json]:
    """Return a refusal as iHub has it; a question that has expired is settled."""
    faults = problem.field_errors
    body: Json = {"error": faults[0]["message"] if faults else problem.message, "code": problem.code}
    body |= {"details": list(faults)} if faults else {}
    return 409 if problem.status == 410 else problem.status, body


SYSTEM = System(
    routes=[
        Route(f"GET {CHAT}", PEOPLE, _stream, lasts=True),
        Route(f"POST {CHAT}", PEOPLE, _send),
        Route(f"POST {CHAT}/tool-calls", REQUESTER, _tool_calls),
        Route(f"GET {CHAT}/messages", REQUESTER, _messages),
        Route("GET /api/tools", REQUESTER, _tools),
        # For a page that can set only its base URL
        Route(f"GET /camel{CHAT}", PEOPLE, partial(_stream, style="camel"), lasts=True),
        Route(f"POST /camel{CHAT}", PEOPLE, _send),
    ],
    refuse=_refuse,
)
