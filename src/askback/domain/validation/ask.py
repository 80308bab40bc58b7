"""Checking what an agent asks: the typed request, or every fault at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError

from askback.domain.faults import Faults
from askback.domain.fields import AnyField, Form, Option, Select
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.request import Ask
from askback.domain.validation.default import default_answer
from askback.domain.validation.envelope import bounded, check_envelope
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
    ask, text = _checked(body, limits)
    if is_spelt_out(cast("Mapping[str, Any]", body), text):
        return ask, text.decode()
    return ask, ask.model_dump_json(exclude_none=True)


def _checked(body: object, limits: Limits) -> tuple[Ask, bytes]:
    report = Report()
    text = bounded(body, report, limits, path="")
    prose = Prose(report, suspicious=may_be_deceptive(text))
    try:
        ask = Ask.model_validate(body)
        faulty = set[Steps]() if text is not None else report_surrogates(body, report, path="")
    except ValidationError as error:
        ask, faulty = None, report_structure(error, body, report, path="")
        faulty |= report_surrogates(body, report, path="") if text is None else set()
    if ask is None or faulty:
        _check_parts(body, faulty, report, prose, limits)
    else:
        ask = _with_confirm(ask)
        check_envelope(ask, prose, limits)
        FormRules(report, prose, limits, "form").check(ask.form, cast("Any", body)["form"])
        _check_ends(ask, report, limits)
    report.finish()
    assert ask is not None
    assert text is not None
    return ask, text


def _check_ends(ask: Ask, report: Report, limits: Limits) -> None:
    """Report what the ways to end do not fit: a default that there is not, a check of what nobody may see."""
    if ask.validator is not None and any(field.sensitive for field in ask.form.all_fields):
        report.add("validator", "validator_with_sensitive")
    if ask.on_timeout == "default" and not report.count:
        try:
            default_answer(ask.form, limits)
        except Faults:
            report.add("on_timeout", "no_default")


def check_form(raw: object, *, limits: Limits = DEFAULTS, path: str = "form") -> Form:
    """Return a form on its own as `check_ask` would; its faults have paths that begin with `path`."""
    report = Report()
    raw = raw.model_dump(exclude_none=True) if isinstance(raw, Form) else raw
    text = bounded(raw, report, limits, path=path)
    rules = FormRules(report, Prose(report, suspicious=may_be_deceptive(text)), limits, path)
    try:
        form = Form.model_validate(raw)
        faulty = set[Steps]() if text is not None else report_surrogates(raw, report, path=path)
    except ValidationError as error:
        form, faulty = None, report_structure(error, raw, report, path=path)
        faulty |= report_surrogates(raw, report, path=path) if text is None else set()
    if form is None or faulty:
        _check_form_parts(raw, faulty, (), rules)
    else:
        form = confirmed(form)
        rules.check(form, cast("Mapping[str, Any]", raw))
    report.finish()
    assert form is not None
    return form


def _check_parts(body: object, faulty: set[Steps], report: Report, prose: Prose, limits: Limits) -> None:
    ask = Parts(faulty).ask(body)
    if ask is None:
        return
    check_envelope(ask, prose, limits)
    raw = cast("Mapping[str, object]", body).get("form")
    _check_form_parts(raw, faulty, ("form",), FormRules(report, prose, limits, "form"))


def _check_form_parts(raw: object, faulty: set[Steps], at: Steps, rules: FormRules) -> None:
    form = Parts(faulty).form(raw, at)
    if form is not None:
        shape_known = not faulty & {(*at, "fields"), (*at, "sections")}
        rules.check(confirmed(form), cast("Mapping[str, Any]", raw), shape_known=shape_known)


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
