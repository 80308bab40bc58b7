"""The part that every kind of request has: where in which conversation, by whom, for whom, for how long."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

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
    text = encoded(body)
    if text is not None and len(text) > limits.request_bytes:
        report.add("", "too_long.request", max=limits.request_bytes)
        report.finish()
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


def check_envelope(asked: Envelope, prose: Prose, limits: Limits) -> None:
    """Report what is wrong with the envelope, into the report of `prose`."""
    report = prose.report
    for name in ("thread_id", "run_id", "message_id", "tool_call_id"):
        prose.line("", name, getattr(asked, name), limits.identifier)
    if asked.agent is not None:
        prose.line("agent", "name", asked.agent.name, limits.identifier)
        prose.line("agent", "tool", asked.agent.tool, limits.identifier)
    if asked.assignees is not None:
        _check_assignees(asked.assignees, prose, limits)
    timeout = asked.timeout_s
    if timeout is not None and not limits.min_timeout_s <= timeout <= limits.max_timeout_s:
        report.add("timeout_s", "out_of_range", min=limits.min_timeout_s, max=limits.max_timeout_s)


def _check_assignees(assignees: list[str], prose: Prose, limits: Limits) -> None:
    report = prose.report
    if not assignees:
        report.add("assignees", "too_few", min=1)
    if len(assignees) > limits.assignees:
        report.add("assignees", "too_many", max=limits.assignees)
    known = set[str]()
    for index, name in enumerate(assignees[: limits.assignees]):
        path = join("assignees", index)
        prose.at(path, name, limits.identifier)
        if name in known:
            report.add(path, "duplicate_value")
        known.add(name)
