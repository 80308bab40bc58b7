"""Forms: questions with fields."""

from __future__ import annotations

import hashlib

from askback.domain.faults import join
from askback.domain.kinds.kind import Kind
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.policy.digest import NotCanonical, canonical_json
from askback.domain.request import Answer, InputRequest
from askback.domain.spec import Spec


class FormKind(Kind):
    """A form, asked of a person."""

    name = "form"
    is_question = True
    is_audited = False
    keeps_submission = True

    def identity(self, spec: Spec, /) -> str | None:
        """The same form, however its keys are ordered; None where a number has no canonical spelling."""
        try:
            form = spec.form.model_dump(mode="json", exclude_none=True)
            return hashlib.sha256(canonical_json(form)).hexdigest()
        except NotCanonical:
            return None

    def outcome_key(self, request: InputRequest, answer: Answer, /) -> str:
        """By status and reason, and whether anything was filled in."""
        if request.status not in TERMINAL:
            return f"form.{request.status}"
        if request.repeated:
            return "form.repeated"
        if request.status is not Status.ANSWERED:
            return f"form.{request.status}.{request.reason}"
        return "form.answered" if answer.values else "form.answered.empty"

    def error_paths(self, spec: Spec, /) -> frozenset[str]:
        """Those of its fields."""
        return frozenset(join("values", field.id) for field in spec.form.all_fields)

    def is_secret(self, spec: Spec, /) -> bool:
        """Whether it has a sensitive field."""
        return bool(spec.sensitive)

    def allows_skip(self, spec: Spec, /) -> bool:
        """As the form says."""
        return spec.form.allow_skip

    def locale(self, spec: Spec, /) -> str | None:
        """The language of the form."""
        return spec.form.locale
