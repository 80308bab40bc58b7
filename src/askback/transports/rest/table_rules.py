"""The operations on rules, the policy and the audit log."""

from __future__ import annotations

from typing import Any

from askback.domain.auditseal import Standing
from askback.domain.bodies import PolicyBody, RuleBody
from askback.domain.policy.preferences import PolicySettings
from askback.transports.endpoint import Operation, Query
from askback.transports.rest import policy
from askback.transports.rest.shapes import ANYTHING, NAME_OR_NULL, OBJECTS, TEXT, shape

SEAL: dict[str, Any] = {
    "type": "object",
    "properties": {
        "status": {"enum": [each.value for each in Standing]},
        "key": {"type": "string", "description": "The id of the master key."},
        "unsealed": {"type": "integer", "description": "How many entries are older than the first seal."},
    },
    "required": ["status"],
}

RULES = (
    Operation(
        "GET",
        "/v1/rules",
        policy.list_rules,
        "list_rules",
        "List rules, newest first.",
        {200: shape(rules=OBJECTS, next_cursor=NAME_OR_NULL)},
        query=(
            Query("thread_id", TEXT, "Only those of one thread."),
            Query("project", TEXT, "Only rules for one project."),
            Query("ended", {"type": "boolean", "default": False}, "Include revoked and expired rules."),
            Query("limit", {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}, "Page size."),
            Query("cursor", TEXT, "`next_cursor` of the previous page."),
        ),
        roles=("responder", "admin"),
    ),
    Operation(
        "POST",
        "/v1/rules",
        policy.add_rule,
        "add_rule",
        "Create a rule.",
        {201: ANYTHING, 200: ANYTHING},
        body=RuleBody,
        roles=("responder", "admin"),
    ),
    Operation(
        "DELETE",
        "/v1/rules/{id}",
        policy.revoke_rule,
        "revoke_rule",
        "Revoke a rule.",
        {200: ANYTHING},
        roles=("responder", "admin"),
    ),
    Operation(
        "GET",
        "/v1/policy",
        policy.show,
        "read_policy",
        "Read the default policy.",
        {200: PolicySettings},
        query=(Query("thread_id", TEXT, "The policy for this thread."),),
        roles=("responder", "admin"),
    ),
    Operation(
        "POST",
        "/v1/policy",
        policy.change,
        "change_policy",
        "Change the default policy.",
        {200: PolicySettings},
        body=PolicyBody,
        roles=("responder", "admin"),
    ),
    Operation(
        "GET",
        "/v1/audit",
        policy.audit,
        "read_audit",
        "Read the audit log, oldest first.",
        {200: shape(entries=OBJECTS, head=shape(seq={"type": "integer"}, hash=TEXT, seal=SEAL))},
        query=(
            Query("after", {"type": "integer", "minimum": 0, "default": 0}, "Entries after this one."),
            Query("limit", {"type": "integer", "minimum": 1, "maximum": 500}, "Page size."),
        ),
        roles=("admin",),
    ),
)
