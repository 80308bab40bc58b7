"""Answer forms with sensitive fields: their values are sealed, and the answer only says that they are set.

Other fields are answered as usual. The body is parsed only here, and by no pydantic model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import Any, cast

from askback.domain import jsontext
from askback.domain.faults import Fault, Faults, fault
from askback.domain.files import Uploads
from askback.domain.lifecycle import Transition
from askback.domain.limits import Limits
from askback.domain.record import Record
from askback.domain.secrets.secret import RawBody, Secret
from askback.domain.shown_texts import shown_form
from askback.domain.spec import Spec
from askback.domain.validation.answer import check_answer
from askback.domain.validation.report import MAX_FAULTS, Report
from askback.domain.validation.secret import padding_warnings
from askback.domain.validation.text_check import check_languages
from askback.domain.values import frozen
from askback.ports.policy import SideEffects
from askback.ports.secrets import Grant, SecretLocation, SecretRecord, VersionTaken
from askback.ports.store import Change, Claim, Principal
from askback.service.context import Services
from askback.service.lifecycle.admission import admit, parse_for_caller
from askback.service.lifecycle.idempotency import idempotency_claim, with_submission
from askback.service.lifecycle.option_sources import check_chosen
from askback.service.lifecycle.read import require_revision
from askback.service.lifecycle.settle import replayed, settle
from askback.service.lifecycle.uploads import uploads_of
from askback.service.secrets.locations import REQUEST_SCOPE
from askback.service.secrets.sealing import seal_values


async def answer_sensitive_form(
    ctx: Services, principal: Principal, record: Record, body: RawBody, *, key: str | None
) -> Change:
    """Settle a form with sensitive fields; see `answer_request_bytes`. Raises `Faults` that name fields only."""
    spec = record.spec
    uploads = await uploads_of(ctx, principal, record)
    payload = await parse_for_caller(
        ctx, principal, record, lambda: body.read(lambda text: _check(text, spec, ctx.limits, uploads))
    )
    claim = idempotency_claim(principal, f"answer:{record.id}", key, payload.claim_payload)
    if (earlier_change := await replayed(ctx, claim)) is not None:
        return with_submission(earlier_change, payload.revision)
    await admit(ctx, principal, record)
    record = await require_revision(ctx, principal, record, payload.revision)
    if payload.faults:
        raise Faults(payload.faults)
    sourced_labels = await check_chosen(ctx, record, payload.values, user=principal.user)
    while True:
        try:
            change = await _settle(ctx, principal, record, payload, claim, sourced_labels)
        except VersionTaken:
            continue  # the same answer came twice concurrently; the next try finds the settled request
        return replace(change, warnings=padding_warnings(payload.secrets, "values"))


async def _settle(
    ctx: Services,
    principal: Principal,
    record: Record,
    checked_answer: _CheckedAnswer,
    claim: Claim | None,
    sourced_labels: Mapping[str, Sequence[str]],
) -> Change:
    location = SecretLocation(REQUEST_SCOPE, record.id)
    sealed = await seal_values(
        ctx, principal, checked_answer.secrets, location, owner=record.access.owner, request_id=record.id
    )
    answer: dict[str, Any] = {"values": {**checked_answer.values, **_references(sealed)}}
    shown_parts = shown_form(record.spec, checked_answer.values, checked_answer.languages, sourced_labels)
    parts = (
        ("other", checked_answer.other),
        ("skipped", checked_answer.skipped),
        ("control", checked_answer.control),
        ("shown", shown_parts),
    )
    answer |= {name: part for name, part in parts if part}
    references = tuple(
        Grant(item.tenant, record.thread_id, record.requester, item.id, item.id, record.id) for item in sealed
    )
    return await settle(
        ctx,
        record,
        Transition.ANSWER,
        {"source": "responder", "answer": answer},
        by=principal,
        claim=claim,
        effects=SideEffects(secrets=sealed, grants=references),
    )


def _references(secrets: tuple[SecretRecord, ...]) -> dict[str, Any]:
    """Return the agent's replacement for the values: that they are set, and the reference to lease them."""
    return {secret.name: {"set": True, "ref": secret.id} for secret in secrets}


@frozen(slots=True)
class _CheckedAnswer:
    """A parsed and checked answer; an error that shows it cannot show a value.

    An idempotency key is bound to `claim_payload`. `values` has None for each field in `secrets`.
    """

    revision: int
    claim_payload: str = field(repr=False)
    faults: Sequence[Fault] = ()
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    other: Mapping[str, bool] = field(default_factory=dict[str, bool])
    skipped: Mapping[str, bool] = field(default_factory=dict[str, bool])
    control: str | None = None
    secrets: Mapping[str, Secret] = field(default_factory=dict[str, Secret])
    languages: Sequence[str] = ()


def _check(body: bytes, spec: Spec, limits: Limits, uploads: Uploads) -> _CheckedAnswer:
    revision, sent_values, skipped, control, languages = _members(body, limits)
    names = spec.sensitive
    plain_values = {name: value for name, value in sent_values.items() if name not in names}
    optional_members = [part for part in (skipped, control) if part]
    body_json = json.dumps([revision, plain_values, sorted(sent_values), *optional_members])
    try:
        checked_cleaned_answer = check_answer(
            spec.form, sent_values, skipped, control=control, limits=limits, uploads=uploads
        )
    except Faults as error:
        return _CheckedAnswer(revision, body_json, faults=_without_keys(error.for_reader(languages).faults))
    return _CheckedAnswer(
        revision,
        body_json,
        values={
            name: None if name in names else value for name, value in checked_cleaned_answer.values.items()
        },
        other=checked_cleaned_answer.other,
        skipped=checked_cleaned_answer.skipped,
        control=checked_cleaned_answer.control,
        secrets={
            name: _secret(value) for name, value in checked_cleaned_answer.values.items() if name in names
        },
        languages=languages,
    )


def _without_keys(faults: Sequence[Fault]) -> Sequence[Fault]:
    """Return faults whose paths do not repeat an unknown key, because it may be a pasted value."""
    rewritten = (
        replace(item, path="values")
        if item.code == "unknown_field" and item.path.startswith("values")
        else item
        for item in faults
    )
    return list({(item.path, item.code): item for item in rewritten}.values())


_KEYS = {"revision", "values", "skipped", "control", "languages"}


def _members(body: bytes, limits: Limits) -> tuple[int, dict[str, Any], list[str], str | None, Sequence[str]]:
    members = jsontext.parse(body, limits=limits)
    if not isinstance(members, dict):
        raise Faults([fault("", "wrong_type.object")])
    request_members = cast("dict[str, Any]", members)
    revision, values = request_members.get("revision"), request_members.get("values")
    faults = [] if request_members.keys() <= _KEYS else [fault("", "unknown_field.key")]
    if type(revision) is not int:
        faults.append(fault("revision", "missing_required" if revision is None else "wrong_type.integer"))
    if not isinstance(values, dict):
        faults.append(fault("values", "missing_required" if values is None else "wrong_type.answers"))
    skipped: object = [] if request_members.get("skipped") is None else request_members["skipped"]
    if not isinstance(skipped, list):
        faults.append(fault("skipped", "wrong_type.list"))
    else:
        items = enumerate(cast("list[object]", skipped))
        faults += [
            fault(f"skipped[{index}]", "wrong_type.string") for index, id_ in items if type(id_) is not str
        ]
    control = request_members.get("control")
    if control is not None and not isinstance(control, str):
        faults.append(fault("control", "wrong_type.string"))
    report = Report()
    languages = check_languages(request_members.get("languages"), report, limits)
    faults += report.faults
    if faults:
        raise Faults(faults[:MAX_FAULTS])
    return (
        cast("int", revision),
        cast("dict[str, Any]", values),
        cast("list[str]", skipped),
        cast("str | None", control),
        languages,
    )


def _secret(value: object) -> Secret:
    """Wrap a checked value; a value that is no string is stored as JSON."""
    return Secret(value if isinstance(value, str) else json.dumps(value))
