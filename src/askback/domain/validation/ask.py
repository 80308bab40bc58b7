"""Checking what an agent asks: the typed request, or every fault at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, to_json

from askback.domain.fields import AnyField, Form, Option, Select
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.request import Ask
from askback.domain.validation.form import FormRules
from askback.domain.validation.parts import Parts
from askback.domain.validation.prose import Prose
from askback.domain.validation.report import Report
from askback.domain.validation.spelling import is_spelt_out
from askback.domain.validation.structure import Steps, report_structure, report_surrogates
from askback.domain.validation.texts import may_be_deceptive

YES_NO = [Option(value="Yes", label="Yes"), Option(value="No", label="No")]


def check_ask(body: object, *, limits: Limits = DEFAULTS) -> Ask:
    """Return the body of `POST /v1/requests` as an `Ask`, its options as objects and `confirm` with Yes and No.

    Raises `Faults` naming every broken rule with its path in the body.
    """
    return _checked(body, limits)[0]


def read_ask(body: object, *, limits: Limits = DEFAULTS) -> tuple[Ask, str]:
    """Return what `check_ask` returns, and the JSON text in which it is stored and shown."""
    ask, encoded = _checked(body, limits)
    if is_spelt_out(cast("Mapping[str, Any]", body), encoded):
        return ask, encoded.decode()
    return ask, ask.model_dump_json(exclude_none=True)


def _checked(body: object, limits: Limits) -> tuple[Ask, bytes]:
    report = Report()
    encoded = _encoded(body)
    if encoded is not None and len(encoded) > limits.request_bytes:
        report.add("", "too_long.request", max=limits.request_bytes)
        report.finish()
    prose = Prose(report, suspicious=may_be_deceptive(encoded))
    try:
        ask = Ask.model_validate(body)
        faulty = set[Steps]() if encoded is not None else report_surrogates(body, report, path="")
    except ValidationError as error:
        ask, faulty = None, report_structure(error, body, report, path="")
        faulty |= report_surrogates(body, report, path="") if encoded is None else set()
    if ask is None or faulty:
        _check_parts(body, faulty, report, prose, limits)
    else:
        ask = _with_confirm(ask)
        _check_envelope(ask, report, prose, limits)
        FormRules(report, prose, limits, "form").check(ask.form, cast("Any", body)["form"])
    report.finish()
    assert ask is not None
    assert encoded is not None
    return ask, encoded


def check_form(raw: object, *, limits: Limits = DEFAULTS, path: str = "form") -> Form:
    """Return a form on its own as `check_ask` would; its faults have paths that begin with `path`."""
    report = Report()
    raw = raw.model_dump(exclude_none=True) if isinstance(raw, Form) else raw
    encoded = _encoded(raw)
    rules = FormRules(report, Prose(report, suspicious=may_be_deceptive(encoded)), limits, path)
    try:
        form = Form.model_validate(raw)
        faulty = set[Steps]() if encoded is not None else report_surrogates(raw, report, path=path)
    except ValidationError as error:
        form, faulty = None, report_structure(error, raw, report, path=path)
        faulty |= report_surrogates(raw, report, path=path) if encoded is None else set()
    if form is None or faulty:
        _check_form_parts(raw, faulty, (), rules)
    else:
        form = confirmed(form)
        rules.check(form, cast("Mapping[str, Any]", raw))
    report.finish()
    assert form is not None
    return form


def _encoded(body: object) -> bytes | None:
    """Return the body as compact JSON in UTF-8, or None when a text of it has no UTF-8 form."""
    try:
        return to_json(body)
    except (PydanticSerializationError, UnicodeEncodeError, ValueError):
        return None


def _check_parts(body: object, faulty: set[Steps], report: Report, prose: Prose, limits: Limits) -> None:
    ask = Parts(faulty).ask(body)
    if ask is None:
        return
    _check_envelope(ask, report, prose, limits)
    raw = cast("Mapping[str, object]", body).get("form")
    _check_form_parts(raw, faulty, ("form",), FormRules(report, prose, limits, "form"))


def _check_form_parts(raw: object, faulty: set[Steps], at: Steps, rules: FormRules) -> None:
    form = Parts(faulty).form(raw, at)
    if form is not None:
        shape_known = not faulty & {(*at, "fields"), (*at, "sections")}
        rules.check(confirmed(form), cast("Mapping[str, Any]", raw), shape_known=shape_known)


def _check_envelope(ask: Ask, report: Report, prose: Prose, limits: Limits) -> None:
    for name in ("thread_id", "run_id", "message_id", "tool_call_id"):
        prose.line("", name, getattr(ask, name), limits.identifier)
    if ask.agent is not None:
        prose.line("agent", "name", ask.agent.name, limits.identifier)
        prose.line("agent", "tool", ask.agent.tool, limits.identifier)
    timeout = ask.timeout_s
    if timeout is not None and not limits.min_timeout_s <= timeout <= limits.max_timeout_s:
        report.add("timeout_s", "out_of_range", min=limits.min_timeout_s, max=limits.max_timeout_s)


def _with_confirm(ask: Ask) -> Ask:
    form = confirmed(ask.form)
    return ask if form is ask.form else ask.model_copy(update={"form": form})


def confirmed(form: Form) -> Form:
    """Give every `confirm` without options Yes and No; returns the same form when there is none."""
    changes: dict[str, Any] = {}
    if form.fields is not None and any(map(_lacks_answers, form.fields)):
        changes["fields"] = _confirmed_fields(form.fields)
    if form.sections is not None and any(_lacks_answers(f) for s in form.sections for f in s.fields or ()):
        changes["sections"] = [
            section.model_copy(update={"fields": _confirmed_fields(section.fields)})
            for section in form.sections
        ]
    return form.model_copy(update=changes) if changes else form


def _lacks_answers(field: AnyField) -> bool:
    return isinstance(field, Select) and field.widget == "confirm" and not field.options


def _confirmed_fields(fields: Sequence[AnyField]) -> list[AnyField]:
    return [
        field.model_copy(update={"options": YES_NO}) if _lacks_answers(field) else field for field in fields
    ]
