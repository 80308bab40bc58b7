"""The members of each operation's frame. Any other is refused, as it is in the body and the query of a REST call."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from askback.domain.faults import Faults, fault
from askback.domain.tracing import HEADER
from askback.transports.websocket.arguments import Frame

EVERYWHERE = frozenset({"id", "op", "key", HEADER})
"""What any frame may have. `key` and the trace are headers over REST, where they may also stand without an effect."""

MEMBERS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        op: frozenset(names.split())
        for ops, names in {
            "ping webhooks": "",
            "create": "body wait",
            "batch add_rule set_policy rotate_secrets reset_limits": "body",
            "get saved": "request_id",
            "answer decline cancel consume report shown check ask_again revoke accept reprompt": "request_id body",
            "wait unwait": "request_ids",
            "list": "thread_id status kind limit cursor",
            "resumes": "thread_id wait limit",
            "ack": "resume_id body",
            "rules": "thread_id project ended limit cursor",
            "revoke_rule": "rule_id",
            "policy limits thread access archive unarchive export erase_thread": "thread_id",
            "message share": "thread_id body",
            "audit": "after limit",
            "secrets": "limit cursor",
            "drop_secret secret_agents": "secret_id",
            "set_secret_agents": "secret_id body",
            "grant_secret revoke_secret": "secret_id agent",
            "switch_webhook redeliver": "webhook_id body",
            "remove_webhook": "webhook_id",
            "deliveries": "webhook_id limit cursor",
            "subscribe": "thread_id inbox cursor",
            "unsubscribe": "thread_id inbox",
        }.items()
        for op in ops.split()
    }
)
"""What the frame of each operation may have besides."""


def require_known(op: str, frame: Frame) -> None:
    """Raise `Faults` for members that the operation does not have: a misspelt filter must not return everything."""
    unknown = frame.keys() - EVERYWHERE - MEMBERS[op]
    if unknown:
        raise Faults([fault(name, "unknown_field.key") for name in sorted(unknown)])
