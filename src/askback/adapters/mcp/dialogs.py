"""What an MCP client shows for a request, a form of its own or the address of a page, and what comes back from it.

A form in the client is for forms that fit into MCP's flat subset, and for approvals where the server takes reports
about them. Everything else, and all secrets, are answered on an askback page: there people are signed in, so the
server knows who answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from mcp_types import ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult
from mcp_types.version import is_version_at_least

from askback.adapters.arguments import MAX_FAULTS
from askback.adapters.mcp.caller_connection import CallerConnection, Context
from askback.adapters.mcp.clients import (
    can_show,
    client_of,
    opens_pages,
    shows_values,
    takes_own_texts,
    write_literal,
)
from askback.adapters.mcp.forms import whole_elicitation
from askback.client import CurrentSession
from askback.compat.mcp_elicitation import read_answer, read_decision, write_approval
from askback.domain import questiontext
from askback.domain.request import InputRequest
from askback.errors import Conflict, Invalid, TooLarge
from askback.messages import DEFAULT_LOCALE, translate

LONGEST_DEFAULT = 2_000
"""Characters of a text that a form shows again; a message of more than a megabyte would not arrive."""
LONGEST_CALL = 2_000
"""Characters of a tool call that a client's form shows; it must show all of the call, so a longer one needs a page."""

Dialog = ElicitRequestFormParams | ElicitRequestURLParams


class Unanswered(Enum):
    """What the client did with a dialog that nobody has answered there."""

    CLOSED = "closed"
    """It showed nothing, or the person closed the dialog."""
    OPENED_PAGE = "opened page"
    """The person opened the page, and answers there."""


@dataclass(frozen=True, slots=True)
class Modes:
    """The ways in which a client can show something."""

    form: bool
    url: bool

    @classmethod
    def of(cls, context: Context) -> Modes:
        """Return the client's declared elicitation modes; an empty declaration means forms."""
        capabilities = context.session.client_capabilities
        elicitation = capabilities.elicitation if capabilities else None
        if elicitation is None:
            return cls(form=False, url=False)
        version = context.protocol_version
        knows_urls = is_version_at_least(version, "2025-11-25") and opens_pages(client_of(context), version)
        return cls(
            form=elicitation.form is not None or elicitation.url is None,
            # Codex declares it in an older version, and refuses every page by itself.
            url=elicitation.url is not None and knows_urls,
        )


def person_of(caller: CurrentSession) -> str | None:
    """Return the person that the caller works for, if its token says so."""
    principal = caller.principal
    return None if principal.user == principal.id else principal.user


def dialog_for(
    request: InputRequest, connection: CallerConnection, modes: Modes, caller: CurrentSession, client: str
) -> Dialog | None:
    """Return the elicitation for an open request, or None if only the inbox and a link remain."""
    if modes.form and (form := _form(request, connection, caller, client)) is not None:
        return ElicitRequestFormParams.model_validate(form)
    if not modes.url:
        return None
    names = ", ".join(name.removeprefix("group:") for name in request.assignees or ())
    key = "mcp.open_as" if names else "mcp.open"
    message = translate(key, DEFAULT_LOCALE, what=what_it_asks(request), person=names)
    url = f"{connection.page(request.id)}?private"  # who else opens it sees for whom it is, and nothing more
    return ElicitRequestURLParams(message=message, url=url, elicitation_id=request.id)


def what_it_asks(request: InputRequest) -> str:
    """Return a short summary of a request as data."""
    if request.secret is not None:
        return ", ".join(request.secret.names)
    if request.approval is not None:
        return request.approval.tool
    return questiontext.question_text(request)


def _form(
    request: InputRequest, connection: CallerConnection, caller: CurrentSession, client: str
) -> Mapping[str, Any] | None:
    if request.assignees:
        return None
    own_texts = takes_own_texts(client)
    if request.form is not None:
        values_shown = shows_values(client)
        params = whole_elicitation(request.form, own_texts=own_texts, values_shown=values_shown)
        if params is None or not can_show(client, params):
            return None
        if request.form.format == "plain":
            params = {**params, "message": write_literal(client, params["message"])}
        if own_texts or not any(getattr(field, "allow_other", False) for field in request.form.all_fields):
            return params
        page = translate("mcp.own_words", DEFAULT_LOCALE, url=connection.page(request.id))
        return {**params, "message": f"{params['message']}\n\n{page}"}
    approval = request.approval
    if approval is None or not caller.reported_approvals or approval.quorum > 1 or approval.exclude_requester:
        return None
    call = questiontext.quote(approval.input)
    if approval.risk.level == "danger" or len(call) > LONGEST_CALL:
        return None
    lines = [translate("mcp.approve", DEFAULT_LOCALE, tool=questiontext.quote(approval.tool), input=call)]
    if approval.reason:
        lines.append(
            f"{translate('ui.approval.says', DEFAULT_LOCALE)}: {questiontext.quote(approval.reason)}"
        )
    return write_approval(write_literal(client, "\n".join(lines)), note=own_texts)


async def report(
    request: InputRequest, dialog: Dialog, result: ElicitResult, connection: CallerConnection
) -> InputRequest | Dialog | Unanswered:
    """Report the client's answer.

    Returns the request as it is then; another dialog if the answer was refused; or why nobody has answered in the
    client.
    """
    requests = connection.client.requests
    content = result.content or {}
    if result.action == "cancel":
        return Unanswered.CLOSED
    if result.action == "accept" and isinstance(dialog, ElicitRequestURLParams):
        return Unanswered.OPENED_PAGE
    try:
        if result.action == "accept":
            answer = _answer(request, content)
            if answer is None:
                return _with_errors(dialog, translate("mcp.decide", DEFAULT_LOCALE), content)
            return await requests.report_answer(request, **answer)
        if request.approval is not None and isinstance(dialog, ElicitRequestFormParams):
            return await requests.report_answer(request, decision="deny")
        return await requests.report_answer(request, declined="refused")
    except (Invalid, TooLarge) as error:
        return _with_errors(dialog, _faults(request, error), content)
    except Conflict:  # somebody was faster, or the form has changed
        return await requests.get(request.id)


def _answer(request: InputRequest, content: Mapping[str, Any]) -> dict[str, Any] | None:
    if request.form is None:
        return read_decision(content)
    return read_answer(request.form, content)


def _with_errors(dialog: Dialog, problems: str, content: Mapping[str, Any]) -> Dialog:
    """Return the dialog with the validation errors before its message, and with what the person has entered."""
    message = f"{problems}\n\n{dialog.message}"
    if isinstance(dialog, ElicitRequestURLParams):
        return dialog.model_copy(update={"message": message})
    schema = dialog.requested_schema
    properties = {
        name: {**part, "default": content[name]} if _fits(part, content.get(name)) else part
        for name, part in schema["properties"].items()
    }
    return dialog.model_copy(
        update={"message": message, "requested_schema": {**schema, "properties": properties}}
    )


def _fits(part: Mapping[str, Any], value: Any) -> bool:
    """Whether a value that the client sent can be the default of its property."""
    match part["type"]:
        case "string":
            options = _options(part)
            is_short = isinstance(value, str) and 0 < len(value) <= LONGEST_DEFAULT
            return is_short and (options is None or value in options)
        case "array":
            options = _options(part["items"]) or ()
            return isinstance(value, list) and all(item in options for item in cast("list[Any]", value))
        case "boolean":
            return isinstance(value, bool)
        case _:
            return isinstance(value, int | float) and not isinstance(value, bool)


def _options(part: Mapping[str, Any]) -> Sequence[Any] | None:
    """Return the values of the options of a property, or of its items; None if it has none."""
    titled_options = part.get("oneOf") or part.get("anyOf")
    return part.get("enum") if titled_options is None else [option["const"] for option in titled_options]


def _faults(request: InputRequest, error: Invalid | TooLarge) -> str:
    names = request.form.names if request.form is not None else {}
    lines = [translate("mcp.again", DEFAULT_LOCALE)]
    if isinstance(error, TooLarge):
        return "\n".join([*lines, f"- {error}"])
    for fault in error.field_errors[:MAX_FAULTS]:
        field_path, _, subpath = str(fault["path"]).partition(".")
        field = subpath.partition("[")[0]  # an item of a list is shown by its field
        name = f"{questiontext.quote(names.get(field, field))}: " if field and field_path == "values" else ""
        lines.append(f"- {name}{fault['message']}")
    return "\n".join(lines)
