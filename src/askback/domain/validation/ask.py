"""Checks a request with a form: returns the typed request, or raises all faults together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import ValidationError

from askback.domain.faults import Faults
from askback.domain.fields import YES_NO, AnyField, Form, is_yes_no
from askback.domain.kinds.form import form_paths
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.policy.settings import BOUNDS
from askback.domain.request import Ask
from askback.domain.validation.answer import default_answer
from askback.domain.validation.envelope import check_envelope, encode_within_limit
from askback.domain.validation.form import FormRules
from askback.domain.validation.known_fields import KnownFields, fields_key, with_fields
from askback.domain.validation.parts import SoundParts
from askback.domain.validation.report import Report
from askback.domain.validation.structure import Steps, report_structure, report_surrogates
from askback.domain.validation.text_check import TextCheck
from askback.domain.validation.texts import may_be_deceptive
from askback.domain.validation.verdict import check_errors


def is_normalized(body: Mapping[str, Any], encoded: bytes) -> bool:
    """Return whether a body that `check_ask` accepted can be stored unchanged; `encoded` is its JSON."""
    if b"null" in encoded or isinstance(body.get("agent"), str):
        return False
    form: Mapping[str, Any] = body["form"]
    if "fields" in form:
        return _all_spelt_out(form["fields"])
    return all(_all_spelt_out(section["fields"]) for section in form["sections"])


def _all_spelt_out(fields: Sequence[Mapping[str, Any]]) -> bool:
    for field in fields:
        options = field.get("options")
        if options is None:
            if field["type"] in ("select", "radio", "multiselect"):
                return False  # a confirm whose options were added just now, or options of a source
        elif not options or any(type(option) is not dict or "value" not in option for option in options):
            return False
    return True


_FIELD_CACHE = KnownFields()


def check_ask(body: object, *, limits: Limits = DEFAULTS) -> Ask:
    """Return the body of `POST /v1/requests` as an `Ask`, its options as objects and `confirm` with Yes and No.

    Raises `Faults` with every error and its path in the body.
    """
    return _check(body, limits)[0]


def read_ask(body: object, *, limits: Limits = DEFAULTS) -> tuple[Ask, str]:
    """Return the result of `check_ask`, and the JSON text to store and show."""
    ask, text = _check(body, limits)
    if is_normalized(cast("Mapping[str, Any]", body), text):
        return ask, text.decode()
    return ask, ask.model_dump_json(exclude_none=True)


def _check(body: object, limits: Limits) -> tuple[Ask, bytes]:
    report = Report()
    text = encode_within_limit(body, report, limits, path="")
    text_check = TextCheck(report, suspicious=may_be_deceptive(text), limits=limits)
    key = None if text_check.suspicious or text is None else fields_key(body)
    known_fields = None if key is None else _FIELD_CACHE.find(key, limits)
    try:
        ask = Ask.model_validate(
            body if known_fields is None else with_fields(body, known_fields), by_name=False
        )
        surrogate_paths = set[Steps]() if text is not None else report_surrogates(body, report, path="")
    except ValidationError as error:
        ask, surrogate_paths = None, report_structure(error, body, report, path="")
        surrogate_paths |= report_surrogates(body, report, path="") if text is None else set()
    if ask is None or surrogate_paths:
        _check_parts(body, surrogate_paths, report, text_check, limits)
    else:
        ask = _with_confirm(ask)
        check_envelope(ask, text_check, limits)
        rules = FormRules(report, text_check, limits, "form", known=known_fields is not None)
        rules.check(ask.form, cast("Any", body)["form"])
        paths = form_paths(ask.form) if ask.field_errors else frozenset[str]()
        check_errors(ask.field_errors, ask.error_summary, paths, text_check, limits)
        _check_ends(ask, report, limits)
    report.finish()
    assert ask is not None
    assert text is not None
    if key is not None and known_fields is None and ask.form.fields is not None:
        _keep(key, limits, ask.form.fields)
    return ask, text


def _keep(key: bytes, limits: Limits, fields: list[AnyField]) -> None:
    """Remember sound fields, unless another form may not name them."""
    if all(field.label is not None for field in fields):
        _FIELD_CACHE.keep(key, limits, fields)


def _check_ends(ask: Ask, report: Report, limits: Limits) -> None:
    """Report settings that do not fit the form, such as a default answer without defaults."""
    text_check = TextCheck(report, suspicious=True)
    text_check.line("", "validator", ask.validator, limits.identifier)
    if ask.texts is not None:
        text_check.line("texts", "answered", ask.texts.answered, limits.note)
        text_check.line("texts", "declined", ask.texts.declined, limits.note)
    if (question_limit := ask.question_limit) is not None:
        text_check.line("question_limit", "text", question_limit.text, limits.note)
        lowest, highest = BOUNDS["max_questions"]
        if not lowest <= question_limit.max <= highest:
            report.add("question_limit.max", "out_of_range", min=lowest, max=highest)
    if ask.validator is not None and any(field.sensitive for field in ask.form.all_fields):
        report.add("validator", "validator_with_sensitive")
    if ask.hooks and any(field.sensitive for field in ask.form.all_fields):
        report.add("hooks", "validator_with_sensitive")
    if ask.on_timeout == "default" and not report.count:
        try:
            default_answer(ask.form, limits)
        except Faults:
            report.add("on_timeout", "no_default")


def check_form(raw: object, *, limits: Limits = DEFAULTS) -> Form:
    """Return a form on its own, checked as in `check_ask`; the paths of its faults begin with `form`."""
    report = Report()
    raw = raw.model_dump(exclude_none=True) if isinstance(raw, Form) else raw
    text = encode_within_limit(raw, report, limits, path="form")
    text_check = TextCheck(report, suspicious=may_be_deceptive(text), limits=limits)
    rules = FormRules(report, text_check, limits, "form")
    try:
        form = Form.model_validate(raw, by_name=False)
        surrogate_paths = set[Steps]() if text is not None else report_surrogates(raw, report, path="form")
    except ValidationError as error:
        form, surrogate_paths = None, report_structure(error, raw, report, path="form")
        surrogate_paths |= report_surrogates(raw, report, path="form") if text is None else set()
    if form is None or surrogate_paths:
        _check_form_parts(raw, surrogate_paths, (), rules)
    else:
        form = with_yes_no(form)
        rules.check(form, cast("Mapping[str, Any]", raw))
    report.finish()
    assert form is not None
    return form


def _check_parts(
    body: object, faulty_steps: set[Steps], report: Report, text_check: TextCheck, limits: Limits
) -> None:
    ask = SoundParts(faulty_steps).ask(body)
    if ask is None:
        return
    check_envelope(ask, text_check, limits)
    raw = cast("Mapping[str, object]", body).get("form")
    _check_form_parts(raw, faulty_steps, ("form",), FormRules(report, text_check, limits, "form"))


def _check_form_parts(raw: object, faulty_steps: set[Steps], steps: Steps, rules: FormRules) -> None:
    form = SoundParts(faulty_steps).form(raw, steps)
    if form is not None:
        shape_known = not faulty_steps & {(*steps, "fields"), (*steps, "sections")}
        rules.check(with_yes_no(form), cast("Mapping[str, Any]", raw), shape_known=shape_known)


def _with_confirm(ask: Ask) -> Ask:
    form = with_yes_no(ask.form)
    return ask if form is ask.form else ask.model_copy(update={"form": form})


def with_yes_no(form: Form) -> Form:
    """Add Yes and No to every `confirm` without options; returns the same form if there is none."""
    changes: dict[str, Any] = {}
    if form.fields is not None and any(map(is_yes_no, form.fields)):
        changes["fields"] = _confirmed_fields(form.fields)
    if form.sections is not None and any(is_yes_no(f) for s in form.sections for f in s.fields or ()):
        changes["sections"] = [
            section.model_copy(update={"fields": _confirmed_fields(section.fields)})
            for section in form.sections
        ]
    return form.model_copy(update=changes) if changes else form


def _confirmed_fields(fields: Sequence[AnyField]) -> list[AnyField]:
    return [field.model_copy(update={"options": YES_NO}) if is_yes_no(field) else field for field in fields]
