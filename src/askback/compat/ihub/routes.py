"""iHub's paths: the chat of an app for people, and its tool calls and answers for the agent."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

from askback.compat.ihub import people
from askback.compat.ihub.calls import tool_calls
from askback.compat.package_data import read_data
from askback.domain.model import without_none
from askback.messages.languages import choose
from askback.ports.systems import ApiCall, EventStream, Json, JsonReply, Problem, Route, StreamEvent, System
from askback.wire.operation import PEOPLE, REQUESTER

CHAT = "/api/apps/{app}/chat/{chat}"
ANSWER_FIRST_S = 0.4
"""How long an open question is held back on a new stream: iHub's page opens one before it sends its answer."""
_CHANGES = frozenset({"request.created", "request.reprompted", "request.updated"})


async def _messages(call: ApiCall) -> JsonReply:
    thread = await call.api.call("get_thread", thread_id=call.path["chat"])
    return JsonReply({"messages": people.user_messages(thread)})


def tool(language: str | None = None) -> Json:
    """Return the record of the tool; with a language (`en`, `de`), its texts in that language."""

    def in_language(members: Json) -> Any:
        return choose(members, (language,)) if language and members.keys() == {"en", "de"} else members

    return json.loads(json.dumps(read_data(__file__, "ask_user.json")), object_hook=in_language)


async def _tools(call: ApiCall) -> JsonReply:
    return JsonReply([tool(call.query.get("language"))])


async def _stream(call: ApiCall, style: people.KeyStyle = "snake") -> EventStream:
    await call.api.call("get_thread", thread_id=call.path["chat"])  # raises before the stream begins
    style = "camel" if call.query.get("style") == "camel" else style
    return EventStream(_events(call, style))


async def _events(call: ApiCall, style: people.KeyStyle) -> AsyncIterator[StreamEvent]:
    def event(name: str, data: Json) -> StreamEvent:
        return StreamEvent(name, {"event": name, "chatId": call.path["chat"], **data})

    def ask(request: Json) -> Sequence[StreamEvent]:
        data = people.clarification(request, style=style, locale=call.api.locale)
        if data is None or (request["id"], request["revision"]) in sent_revisions:
            return ()
        done = {"finishReason": "clarification", "clarificationData": data}
        return event("clarification", data), event("done", done)

    sent_revisions = set[tuple[str, int]]()
    async with call.api.watch(call.path["chat"]) as changes:
        yield event("connected", {})
        if await people.open_questions(call.api, call.path["chat"]):
            await asyncio.sleep(ANSWER_FIRST_S)
        for request in await people.open_questions(call.api, call.path["chat"]):
            for item in ask(request):
                yield item
            sent_revisions.add((request["id"], request["revision"]))
        async for change in changes:
            if change["type"] in _CHANGES:
                for item in ask(change["request"]):
                    yield item
            elif (text := _agent_text(change)) is not None:
                yield event("chunk", {"content": text})
            elif change["type"] == "run.ended":
                yield event("done", {"finishReason": "stop"})


def _agent_text(change: Json) -> str | None:
    """Return the text that an agent wrote with an event; None for any other event."""
    if change["type"] == "message.delta":
        return change["delta"]["text"]
    own = change["type"] == "message.added" and change["message"]["role"] == "agent"
    return people.text_of(change["message"], "") or None if own else None


def _refuse(problem: Problem) -> tuple[int, Json]:
    """Return a refusal in iHub's format; an expired question counts as settled."""
    faults = list(problem.field_errors)
    text = faults[0]["message"] if faults else problem.message
    status = 409 if problem.status == 410 else problem.status
    return status, without_none(error=text, code=problem.code, details=faults or None)


SYSTEM = System(
    routes=[
        Route(f"GET {CHAT}", PEOPLE, _stream, lasts=True),
        Route(f"POST {CHAT}", PEOPLE, people.send),
        Route(f"POST {CHAT}/tool-calls", REQUESTER, tool_calls),
        Route(f"GET {CHAT}/messages", REQUESTER, _messages),
        Route("GET /api/tools", REQUESTER, _tools),
        # For a page that can set only its base URL
        Route(f"GET /camel{CHAT}", PEOPLE, partial(_stream, style="camel"), lasts=True),
        Route(f"POST /camel{CHAT}", PEOPLE, people.send),
    ],
    refuse=_refuse,
)
