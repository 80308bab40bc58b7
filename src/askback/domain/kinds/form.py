"""Forms: questions with fields."""

from __future__ import annotations

import hashlib

from askback.domain.canonicaljson import NotCanonical, canonical_json
from askback.domain.fields import Form
from askback.domain.kinds.kind import RequestKind
from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.request import Answer, InputRequest
from askback.domain.rows import flat_form, value_path
from askback.domain.spec import Spec


def form_paths(form: Form) -> frozenset[str]:
    """Return the paths of the fields of a form."""
    fields = (*form.all_fields, *flat_form(form).all_fields)
    return frozenset(value_path(field.id) for field in fields)


class FormKind(RequestKind):
    """A form, asked of a person."""

    name = "form"
    is_question = True
    is_audited = False
    keeps_submission = True

    def identity(self, spec: Spec, /) -> str | None:
        """The same form, with its keys in any order; None if a number has no canonical form."""
        try:
            form = spec.form.model_dump(mode="json", exclude_none=True)
            return hashlib.sha256(canonical_json(form)).hexdigest()
        except NotCanonical:
            return None

    def outcome_key(self, request: InputRequest, answer: Answer, /) -> str:
        """By status and reason, and whether any field was filled in."""
        if request.status not in TERMINAL:
            return f"form.{request.status}" + (f".{request.held.event}" if request.held else "")
        if request.repeated:
            return "form.repeated"
        if request.status is not Status.ANSWERED:
            return f"form.{request.status}.{request.reason}"
        if request.source in {"default", "hook"}:
            return f"form.answered.{request.source}"
        return "form.answered" if answer.values else "form.answered.empty"

    def error_paths(self, spec: Spec, /) -> frozenset[str]:
        """The paths of its fields."""
        return form_paths(spec.form)

    def is_secret(self, spec: Spec, /) -> bool:
        """Return whether it has a sensitive field."""
        return bool(spec.sensitive)

    def takes_reported_answer(self, spec: Spec, /) -> bool:
        """Unless a field is sensitive."""
        return not spec.sensitive

    def allows_skip(self, spec: Spec, /) -> bool:
        """As the form says."""
        return spec.form.allow_skip

    def file_fields(self, spec: Spec, /) -> frozenset[str]:
        """Its fields of type `file`."""
        return frozenset(field.id for field in spec.form.all_fields if field.type == "file")

    def sourced_fields(self, spec: Spec, /) -> frozenset[str]:
        """Its fields with `options_from`."""
        return frozenset(
            field.id for field in spec.form.all_fields if getattr(field, "options_from", None) is not None
        )

    def locale(self, spec: Spec, /) -> str | None:
        """The language of the form."""
        return spec.form.locale
