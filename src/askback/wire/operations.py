"""The table of operations: REST routes, WebSocket operations, role checks, OpenAPI and the clients are made from it.

A row is an operation. Its name is the `operationId` of OpenAPI, the `op` of a WebSocket frame and the `attempted` of
the audit log. To add one: a row here, a handler in `transports/handlers`, and a method of the client.

Bodies and replies are given by the names of their models (`domain/request.py`, `domain/sources.py`, `bodies.py`,
`verdicts.py`, `thread_bodies.py`, `replies.py`, `admin_replies.py`, `file_replies.py`), so that a client reads the
table without loading any.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from askback.wire.operation import (
    ADMIN,
    BYTES,
    EVERYBODY,
    HTML,
    HTTP,
    MAX_WAIT_S,
    METRICS,
    NO_ROLE,
    OPERATOR,
    PEOPLE,
    PLAIN,
    PNG,
    REQUESTER,
    STREAM,
    WEBSOCKET,
    Operation,
    Parameter,
)


def _limit(maximum: int | str = "page", default: int = 50) -> Parameter:
    return Parameter("limit", "integer", "Page size.", 1, maximum, default)


_CURSOR = Parameter("cursor", "text", "`next_cursor` of the previous page.")
_PAGE = (_limit(), _CURSOR)
_THREAD = Parameter("thread_id", "text", "Only those of one thread.")
_RESUMES = (
    Parameter("wait", "number", "Seconds to wait for the first resume.", 0, MAX_WAIT_S),
    _limit(default=20),
)
_AFTER = Parameter("cursor", "integer", "Events after this one; over SSE, `Last-Event-ID` wins.")
_READONLY = Parameter(
    "readonly", "flag", "Watch without being able to answer; it does not count for `require_client`."
)
_USER = Parameter("user", "text", "Only sessions of this user.")
_TENANT = Parameter("tenant", "text", "Another tenant; operator only.")
_FILE_NAME = Parameter("name", "text", "The name of the file.", over=HTTP)
_UPLOAD = (Parameter("field", "text", "The id of the field.", over=HTTP), _FILE_NAME)
_IDS = Parameter("request_ids", "texts", "Ids of requests.")
_SUBSCRIPTION = (
    Parameter("thread_id", "text", "The thread."),
    Parameter("inbox", "flag", "The requests of every thread instead."),
)
_LIST_REQUESTS = (
    _THREAD,
    Parameter("status", "statuses", "Repeatable, or a comma-separated list."),
    Parameter("kind", "text", "Only requests of one kind."),
    Parameter("agent", "text", "Only requests of the agent with this id."),
    Parameter("external_id", "text", "Only requests with this `external_id`."),
    Parameter("tool_call_id", "text", "Only requests of one tool call."),
    Parameter("run_id", "text", "Only requests of one run."),
    Parameter("created_after", "text", "Only requests that were created after this moment (RFC 3339)."),
    Parameter("created_before", "text", "Only requests that were created before this moment (RFC 3339)."),
    *_PAGE,
)
_GET_REQUEST = (
    Parameter(
        "wait",
        "number",
        "Seconds to wait until the request ends or its revision changes; 204 if neither happens.",
        0,
        MAX_WAIT_S,
        over=HTTP,
    ),
    Parameter("revision", "integer", "The revision that the caller already has.", over=HTTP),
    Parameter(
        "receipt",
        "flag",
        "With `wait`: the outcome counts as received only after it is read again without `wait`.",
        over=HTTP,
    ),
)
_LIST_OPTIONS = (
    Parameter("field", "text", "The id of a field with `options_from`."),
    Parameter("q", "text", "What the person typed."),
    Parameter("parent", "text", "Only options below the one with this value, in a field with `tree`."),
    *_PAGE,
)
_LIST_RULES = (
    _THREAD,
    Parameter("project", "text", "Only rules for one project."),
    Parameter("ended", "flag", "Include revoked and expired rules."),
    *_PAGE,
)
_LIST_THREADS = (
    Parameter("q", "text", "The id of a thread, or beginnings of words in its title."),
    Parameter("agent", "text", "Only threads that the agent with this id may use."),
    Parameter("archived", "flag", "Archived threads instead."),
    *_PAGE,
)
_LIST_RUNS = (Parameter("running", "flag", "Only runs that have not ended."), *_PAGE)
_AUDIT = (Parameter("after", "integer", "Entries after this one.", default=0), _limit(500, 500))

_CREATE = (Parameter("wait", "flag", "Also watch the request, as `wait` does.", over=WEBSOCKET),)
_ASKS = "Ask | ApprovalAsk | SecretRequest | ActionRequest | PackageRequest"
_REQUEST: Mapping[int, str | None] = {200: "InputRequest"}
_NOTHING: Mapping[int, str | None] = {204: None}

# fmt: off
_REQUESTS = (
    Operation("batch_requests", "POST /v1/requests/batch", "Answer or decline several requests.",
              PEOPLE, {200: "BatchResults"}, "BatchBody", idempotent=True, large=True, was="batch"),
    Operation("create_request", "POST /v1/requests", "Ask a person.",
              REQUESTER, {201: "InputRequest", 200: "InputRequest"}, _ASKS, _CREATE, idempotent=True, was="create",
              refuses=(404,)),
    Operation("list_requests", "GET /v1/requests", "List requests, newest first.",
              EVERYBODY, {200: "RequestPage"}, parameters=_LIST_REQUESTS, large=True, was="list"),
    Operation("get_request", "GET /v1/requests/{request_id}", "Read a request; with `wait`, a long poll.",
              EVERYBODY, {200: "InputRequest", 204: None}, parameters=_GET_REQUEST, was="get"),
    Operation("list_options", "GET /v1/requests/{request_id}/options", "Search the options of a field.",
              PEOPLE, {200: "OptionPage"}, parameters=_LIST_OPTIONS, refuses=(409, 410)),
    Operation("answer_request", "POST /v1/requests/{request_id}/answer", "Answer a request.",
              PEOPLE, _REQUEST, "AnswerBody | DecisionBody | SubmissionBody | ActionAnswerBody | PackageAnswerBody",
              idempotent=True, confidential=True, was="answer"),
    Operation("decline_request", "POST /v1/requests/{request_id}/decline", "Decline a request.",
              PEOPLE, _REQUEST, "DeclineBody", idempotent=True, was="decline"),
    Operation("cancel_request", "POST /v1/requests/{request_id}/cancel", "Cancel a request.",
              REQUESTER | ADMIN, _REQUEST, "CancelBody", idempotent=True, was="cancel"),
    Operation("report_outcome", "POST /v1/requests/{request_id}/outcome", "Report how an action went.",
              REQUESTER, _REQUEST, "OutcomeBody", idempotent=True),
    Operation("start_oauth", "POST /v1/requests/{request_id}/oauth/start", "Start to connect an account.",
              PEOPLE, {201: "Address"}, "ConnectBody", over=HTTP),
    Operation("check_submission", "POST /v1/requests/{request_id}/check", "Begin or renew the check of an answer.",
              REQUESTER, _REQUEST, "EmptyBody", was="check"),
    Operation("accept_submission", "POST /v1/requests/{request_id}/accept", "Accept the submission.",
              REQUESTER, _REQUEST, "AcceptBody", idempotent=True, was="accept"),
    Operation("reprompt_request", "POST /v1/requests/{request_id}/reprompt", "Reject the submission and ask again.",
              REQUESTER, _REQUEST, "RepromptBody", idempotent=True, was="reprompt"),
    Operation("update_request", "PATCH /v1/requests/{request_id}", "Change an open request.",
              REQUESTER, _REQUEST, "RepromptBody", idempotent=True, refuses=(410,)),
    Operation("ask_again", "POST /v1/requests/{request_id}/ask-again", "Lift a refusal.",
              PEOPLE, _REQUEST, "EmptyBody"),
    Operation("mark_shown", "POST /v1/requests/{request_id}/shown", "Mark a request as seen.",
              PEOPLE, _REQUEST, "EmptyBody", was="shown"),
    Operation("mark_answering", "POST /v1/requests/{request_id}/answering",
              "Show others that you are answering a request.",
              PEOPLE, _NOTHING, "AnsweringBody"),
    Operation("revoke_approval", "POST /v1/requests/{request_id}/revoke",
              "Revoke an approval before the call has run.",
              PEOPLE, _REQUEST, "EmptyBody", was="revoke"),
    Operation("consume_approval", "POST /v1/requests/{request_id}/consume", "Use an approved call, once.",
              REQUESTER, {200: "Execution"}, "ConsumeBody", was="consume"),
    Operation("report_execution", "POST /v1/requests/{request_id}/report", "Report the outcome of an execution.",
              REQUESTER, {200: "Execution"}, "ReportBody", was="report"),
    Operation("get_saved_scopes", "GET /v1/requests/{request_id}/saved",
              "Read in which scopes the names of a request are set.",
              PEOPLE, {200: "SavedScopes"}, was="saved"),
    Operation("upload_file", "POST /v1/requests/{request_id}/files", "Upload a file for a field; the body is the file.",
              PEOPLE, {201: "FileValue"}, BYTES, _UPLOAD, over=HTTP),
    Operation("list_files", "GET /v1/requests/{request_id}/files", "List the files of a request, oldest first.",
              EVERYBODY, {200: "FileList"}),
    Operation("get_file", "GET /v1/files/{file_id}", "Download a file.",
              EVERYBODY, {200: BYTES}, over=HTTP),
    Operation("get_file_preview", "GET /v1/files/{file_id}/preview", "Read a small picture of an image.",
              EVERYBODY, {200: PNG}, over=HTTP),
    Operation("delete_file", "DELETE /v1/files/{file_id}", "Remove an upload that nothing names.",
              EVERYBODY, _NOTHING, refuses=(409,)),
    Operation("wait", "", "Watch requests: the outcome of each is sent once.",
              EVERYBODY, {200: "WaitResult"}, parameters=(_IDS,), over=WEBSOCKET, large=True),
    Operation("unwait", "", "Stop watching requests; an outcome in transit is queued as a resume.",
              EVERYBODY, {200: "Nothing"}, parameters=(_IDS,), over=WEBSOCKET, large=True),
)
_THREADS = (
    Operation("post_message", "POST /v1/threads/{thread_id}/messages", "Add a message, or append to one.",
              EVERYBODY, {201: "PostedMessage", 200: "Nothing"}, "MessageBody | AppendBody", idempotent=True,
              was="message"),
    Operation("upload_message_file", "POST /v1/threads/{thread_id}/files",
              "Upload a file for messages of the agent; the body is the file.",
              REQUESTER, {201: "FileValue"}, BYTES, (_FILE_NAME,), over=HTTP),
    Operation("update_message", "PATCH /v1/threads/{thread_id}/messages/{message_id}",
              "Update a tool call in a message.",
              EVERYBODY, {200: "Nothing"}, "ToolCallBody"),
    Operation("list_threads", "GET /v1/threads", "List threads, the last that began first.",
              EVERYBODY, {200: "ThreadPage"}, parameters=_LIST_THREADS, large=True),
    Operation("get_thread", "GET /v1/threads/{thread_id}", "Read a thread.",
              EVERYBODY, {200: "ThreadSnapshot"}, large=True, was="thread"),
    Operation("update_thread", "PATCH /v1/threads/{thread_id}",
              "Change the title, the metadata or the settings of a thread.",
              EVERYBODY, {200: "Thread"}, "ThreadBody", refuses=(409,)),
    Operation("get_thread_access", "GET /v1/threads/{thread_id}/access", "Read who may do what in a thread.",
              EVERYBODY, {200: "ThreadAccess"}, was="access"),
    Operation("set_thread_access", "PUT /v1/threads/{thread_id}/access",
              "Set the owner of a thread and who may access it.",
              EVERYBODY, {200: "ThreadAccess"}, "AccessBody", was="share"),
    Operation("start_run", "POST /v1/threads/{thread_id}/runs", "Begin a run.",
              REQUESTER, {201: "Run", 200: "Run"}, "RunBody", refuses=(409,)),
    Operation("list_runs", "GET /v1/threads/{thread_id}/runs", "List the runs of a thread, the last that began first.",
              EVERYBODY, {200: "RunPage"}, parameters=_LIST_RUNS),
    Operation("get_run", "GET /v1/threads/{thread_id}/runs/{run_id}", "Read a run.",
              EVERYBODY, {200: "Run"}),
    Operation("renew_run", "POST /v1/threads/{thread_id}/runs/{run_id}/renew", "Note that a run goes on.",
              REQUESTER, {200: "Run"}, "EmptyBody", refuses=(409,)),
    Operation("end_run", "POST /v1/threads/{thread_id}/runs/{run_id}/end", "End a run.",
              REQUESTER | ADMIN, {200: "Run"}, "EndRunBody"),
    Operation("cancel_run", "POST /v1/threads/{thread_id}/runs/{run_id}/cancel", "Cancel the open requests of a run.",
              REQUESTER | ADMIN, {200: "CancelledRun"}, "EmptyBody"),
    Operation("archive_thread", "POST /v1/threads/{thread_id}/archive",
              "Archive a thread and cancel its open requests.",
              EVERYBODY, {200: "ArchivedThread"}, was="archive"),
    Operation("unarchive_thread", "POST /v1/threads/{thread_id}/unarchive", "Unarchive a thread.",
              EVERYBODY, {200: "ArchivedThread"}, was="unarchive"),
    Operation("export_thread", "GET /v1/threads/{thread_id}/export", "Export a thread.",
              PEOPLE, {200: "ThreadExport"}, large=True, was="export"),
    Operation("erase_thread", "DELETE /v1/threads/{thread_id}", "Erase a thread.",
              PEOPLE, _NOTHING),
    Operation("watch_thread", "GET /v1/threads/{thread_id}/events", "Stream the events of a thread.",
              EVERYBODY, {200: STREAM}, parameters=(_AFTER, _READONLY), over=HTTP),
    Operation("watch_inbox", "GET /v1/events", "Stream the requests of every thread.",
              PEOPLE, {200: STREAM}, parameters=(_AFTER, _READONLY), over=HTTP),
    Operation("subscribe", "", "Send the events of a thread or of the inbox after `cursor`, and then new ones.",
              EVERYBODY, {200: "Subscription"}, parameters=(*_SUBSCRIPTION, _AFTER, _READONLY),
              over=WEBSOCKET),
    Operation("unsubscribe", "", "End a subscription.",
              EVERYBODY, {200: "Nothing"}, parameters=_SUBSCRIPTION, over=WEBSOCKET),
    Operation("ping", "", "Check the connection.",
              EVERYBODY, {200: "Nothing"}, over=WEBSOCKET),
)
_DELIVERY = (
    Operation("pull_resumes", "GET /v1/resumes", "Lease pending resumes.",
              REQUESTER, {200: "ResumeList"}, parameters=(_THREAD, *_RESUMES), was="resumes"),
    Operation("pull_thread_resumes", "GET /v1/threads/{thread_id}/resumes", "Lease pending resumes of a thread.",
              REQUESTER, {200: "ResumeList"}, parameters=_RESUMES, over=HTTP),
    Operation("ack_resume", "POST /v1/resumes/{resume_id}/ack", "Acknowledge a resume.",
              REQUESTER, {200: "Nothing"}, "AckBody", was="ack", refuses=(409,)),
    Operation("list_webhooks", "GET /v1/webhooks", "List the webhooks.",
              ADMIN, {200: "WebhookList"}, was="webhooks"),
    Operation("create_webhook", "POST /v1/webhooks", "Create a webhook; its secret is shown once.",
              ADMIN, {201: "NewWebhook"}, "WebhookBody", over=HTTP, refuses=(409,)),
    Operation("update_webhook", "PATCH /v1/webhooks/{webhook_id}", "Turn a webhook on or off.",
              ADMIN, {200: "Webhook"}, "SwitchBody", was="switch_webhook"),
    Operation("delete_webhook", "DELETE /v1/webhooks/{webhook_id}", "Remove a webhook and its log.",
              ADMIN, _NOTHING, was="remove_webhook"),
    Operation("list_deliveries", "GET /v1/webhooks/{webhook_id}/deliveries", "List deliveries, newest first.",
              ADMIN, {200: "DeliveryList"}, parameters=_PAGE, was="deliveries"),
    Operation("redeliver", "POST /v1/webhooks/{webhook_id}/redeliver", "Send a delivery or a resume again.",
              ADMIN, {200: "Delivery"}, "RedeliverBody", refuses=(409,)),
)
_RULES = (
    Operation("list_rules", "GET /v1/rules", "List rules, newest first.",
              PEOPLE, {200: "RuleList"}, parameters=_LIST_RULES, was="rules"),
    Operation("create_rule", "POST /v1/rules", "Create a rule.",
              PEOPLE, {201: "Rule", 200: "Rule"}, "RuleBody", was="add_rule", refuses=(404,)),
    Operation("revoke_rule", "DELETE /v1/rules/{rule_id}", "Revoke a rule.",
              PEOPLE, {200: "Rule"}),
    Operation("get_policy", "GET /v1/policy", "Read the default policy.",
              PEOPLE, {200: "PolicySettings"},
              parameters=(Parameter("thread_id", "text", "The policy for this thread."),), was="policy",
              refuses=(404,)),
    Operation("update_policy", "POST /v1/policy", "Change the default policy.",
              PEOPLE, {200: "PolicySettings"}, "PolicyBody", was="set_policy", refuses=(404, 409)),
    Operation("get_audit_log", "GET /v1/audit", "Read the audit log, oldest first.",
              ADMIN, {200: "AuditLog"}, parameters=_AUDIT, large=True, was="audit"),
    Operation("get_limits", "GET /v1/limits", "Read the limits.",
              EVERYBODY, {200: "LimitsReply"},
              parameters=(Parameter("thread_id", "text", "Include the usage of this thread."),), was="limits",
              refuses=(404,)),
    Operation("reset_limits", "POST /v1/limits/reset", "Reset the question count of a thread.",
              ADMIN, {200: "ThreadUsage"}, "ResetBody", refuses=(404,)),
)
_SECRETS = (
    Operation("lease_secrets", "POST /v1/secrets/lease", "Lease the values of secrets.",
              REQUESTER | {"runner"}, {200: "SecretLease"}, "LeaseBody", over=HTTP, refuses=(404, 409)),
    Operation("rotate_secrets", "POST /v1/secrets/rotate", "Rewrap all secrets with the first master key.",
              ADMIN | {OPERATOR}, {200: "Rotation"}, "RotateBody", refuses=(409,)),
    Operation("list_secrets", "GET /v1/secrets", "List secrets, newest first.",
              PEOPLE, {200: "SecretList"}, parameters=_PAGE, was="secrets"),
    Operation("set_secret", "POST /v1/secrets", "Set a secret, or replace its value.",
              PEOPLE, {201: "StoredSecret"}, "KeepBody", over=HTTP, confidential=True, refuses=(409,)),
    Operation("get_secret_agents", "GET /v1/secrets/{secret_id}/agents",
              "Read which agents may use a secret without asking.",
              PEOPLE, {200: "SecretAgents"}, was="secret_agents"),
    Operation("set_secret_agents", "PUT /v1/secrets/{secret_id}/agents",
              "Set which agents may use a secret without asking.",
              PEOPLE, {200: "SecretAgents"}, "SecretAgentsBody"),
    Operation("grant_secret", "PUT /v1/secrets/{secret_id}/agents/{agent}",
              "Let an agent use a secret without asking.",
              PEOPLE, {200: "SecretAgents"}),
    Operation("revoke_secret", "DELETE /v1/secrets/{secret_id}/agents/{agent}",
              "Revoke a secret from an agent, which then has to ask again.",
              PEOPLE, {200: "SecretAgents"}, refuses=(409,)),
    Operation("erase_secret", "DELETE /v1/secrets/{secret_id}", "Erase a secret.",
              PEOPLE, _NOTHING, was="drop_secret"),
)
_ACCESS = (
    Operation("create_login_link", "POST /v1/login-links", "Create a one-time login link.",
              ADMIN, {201: "Address"}, "LoginLinkBody", over=HTTP),
    Operation("create_session", "POST /v1/sessions", "Sign in with the code of a login link.",
              NO_ROLE, {201: "NewSession"}, "SignInBody", over=HTTP),
    Operation("list_sessions", "GET /v1/sessions", "List browser sessions: your own, or everybody's for an admin.",
              PEOPLE, {200: "SessionList"}, parameters=(_USER,), over=HTTP),
    Operation("end_sessions", "DELETE /v1/sessions", "End all listed sessions and close their connections.",
              PEOPLE, {200: "EndedSessions"}, parameters=(_USER,), over=HTTP),
    Operation("end_session", "DELETE /v1/sessions/{session_id}", "End a session and close its connections.",
              PEOPLE, _NOTHING, over=HTTP),
    Operation("get_session", "GET /v1/session", "Read the caller's session.",
              EVERYBODY, {200: "CurrentSession"}, over=HTTP),
    Operation("sign_out", "DELETE /v1/session", "Sign out.",
              EVERYBODY, _NOTHING, over=HTTP),
    Operation("sign_address", "POST /v1/session/addresses",
              "Sign an address for this browser to open directly; valid for 60 seconds.",
              PEOPLE, {201: "Address"}, "SignBody", over=HTTP),
    Operation("create_token", "POST /v1/tokens", "Create a token; it is shown once.",
              ADMIN | {OPERATOR}, {201: "NewToken"}, "TokenBody", over=HTTP, refuses=(404, 409)),
    Operation("list_tokens", "GET /v1/tokens", "List tokens, newest first.",
              ADMIN | {OPERATOR}, {200: "TokenList"},
              parameters=(Parameter("agent", "text", "Only tokens of one agent."), _TENANT, *_PAGE)),
    Operation("revoke_token", "DELETE /v1/tokens/{token_id}", "Revoke a token and close its connections.",
              ADMIN | {OPERATOR}, {200: "Token"}, parameters=(_TENANT,)),
    Operation("create_agent", "POST /v1/agents", "Create an agent.",
              ADMIN | {OPERATOR}, {201: "AgentRecord"}, "AgentBody"),
    Operation("list_agents", "GET /v1/agents", "List agents, newest first.",
              PEOPLE, {200: "AgentList"}, parameters=_PAGE),
    Operation("get_agent", "GET /v1/agents/{agent_id}", "Read an agent.",
              PEOPLE, {200: "AgentRecord"}),
    Operation("stop_agent", "POST /v1/agents/{agent_id}/stop",
              "Revoke an agent's tokens and cancel its open requests.",
              PEOPLE, {200: "AgentRecord"}),
    Operation("grant_root", "POST /v1/agents/{agent_id}/roots", "Let an agent read below a folder without asking.",
              PEOPLE, {200: "AgentRecord"}, "RootBody"),
    Operation("revoke_root", "DELETE /v1/agents/{agent_id}/roots", "Revoke a folder.",
              PEOPLE, {200: "AgentRecord"}, parameters=(Parameter("path", "text", "The folder."),)),
)
_SERVER = (
    Operation("list_kinds", "GET /v1/kinds", "List the kinds of packages.", EVERYBODY, {200: "KindList"}),
    Operation("finish_oauth", "GET /v1/oauth/callback", "Receive a browser back from an OAuth provider.",
              NO_ROLE, {200: HTML, 400: HTML}, over=HTTP),
    Operation("get_health", "GET /healthz", "Check that the server is running.",
              NO_ROLE, {200: "ServerStatus"}, over=HTTP),
    Operation("get_readiness", "GET /readyz", "Check that the server can write.",
              NO_ROLE, {200: "ServerStatus"}, over=HTTP, refuses=(503,)),
    Operation("get_metrics", "GET /metrics", "Read the metrics of this server, for Prometheus.",
              frozenset({OPERATOR, METRICS}), {200: PLAIN}, over=HTTP),
    Operation("get_openapi", "GET /openapi.json", "Read this document.",
              NO_ROLE, {200: "Document"}, over=HTTP),
)
# fmt: on

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {
        operation.name: operation
        for operation in (*_REQUESTS, *_THREADS, *_DELIVERY, *_RULES, *_SECRETS, *_ACCESS, *_SERVER)
    }
)
"""Every operation by its name. A path without parameters comes before one that would match it."""

RENAMED: Mapping[str, str] = MappingProxyType(
    {each.was: each.name for each in OPERATIONS.values() if each.was}
)
"""What operations of the WebSocket were called before; the old name is refused and names the new one."""
