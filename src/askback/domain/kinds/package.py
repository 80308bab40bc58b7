"""The common part of all kinds of packages, even if the package is no longer installed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from askback.domain.canonicaljson import NotCanonical, canonical_json
from askback.domain.kinds.kind import RequestKind
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.request import Answer, InputRequest
from askback.domain.spec import Spec


class PackageKind(RequestKind):
    """A kind that a package adds; it is stored as `package`, with its own name in the request."""

    name = "package"

    def identity(self, spec: Spec, /) -> str | None:
        """The same kind with the same data; None if a number has no canonical form."""
        try:
            return hashlib.sha256(canonical_json(spec.package.model_dump())).hexdigest()
        except NotCanonical:
            return None

    def audit_subject(self, spec: Spec, /) -> Mapping[str, Any]:
        """Its own name."""
        return {"kind": spec.package.kind}

    def outcome_key(self, request: InputRequest, answer: Answer, /) -> str:
        """By status and reason, and whether the package returned a text about the answer."""
        if request.status not in TERMINAL:
            return f"package.{request.status}"
        if request.repeated:
            return "package.repeated"
        if request.status is not Status.ANSWERED:
            return f"package.{request.status}.{request.reason}"
        return "package.answered.text" if answer.text else "package.answered"
