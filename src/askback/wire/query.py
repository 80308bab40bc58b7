"""The parameters of operations: query parameters over HTTP, members of the frame over the WebSocket."""

from __future__ import annotations

from askback.domain.cursors import PLACE, SETTLED, id_pattern
from askback.domain.lifecycle import OUTCOMES
from askback.wire.operation import HTTP, MAX_WAIT_S, WEBSOCKET, Parameter


def limit(maximum: int | str = "page", default: int = 50) -> Parameter:
    """Return the parameter for the size of a page."""
    return Parameter("limit", "integer", "Page size.", 1, maximum, default)


def page(cursor_pattern: str = "") -> tuple[Parameter, ...]:
    """Return the parameters for the size and the place of a page; without a pattern any text is a cursor."""
    cursor = Parameter("cursor", "text", "`next_cursor` of the previous page.", pattern=cursor_pattern)
    return limit(), cursor


THREAD = Parameter("thread_id", "text", "Only those of one thread.")
RESUMES = (
    Parameter("wait", "number", "Seconds to wait for the first resume.", 0, MAX_WAIT_S),
    limit(default=20),
)
AFTER = Parameter("cursor", "integer", "Events after this one; over SSE, `Last-Event-ID` wins.")
READONLY = Parameter(
    "readonly", "flag", "Watch without being able to answer; it does not count for `require_client`."
)
USER = Parameter("user", "text", "Only sessions of this user.")
TENANT = Parameter("tenant", "text", "Another tenant; operator only.")
LIST_TOKENS = (Parameter("agent", "text", "Only tokens of one agent."), TENANT, *page(id_pattern("tok")))
FILE_NAME = Parameter("name", "text", "The name of the file.", transports=HTTP)
UPLOAD = (Parameter("field", "text", "The id of the field.", transports=HTTP), FILE_NAME)
IDS = Parameter("request_ids", "texts", "Ids of requests.")
SUBSCRIPTION = (
    Parameter("thread_id", "text", "The thread."),
    Parameter("inbox", "flag", "The requests of every thread instead."),
)
LIST_REQUESTS = (
    THREAD,
    Parameter("status", "statuses", "Repeatable, or a comma-separated list."),
    Parameter("kind", "text", "Only requests of one kind."),
    Parameter("agent", "text", "Only requests of the agent with this id."),
    Parameter("external_id", "text", "Only requests with this `external_id`."),
    Parameter("tool_call_id", "text", "Only requests of one tool call."),
    Parameter("run_id", "text", "Only requests of one run."),
    Parameter("created_after", "text", "Only requests that were created after this time (RFC 3339)."),
    Parameter("created_before", "text", "Only requests that were created before this time (RFC 3339)."),
    Parameter("brief", "flag", "What a row of a list shows, without what is long."),
    *page(id_pattern("req")),
)
GET_REQUEST = (
    Parameter(
        "wait",
        "number",
        "Seconds to wait until the request ends or its revision changes; 204 if neither happens.",
        0,
        MAX_WAIT_S,
        transports=HTTP,
    ),
    Parameter("revision", "integer", "The revision that the caller already has.", transports=HTTP),
    Parameter(
        "receipt",
        "flag",
        "With `wait`: the outcome counts as received only after it is read again without `wait`.",
        transports=HTTP,
    ),
)
LIST_OPTIONS = (
    Parameter("field", "text", "The id of a field with `options_from`."),
    Parameter("q", "text", "What the person typed."),
    Parameter("parent", "text", "Only options below the one with this value, in a field with `tree`."),
    *page(),
)
LIST_RULES = (
    THREAD,
    Parameter("project", "text", "Only rules for one project."),
    Parameter("ended", "flag", "Include revoked and expired rules."),
    *page(id_pattern("rul")),
)
LIST_THREADS = (
    Parameter("q", "text", "The id of a thread, or beginnings of words in its title."),
    Parameter("agent", "text", "Only threads that the agent with this id may use."),
    Parameter("archived", "flag", "Archived threads instead."),
    *page(PLACE),
)
LIST_RUNS = (Parameter("running", "flag", "Only runs that have not ended."), *page(PLACE))
AUDIT = (Parameter("after", "integer", "Entries after this one.", default=0), limit(500, 500))
AUDIT_ENTRIES = (
    Parameter("actor", "text", "Only entries of this actor: an id, or a part of a name; `policy` for rules."),
    Parameter(
        "action", "text", "Only entries of this action, such as `decide`, or of this subject, such as `rule`."
    ),
    Parameter("request_id", "text", "Only entries about this request."),
    Parameter("thread_id", "text", "Only entries about this thread."),
    Parameter("created_after", "text", "Only entries that were written after this time (RFC 3339)."),
    Parameter("created_before", "text", "Only entries that were written before this time (RFC 3339)."),
    limit(),
    Parameter("cursor", "integer", "`next_cursor` of the previous page."),
)
VERIFICATION = (
    Parameter("after", "integer", "Begin after this entry.", default=0),
    Parameter("hash", "text", "The hash of the entry `after`, as the previous call verified it."),
    limit(500, 500),
)

CREATE = (Parameter("wait", "flag", "Also watch the request, as `wait` does.", transports=WEBSOCKET),)
LIST_PEOPLE = (
    Parameter("request_id", "text", "Only people who can answer this request if it is assigned to them."),
    *page(),
)
LIST_HISTORY = (
    Parameter("q", "text", "Texts that the title, the agent or the thread contains."),
    Parameter("kind", "text", "Only requests of one kind."),
    Parameter("agent", "text", "Only requests of the agent with this id."),
    Parameter("thread_id", "text", "Only those of one thread."),
    Parameter("by", "text", "Only those that the person with this id settled."),
    Parameter(
        "outcome",
        "text",
        f"Only {', '.join(f'`{item}`' for item in OUTCOMES[:-1])} or `{OUTCOMES[-1]}`.",
    ),
    Parameter("settled_after", "text", "Only those that ended at this time (RFC 3339) or later."),
    Parameter("settled_before", "text", "Only those that ended before this time (RFC 3339)."),
    *page(SETTLED),
)
LIST_CONVERSATIONS = (
    Parameter("q", "text", "Texts of which each is in the title, the id or the newest messages."),
    Parameter("archived", "flag", "Archived conversations instead."),
    *page(PLACE),
)
