"""A chat of iHub: its agent calls `ask_user`, and a person answers."""

from __future__ import annotations

import json
from typing import Any

from tests.transports.conftest import Api

CHAT = "/compat/ihub/api/apps/writer/chat/c1"
PDF = [{"label": "PDF", "value": "pdf"}, {"label": "Word", "value": "docx"}]
PICK: dict[str, Any] = {"question": "Which format?", "input_type": "select", "options": PDF}


async def call(api: Api, arguments: Any, *, id_: str = "call_1", **query: str) -> tuple[Any, Any]:
    """Call `ask_user` and return its result and the faults beside it."""
    function = {"name": "ask_user", "arguments": arguments}
    body = {"tool_calls": [{"id": id_, "type": "function", "function": function}]}
    reply = await (await api.as_("requester")).post(f"{CHAT}/tool-calls", json=body, params=query)
    assert reply.status_code == 200, reply.text
    [message] = reply.json()["messages"]
    assert {**message, "content": ""} == {
        "role": "tool",
        "tool_call_id": id_,
        "name": "ask_user",
        "content": "",
    }
    return json.loads(message["content"]), reply.json().get("field_errors")


async def answer(api: Api, question: str = "call_1", **members: Any) -> Any:
    """Answer a question in the next message."""
    sent = {"role": "user", "content": "", "clarificationResponse": {"questionId": question, **members}}
    return await (await api.as_("responder")).post(CHAT, json={"messages": [sent]})


async def pending(api: Api) -> list[Any]:
    reply = await (await api.as_("responder")).get("/v1/requests", params={"status": "pending"})
    return reply.json()["requests"]
