"""The view of a request in hosts of MCP Apps: the card of askback's own pages, which answers through the host.

The view is one document that loads nothing and has no token: it reads and answers by two tools that models are not
shown. That protects nothing, and need not: what these tools do is what the agent may do anyway.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp_types import CallToolResult, ReadResourceResult, Resource, TextResourceContents

from askback.adapters.mcp.arguments import AnswerInView, ReadInView
from askback.adapters.mcp.document import view_document
from askback.adapters.mcp.outcomes import result
from askback.adapters.mcp.tool_call import ToolCall
from askback.compat.translation import missing_part
from askback.domain.request import InputRequest
from askback.errors import Refused

URI = "ui://askback/request"
EXTENSION: dict[str, dict[str, Any]] = {EXTENSION_ID: {}}
RESOURCE = Resource(uri=URI, name="askback", mime_type=APP_MIME_TYPE)


def tool_meta(*, for_views: bool) -> dict[str, Any]:
    """Return the `_meta` of a tool whose result the view shows, or that only the view may call."""
    return {"ui": {"resourceUri": URI, **({"visibility": ["app"]} if for_views else {})}}


def read_view() -> ReadResourceResult:
    """Return the document. Raises `OSError` if the pages are not built."""
    contents = TextResourceContents(uri=URI, mime_type=APP_MIME_TYPE, text=view_document())
    return ReadResourceResult(contents=[contents])


async def read_in_view(call: ToolCall, arguments: ReadInView) -> CallToolResult:
    """Return a request, and whether it can be answered in the view: `{request, here}`."""
    return await _replied(call.connection.client.requests.get(arguments.request_id))


async def answer_in_view(call: ToolCall, arguments: AnswerInView) -> CallToolResult:
    """Report what the person entered in the view, with the body that the page would send."""
    requests = call.connection.client.requests
    request = await requests.get(arguments.request_id)
    body = arguments.body
    request = request.model_copy(update={"revision": body.get("revision", request.revision)})
    reported = (
        {"declined": body.get("reason"), "note": body.get("note")}
        if arguments.action == "decline"
        else {name: body.get(name) for name in ("values", "skipped", "languages", "control")}
    )
    return await _replied(requests.report_answer(request, **reported, idempotency_key=arguments.key))


async def _replied(work: Awaitable[InputRequest]) -> CallToolResult:
    """Return the request in its wire form; a refusal is data for the card, as the server sends it."""
    try:
        request = await work
    except Refused as exception:
        error = {
            "code": exception.code,
            "message": exception.message,
            "field_errors": exception.field_errors,
            "request": exception.request,
        }
        return result(exception.message, {"status": exception.status, "error": error}, error=True)
    view_members = {
        "request": request.model_dump(mode="json", exclude_none=True),
        "here": _is_answered_here(request),
    }
    return result(str(request.status), view_members)


def _is_answered_here(request: InputRequest) -> bool:
    """Return whether the view can answer: a form for everybody, without secrets, files and options from a source."""
    form = request.form
    if form is None or request.assignees:
        return False
    return not any(field.sensitive or missing_part(field) for field in form.all_fields)
