"""Create and answer requests of kinds that packages add (`ports/kinds.py`)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from pydantic import ValidationError
from pydantic_core import to_json

from askback.domain.faults import Fault, Faults, fault
from askback.domain.lifecycle import Transition
from askback.domain.record import Record
from askback.domain.request import PackageRequest
from askback.domain.validation.envelope import read_asked
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse, report_structure
from askback.domain.validation.text_check import TextCheck
from askback.errors import Conflict
from askback.ports.kinds import KindExtension
from askback.ports.store import Change, Claim, Principal
from askback.service.access import sharing
from askback.service.context import Services
from askback.service.lifecycle import refusals
from askback.service.lifecycle.admission import admit, parse_for_caller
from askback.service.lifecycle.idempotency import (
    idempotency_claim,
    labels_of,
    require_new,
    with_submission,
)
from askback.service.lifecycle.opening import new_record, open_request
from askback.service.lifecycle.read import require_revision
from askback.service.lifecycle.settle import replayed, settle
from askback.wire.bodies import PackageAnswerBody

_T = TypeVar("_T")

log = logging.getLogger(__name__)


async def create_package_request(
    ctx: Services, principal: Principal, body: object, *, key: str | None
) -> Change:
    """Create a request from a `PackageRequest` whose kind is registered; see `create.create_request`.

    Raises `Faults`, and `Conflict` (`kind_failed`) if the code of the package fails.
    """
    package, text_check = read_asked(PackageRequest, body, ctx.limits)
    text_check.report.finish()
    extension = ctx.kinds[package.kind]
    claim = idempotency_claim(principal, "create", key, package)
    thread_config = await sharing.require_to_ask(ctx, principal, package.thread_id)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return earlier_change
    labels = labels_of(package, package)
    await require_new(ctx, principal, package.thread_id, labels)
    data = _read(extension, lambda: extension.ask.model_validate(package.data), package.data)
    summary = _line(ctx, _run(extension, lambda: extension.summary(data)))
    members = {**package.model_dump(exclude_none=True), "summary": summary}
    record = new_record(
        ctx,
        principal,
        package,
        to_json(members).decode(),
        kind="package",
        timeout_s=package.timeout_s,
        labels=labels,
    )
    if (refused_request := await refusals.find_refused(ctx, record, thread_config)) is not None:
        return await refusals.repeat_refusal(ctx, record, refused_request, key=key)
    return await open_request(ctx, principal, package, record, claim, thread_config)


async def answer_package_request(
    ctx: Services,
    principal: Principal,
    record: Record,
    body: object,
    *,
    key: str | None,
    claim: Claim | None = None,
) -> Change:
    """Settle a request with a `PackageAnswerBody`; see `answer_request`, which has checked the role.

    Raises `Conflict` (`kind_not_registered`) if the package is no longer installed.
    """
    payload = await parse_for_caller(ctx, principal, record, lambda: parse(PackageAnswerBody, body))
    claim = claim or idempotency_claim(principal, f"answer:{record.id}", key, payload)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return with_submission(earlier_change, payload.revision)
    await admit(ctx, principal, record)
    record = await require_revision(ctx, principal, record, payload.revision)
    package = record.spec.package
    extension = ctx.kinds.get(package.kind)
    if extension is None:
        raise Conflict(
            f"No package on this server adds the kind '{package.kind}'. Dismiss the request, or ask the operator to "
            "install that package.",
            code="kind_not_registered",
            request=record.as_dict(),
        )
    question = _run(extension, lambda: extension.ask.model_validate(package.data))
    answer_model = _read(extension, lambda: extension.answer.model_validate(payload.data), payload.data)
    if answer_faults := _run(extension, lambda: extension.check(question, answer_model)):
        raise Faults(_faults(answer_faults))
    text = _run(extension, lambda: extension.text(question, answer_model))[: ctx.limits.note]
    answer = {"data": answer_model.model_dump(mode="json"), "text": text}
    outcome = {"source": "responder", "answer": answer}
    return await settle(ctx, record, Transition.ANSWER, outcome, by=principal, claim=claim)


def _read(extension: KindExtension, read: Callable[[], _T], raw: object) -> _T:
    """Validate data with a model of the package; raises `Faults` below `data`."""
    try:
        return _run(extension, read)
    except ValidationError as error:
        report = Report()
        report_structure(error, raw, report, path="data")
        report.finish()
        raise Faults([fault("data", "wrong_type.json")]) from None


def _run(extension: KindExtension, call: Callable[[], _T]) -> _T:
    """Run code of a package. Its errors are not the caller's fault, and their texts may quote anything."""
    try:
        return call()
    except ValidationError:
        raise
    except Exception as error:
        log.exception("the kind %s failed", extension.name)
        raise Conflict(
            f"The package of the kind {extension.name} failed. Nothing was changed.", code="kind_failed"
        ) from error


def _line(ctx: Services, summary: str) -> str:
    report = Report()
    TextCheck(report, suspicious=True).at("data", summary, ctx.limits.title)
    report.finish()
    return summary


def _faults(errors: Mapping[str, str]) -> list[Fault]:
    return [
        fault(f"data.{path}" if path else "data", "refused_by_kind", message=message)
        for path, message in cast("Mapping[str, Any]", errors).items()
    ]
