"""Checks the part that all kinds of requests share: thread, agent, assignees, deadline."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from askback.domain.access import GROUP_PREFIX
from askback.domain.deadlines import EscalationStep
from askback.domain.faults import join
from askback.domain.limits import Limits
from askback.domain.request import Envelope
from askback.domain.validation.report import Report
from askback.domain.validation.structure import encode_body, report_structure, report_surrogates
from askback.domain.validation.text_check import TextCheck
from askback.domain.validation.texts import is_blank, may_be_deceptive

EnvelopeType = TypeVar("EnvelopeType", bound=Envelope)


def read_asked(model: type[EnvelopeType], body: object, limits: Limits) -> tuple[EnvelopeType, TextCheck]:
    """Return a body of `POST /v1/requests` as its model with a checked envelope, and the checker for its other texts.

    Raises `Faults` for a wrong size or structure; other faults are in the report of the checker.
    """
    report = Report()
    text = encode_within_limit(body, report, limits, path="")
    if text is None:
        report_surrogates(body, report, path="")
    try:
        envelope = model.model_validate(body, by_name=False)
    except ValidationError as error:
        report_structure(error, body, report, path="")
        report.finish()
        raise
    report.finish()
    text_check = TextCheck(report, suspicious=may_be_deceptive(text), limits=limits)
    check_envelope(envelope, text_check, limits)
    return envelope, text_check


def encode_within_limit(body: object, report: Report, limits: Limits, *, path: str) -> bytes | None:
    """Return a request as JSON, None if that is not possible; raises `Faults` if it is too large."""
    text = encode_body(body)
    if text is not None and len(text) > limits.request_bytes:
        report.add(path, "too_long.request", max=limits.request_bytes)
        report.finish()
    return text


def check_envelope(envelope: Envelope, text_check: TextCheck, limits: Limits) -> None:
    """Report the faults of the envelope into the report of `text_check`."""
    report = text_check.report
    for name in ("thread_id", "run_id", "message_id"):
        text_check.identifier(name, getattr(envelope, name))
    for name in ("external_id", "tool_call_id", "exclusive_key"):
        text_check.line("", name, getattr(envelope, name), limits.identifier)
    if envelope.metadata is not None:
        check_metadata(envelope.metadata, report, limits)
    if envelope.agent is not None:
        text_check.line("agent", "name", envelope.agent.name, limits.identifier)
        text_check.line("agent", "tool", envelope.agent.tool, limits.identifier)
    if envelope.assignees is not None:
        _check_assignees(envelope.assignees, text_check, limits)
    if envelope.escalation is not None:
        _check_escalation(envelope.escalation, text_check, limits)
        timeout_s = envelope.timeout(limits)
        ends = getattr(envelope, "on_timeout", "expire") != "resume"  # each kind has its own
        if timeout_s is not None and ends and envelope.timeout_from == "created":
            _check_deadline(envelope.escalation, timeout_s, report)
    check_timeout(envelope.timeout_s, report, limits)


def check_metadata(metadata: object, report: Report, limits: Limits) -> None:
    """Report metadata that is larger than the limit."""
    text = encode_body(metadata)
    if text is not None and len(text) > limits.metadata_bytes:
        report.add("metadata", "too_long.metadata", max=limits.metadata_bytes)


def check_timeout(timeout_s: float | None, report: Report, limits: Limits) -> None:
    """Report a deadline that is too short or too long."""
    if timeout_s is not None and not limits.min_timeout_s <= timeout_s <= limits.max_timeout_s:
        report.add("timeout_s", "out_of_range", min=limits.min_timeout_s, max=limits.max_timeout_s)


def _check_assignees(assignees: list[str], text_check: TextCheck, limits: Limits) -> None:
    if not assignees:
        text_check.report.add("assignees", "too_few", min=1)
    check_people("assignees", assignees, text_check, limits)


def check_people(path: str, people: list[str], text_check: TextCheck, limits: Limits) -> None:
    """Check a list of assignees: not too many, each once, none blank, too long or a group without a name."""
    report = text_check.report
    if len(people) > limits.assignees:
        report.add(path, "too_many", max=limits.assignees)
    checked_people = set[str]()
    for index, name in enumerate(people[: limits.assignees]):
        item_path = join(path, index)
        text_check.at(item_path, name, limits.identifier)
        if name.startswith(GROUP_PREFIX) and is_blank(name.removeprefix(GROUP_PREFIX)):
            report.add(item_path, "empty.group")
        if name in checked_people:
            report.add(item_path, "duplicate_value")
        checked_people.add(name)


def _check_escalation(steps: list[EscalationStep], text_check: TextCheck, limits: Limits) -> None:
    """Check that steps are in order and that each does something."""
    report = text_check.report
    if len(steps) > limits.escalation:
        report.add("escalation", "too_many", max=limits.escalation)
    previous_after_s = 0.0
    for index, step in enumerate(steps[: limits.escalation]):
        item_path = join("escalation", index)
        if not limits.min_timeout_s <= step.after_s <= limits.max_timeout_s:
            report.add(
                join(item_path, "after_s"),
                "out_of_range.needed",
                min=limits.min_timeout_s,
                max=limits.max_timeout_s,
            )
        elif step.after_s <= previous_after_s:
            report.add(join(item_path, "after_s"), "not_after_the_one_before")
        previous_after_s = max(previous_after_s, step.after_s)
        if not step.notify and not step.assign:
            report.add(item_path, "step_without_effect")
        check_people(join(item_path, "notify"), step.notify, text_check, limits)
        check_people(join(item_path, "assign"), step.assign, text_check, limits)


def _check_deadline(steps: list[EscalationStep], timeout_s: float, report: Report) -> None:
    """Report steps that a request with this deadline does not reach."""
    for index, step in enumerate(steps):
        if step.after_s >= timeout_s:
            report.add(join(join("escalation", index), "after_s"), "not_before_deadline", max=timeout_s)
