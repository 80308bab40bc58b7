"""Actions: something that a person does elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from askback.domain.canonicaljson import canonical_json
from askback.domain.kinds.kind import RequestKind
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.request import Answer, InputRequest
from askback.domain.spec import Spec
from askback.messages.languages import choose


class ActionKind(RequestKind):
    """A task for a person elsewhere, behind a link or at an OAuth provider."""

    name = "action"
    is_reported = True

    def identity(self, spec: Spec, /) -> str:
        """The same title, destination and scopes."""
        return hashlib.sha256(canonical_json(spec.action.model_dump(exclude_none=True))).hexdigest()

    def audit_subject(self, spec: Spec, /) -> Mapping[str, Any]:
        """The title, host and provider of the action."""
        return {
            "title": choose(spec.action.title),
            "host": spec.action.host,
            "provider": spec.action.provider,
        }

    def outcome_key(self, request: InputRequest, answer: Answer, /) -> str:
        """By status and reason, outcome, and whether an account was connected."""
        if request.status not in TERMINAL:
            return f"action.{request.status}"
        if request.repeated:
            return "action.repeated"
        if request.status is not Status.ANSWERED:
            return f"action.{request.status}.{request.reason}"
        if answer.outcome != "done":
            return "action.failed"
        return "action.done.connected" if answer.names else "action.done"
