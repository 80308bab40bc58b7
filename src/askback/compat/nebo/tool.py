"""Nebo's agent tool, `agent(resource: message, action: ask, …)`: its JSON Schema, and a function that runs it."""

from dataclasses import asdict
from typing import Any, Literal

from askback.compat.nebo.frames import NO_UI, SKIPPED, Ask, end_text, read_ask, refusal_text, write_value
from askback.compat.package_data import read_data
from askback.domain.faults import Faults
from askback.domain.validation.structure import parse
from askback.errors import Invalid, NotAnswered
from askback.messages import DEFAULT_LOCALE, render
from askback.ports.systems import Json

AGENT_TOOL: Json = read_data(__file__, "agent_tool.json")


class _AgentCall(Ask):
    resource: Literal["message"]
    action: Literal["ask"]


async def agent(
    client: Any,
    *,
    resource: str = "message",
    action: str = "ask",
    thread_id: str | None = None,
    require_client: Literal["durable", "wait", "fail_fast"] = "durable",
    **arguments: Any,
) -> str:
    """Run the tool over an `AsyncClient` with the arguments of a model, and return its result for the model.

    An error is a text that begins with `Error`. `arguments` are `prompt` or `text`, and `widgets`. Without a client,
    and with `require_client="fail_fast"` where nobody has a page open, it is an error immediately.
    """
    if client is None:
        return f"Error: {NO_UI}"
    try:
        form = read_ask(parse(_AgentCall, {"resource": resource, "action": action, **arguments}))
        answer = await client.form(form, thread_id=thread_id, repeat="ask", require_client=require_client)
    except Faults as error:
        problems = [{**asdict(fault), "message": render(fault, DEFAULT_LOCALE)} for fault in error.faults]
        return f"Error: {refusal_text({'field_errors': problems})}"
    except Invalid as error:
        return f"Error: {refusal_text({'field_errors': error.field_errors, 'message': error.message})}"
    except NotAnswered as ended:
        if ended.request.reason == "skipped":
            return SKIPPED
        why = end_text({"status": str(ended.request.status), "reason": ended.request.reason})
        return f"Error: {why}" if why == NO_UI else f"Error waiting for user response: {why}"
    return write_value([{"id": field["id"]} for field in form["fields"]], answer.values)
