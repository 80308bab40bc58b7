"""The results of tools: structured content for programs, and one text for the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from mcp_types import CallToolResult, TextContent

from askback.adapters.arguments import wrong_arguments
from askback.client import SecretsResult
from askback.compat.claude_questions import card_of, write_answers
from askback.domain.decision import Decision
from askback.domain.fields import Form
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.modeltext import model_text, open_text
from askback.domain.request import InputRequest
from askback.errors import AskbackError, ConnectionLost, Invalid, NotFound, TooLarge, Unauthorized

QUESTIONS = {"mcp": {"shape": "questions"}}
"""The metadata of a request for questions in Claude's shape, whose answers are by the text of their questions."""


def result(text: str, content: dict[str, Any] | None = None, *, error: bool = False) -> CallToolResult:
    """Return the result of a tool."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=content, is_error=error
    )


def failure(error: AskbackError, *, consequence: str) -> CallToolResult:
    """Return the result for a refusal."""
    return result(failure_text(error, consequence=consequence), error=True)


def failure_text(error: AskbackError, *, consequence: str) -> str:
    """Return the text for a refusal, with its `consequence` and the next step for the model."""
    if isinstance(error, ConnectionLost):
        text = (
            "askback cannot be reached, so nobody was asked or answered. That is not an answer and not permission. "
            "Tell the user that the askback server is not running, or try again later."
        )
    elif isinstance(error, Unauthorized):
        text = (
            "askback does not accept the token of this MCP server: it was revoked, or it belongs to another server. "
            "Tell the user to run `askback install` again, or to correct ASKBACK_TOKEN."
        )
    elif isinstance(error, Invalid) and error.field_errors:
        text = wrong_arguments(
            ((str(item["path"]), str(item["message"])) for item in error.field_errors),
            consequence=consequence,
        )
    elif isinstance(error, TooLarge):
        text = f"{error} {consequence} Call the tool again with less."
    elif isinstance(error, NotFound):
        text = f"{error} Call list_requests to see the requests that you have."
    else:
        text = str(error)
    return text


def request_result(request: InputRequest, url: str) -> CallToolResult:
    """Return the tool result for a request of any kind, open or settled.

    The structured content has the text as well: the models of several clients read nothing else.
    """
    content: dict[str, Any] = {"status": str(request.status), "request_id": request.id}
    text = model_text(request)
    if request.status not in TERMINAL:
        content |= {"status": "pending", "url": url}
        text = open_text(request, url=url)
    if request.secret is not None:
        content |= _secrets(request)
    elif request.approval is not None:
        content |= _decision(request)
    elif request.form is not None and request.status is Status.ANSWERED:
        content |= _answers(request, request.form)
    return result(text, {**content, "message": text})


def _secrets(request: InputRequest) -> dict[str, Any]:
    """Return names and a state; an answer to a request for secrets has no values."""
    result = SecretsResult.from_request(request)
    status = {"pending": "requested", "dismissed": "declined"}.get(result.status, result.status)
    scope = {"scope": result.scope} if result.scope else {}
    return {"status": status, "names": [*result.names], **scope}


def _decision(request: InputRequest) -> dict[str, Any]:
    decision = Decision.from_request(request)
    note = {"note": decision.note} if decision.note else {}
    if decision:
        return {"decision": "approve", "input": decision.input, **note}
    return {"decision": "deny", **note} if request.status is Status.ANSWERED else note


def _answers(request: InputRequest, form: Form) -> dict[str, Any]:
    answer = request.answer
    assert answer is not None
    values: Mapping[str, Any] = answer.values
    own_texts = {
        id_: _own_text(form, id_, values[id_])
        for id_, has_own_text in answer.other.items()
        if has_own_text and id_ in values
    }
    if request.metadata == QUESTIONS and (card := card_of(form)) is not None:
        names = {question.field_id: question.text for question in card}
        values, own_texts = write_answers(card, values), {names[id_]: text for id_, text in own_texts.items()}
    return {"answers": dict(values), **({"other": own_texts} if own_texts else {})}


def _own_text(form: Form, id_: str, value: Any) -> Any:
    """Return the typed text: the value, or the values that are not options."""
    if not isinstance(value, list):
        return value
    field = next(item for item in form.all_fields if item.id == id_)
    options: Sequence[Any] = getattr(field, "options", ())
    option_values = {option.value for option in options}
    return ", ".join(str(item) for item in cast("list[Any]", value) if item not in option_values)
