"""The part that every kind of request has: where in which conversation, by whom, for whom, for how long."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from askback.domain.deadlines import EscalationStep
from askback.domain.faults import join
from askback.domain.limits import Limits
from askback.domain.request import Envelope
from askback.domain.validation.prose import Prose
from askback.domain.validation.report import Report
from askback.domain.validation.structure import encoded, report_structure, report_surrogates
from askback.domain.validation.texts import may_be_deceptive

Asked = TypeVar("Asked", bound=Envelope)


def read_asked(model: type[Asked], body: object, limits: Limits) -> tuple[Asked, Prose]:
    """Return a body of `POST /v1/requests` as its model, its envelope checked, and what checks the rest of its texts.

    Raises `Faults` for what is wrong with the size and the structure; other faults are in the report of the prose.
    """
    report = Report()
    text = bounded(body, report, limits, path="")
    if text is None:
        report_surrogates(body, report, path="")
    try:
        asked = model.model_validate(body)
    except ValidationError as error:
        report_structure(error, body, report, path="")
        report.finish()
        raise
    report.finish()
    prose = Prose(report, suspicious=may_be_deceptive(text))
    check_envelope(asked, prose, limits)
    return asked, prose


def bounded(body: object, report: Report, limits: Limits, *, path: str) -> bytes | None:
    """Return what is asked as JSON, None where that cannot be; raises `Faults` for one that is too large."""
    text = encoded(body)
    if text is not None and len(text) > limits.request_bytes:
        report.add(path, "too_long.request", max=limits.request_bytes)
        report.finish()
    return text


def check_envelope(asked: Envelope, prose: Prose, limits: Limits) -> None:
    """Report what is wrong with the envelope, into the report of `prose`."""
    report = prose.report
    for name in ("thread_id", "run_id", "message_id", "tool_call_id", "exclusive_key"):
        prose.line("", name, getattr(asked, name), limits.identifier)
    if asked.agent is not None:
        prose.line("agent", "name", asked.agent.name, limits.identifier)
        prose.line("agent", "tool", asked.agent.tool, limits.identifier)
    if asked.assignees is not None:
        _check_assignees(asked.assignees, prose, limits)
    if asked.escalation is not None:
        _check_escalation(asked.escalation, prose, limits)
    timeout = asked.timeout_s
    if timeout is not None and not limits.min_timeout_s <= timeout <= limits.max_timeout_s:
        report.add("timeout_s", "out_of_range", min=limits.min_timeout_s, max=limits.max_timeout_s)


def _check_assignees(assignees: list[str], prose: Prose, limits: Limits) -> None:
    if not assignees:
        prose.report.add("assignees", "too_few", min=1)
    _check_people("assignees", assignees, prose, limits)


def _check_people(path: str, people: list[str], prose: Prose, limits: Limits) -> None:
    report = prose.report
    if len(people) > limits.assignees:
        report.add(path, "too_many", max=limits.assignees)
    known = set[str]()
    for index, name in enumerate(people[: limits.assignees]):
        at = join(path, index)
        prose.at(at, name, limits.identifier)
        if name in known:
            report.add(at, "duplicate_value")
        known.add(name)


def _check_escalation(steps: list[EscalationStep], prose: Prose, limits: Limits) -> None:
    """Each step comes after the one before and does something."""
    report = prose.report
    if len(steps) > limits.escalation:
        report.add("escalation", "too_many", max=limits.escalation)
    before = 0.0
    for index, step in enumerate(steps[: limits.escalation]):
        at = join("escalation", index)
        if not limits.min_timeout_s <= step.after_s <= limits.max_timeout_s:
            report.add(
                join(at, "after_s"), "out_of_range.needed", min=limits.min_timeout_s, max=limits.max_timeout_s
            )
        elif step.after_s <= before:
            report.add(join(at, "after_s"), "not_after_the_one_before")
        before = max(before, step.after_s)
        if not step.notify and not step.assign:
            report.add(at, "step_without_effect")
        _check_people(join(at, "notify"), step.notify, prose, limits)
        _check_people(join(at, "assign"), step.assign, prose, limits)
