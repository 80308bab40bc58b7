"""Requests for secrets: values that an agent may use and never sees."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from askback.domain.faults import join
from askback.domain.kinds.kind import RequestKind
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.request import Answer, InputRequest
from askback.domain.spec import Spec


class SecretKind(RequestKind):
    """Secrets, asked of a person by their names."""

    name = "secret"

    def identity(self, spec: Spec, /) -> str:
        """The same names."""
        return names_digest(spec.secret.names)

    def audit_subject(self, spec: Spec, /) -> Mapping[str, Any]:
        """The names."""
        return {"names": spec.secret.names}

    def outcome_key(self, request: InputRequest, answer: Answer, /) -> str:
        """By status and reason, and whether all values were stored before."""
        if request.status not in TERMINAL:
            return f"secret.{request.status}"
        if request.status is not Status.ANSWERED:
            return f"secret.{request.status}.{request.reason}"
        return "secret.existing" if answer.reused else "secret.answered"

    def error_paths(self, spec: Spec, /) -> frozenset[str]:
        """The paths of its names."""
        return frozenset(join("secrets", name) for name in spec.secret.names)

    def is_secret(self, _spec: Spec, /) -> bool:
        """Always."""
        return True


def names_digest(names: Sequence[str]) -> str:
    """Return the digest that requests for the same secrets share."""
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()
