"""Build the REST call that is equivalent to a WebSocket frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from askback.domain.tracing import HEADER

ROUTES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "create": ("POST", "/v1/requests"),
        "get": ("GET", "/v1/requests/{request_id}"),
        "list": ("GET", "/v1/requests"),
        "answer": ("POST", "/v1/requests/{request_id}/answer"),
        "decline": ("POST", "/v1/requests/{request_id}/decline"),
        "cancel": ("POST", "/v1/requests/{request_id}/cancel"),
        "consume": ("POST", "/v1/requests/{request_id}/consume"),
        "report": ("POST", "/v1/requests/{request_id}/report"),
        "accept": ("POST", "/v1/requests/{request_id}/accept"),
        "check": ("POST", "/v1/requests/{request_id}/check"),
        "revoke": ("POST", "/v1/requests/{request_id}/revoke"),
        "ask_again": ("POST", "/v1/requests/{request_id}/ask-again"),
        "shown": ("POST", "/v1/requests/{request_id}/shown"),
        "resumes": ("GET", "/v1/resumes"),
        "ack": ("POST", "/v1/resumes/{resume_id}/ack"),
        "reprompt": ("POST", "/v1/requests/{request_id}/reprompt"),
        "batch": ("POST", "/v1/requests/batch"),
        "message": ("POST", "/v1/threads/{thread_id}/messages"),
        "thread": ("GET", "/v1/threads/{thread_id}"),
        "access": ("GET", "/v1/threads/{thread_id}/access"),
        "share": ("PUT", "/v1/threads/{thread_id}/access"),
        "archive": ("POST", "/v1/threads/{thread_id}/archive"),
        "unarchive": ("POST", "/v1/threads/{thread_id}/unarchive"),
        "export": ("GET", "/v1/threads/{thread_id}/export"),
        "erase_thread": ("DELETE", "/v1/threads/{thread_id}"),
        "limits": ("GET", "/v1/limits"),
        "reset_limits": ("POST", "/v1/limits/reset"),
        "rules": ("GET", "/v1/rules"),
        "add_rule": ("POST", "/v1/rules"),
        "revoke_rule": ("DELETE", "/v1/rules/{rule_id}"),
        "policy": ("GET", "/v1/policy"),
        "set_policy": ("POST", "/v1/policy"),
        "audit": ("GET", "/v1/audit"),
        "secrets": ("GET", "/v1/secrets"),
        "saved": ("GET", "/v1/requests/{request_id}/saved"),
        "secret_agents": ("GET", "/v1/secrets/{secret_id}/agents"),
        "set_secret_agents": ("PUT", "/v1/secrets/{secret_id}/agents"),
        "grant_secret": ("PUT", "/v1/secrets/{secret_id}/agents/{agent}"),
        "revoke_secret": ("DELETE", "/v1/secrets/{secret_id}/agents/{agent}"),
        "drop_secret": ("DELETE", "/v1/secrets/{secret_id}"),
        "rotate_secrets": ("POST", "/v1/secrets/rotate"),
        "webhooks": ("GET", "/v1/webhooks"),
        "switch_webhook": ("PATCH", "/v1/webhooks/{webhook_id}"),
        "remove_webhook": ("DELETE", "/v1/webhooks/{webhook_id}"),
        "deliveries": ("GET", "/v1/webhooks/{webhook_id}/deliveries"),
        "redeliver": ("POST", "/v1/webhooks/{webhook_id}/redeliver"),
    }
)
"""Method and path of each operation that is one call; the arguments of a GET that are not in its path are its query."""

_OURS = frozenset({"id", "op"})


@dataclass(frozen=True, slots=True)
class RestCall:
    """One call: `key` is the idempotency key, `body` a JSON value, `trace` which trace it belongs to."""

    method: str
    path: str
    query: Mapping[str, Any]
    body: Any = None
    key: str | None = None
    trace: str | None = None


def rest_call(frame: Mapping[str, Any]) -> RestCall:
    """Translate a frame whose operation is in `ROUTES`."""
    method, template = ROUTES[frame["op"]]
    steps = {name for _, name, _, _ in Formatter().parse(template) if name}
    path = template.format(**{name: step(frame[name]) for name in steps})
    rest = {name: value for name, value in frame.items() if name not in steps | _OURS}
    query = rest if method == "GET" else {}
    return RestCall(method, path, query, frame.get("body"), frame.get("key"), frame.get(HEADER))


def step(text: str) -> str:
    """Encode what a caller chose as one step of a path."""
    return quote(text, safe="")
