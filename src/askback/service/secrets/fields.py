"""Forms with sensitive fields: what is typed there is sealed, and the answer says only that it is set.

The rest of the form is answered as ever. The body is read here and nowhere else, and no model looks at it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from askback.domain import jsontext
from askback.domain.faults import Fault, Faults, fault
from askback.domain.lifecycle import Action
from askback.domain.limits import Limits
from askback.domain.record import Record
from askback.domain.secrets.secret import Secret
from askback.domain.secrets.unread import Unread
from askback.domain.spec import Spec
from askback.domain.validation.answer import check_answer
from askback.ports.policy import SideEffects
from askback.ports.secrets import Grant, Place, SecretRecord, VersionTaken
from askback.ports.store import Change, Principal
from askback.service.admission import admit, readable
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.read import at_revision
from askback.service.secrets.places import REQUEST_SCOPE
from askback.service.secrets.sealing import sealed
from askback.service.settle import replayed, settle
from askback.service.submission import with_submission


async def answer_fields(
    ctx: Services, principal: Principal, record: Record, body: Unread, *, key: str | None
) -> Change:
    """Settle a form with sensitive fields; see `answer.answer_unread`. Raises `Faults` that name fields only."""
    spec = record.spec
    sent = await readable(
        ctx, principal, record, lambda: body.read(lambda text: _read(text, spec, ctx.limits))
    )
    claimed = claim(principal, f"answer:{record.id}", key, sent.said)
    if (before := await replayed(ctx, claimed)) is not None:
        return with_submission(before, sent.revision)
    await admit(ctx, principal, record)
    record = await at_revision(ctx, principal, record, sent.revision)
    if sent.faults:
        raise Faults(sent.faults)
    while True:
        try:
            change = await _settle(ctx, principal, record, sent, claimed)
        except VersionTaken:
            continue  # the same answer came twice at once; the settled request says so
        return change


async def _settle(
    ctx: Services,
    principal: Principal,
    record: Record,
    sent: _Sent,
    claimed: Any,
) -> Change:
    where = Place(REQUEST_SCOPE, record.id)
    kept = await sealed(ctx, principal, sent.secrets, where, owner=record.access.owner, request_id=record.id)
    answer: dict[str, Any] = {"values": {**sent.values, **_references(kept)}}
    if sent.other:
        answer["other"] = sent.other
    given = tuple(
        Grant(each.tenant, record.thread_id, record.requester, each.id, each.id, record.id) for each in kept
    )
    return await settle(
        ctx,
        record,
        Action.ANSWER,
        {"source": "responder", "answer": answer},
        by=principal,
        claim=claimed,
        effects=SideEffects(secrets=kept, grants=given),
    )


def _references(kept: tuple[SecretRecord, ...]) -> dict[str, Any]:
    """Return what the agent gets in the place of the values: that they are set, and what to lease them by."""
    return {each.name: {"set": True, "ref": each.id} for each in kept}


@dataclass(frozen=True, slots=True)
class _Sent:
    """What was sent, read and checked: whoever holds it can fail without showing a value.

    `said` is what an idempotency key is bound to. `values` has None in the place of what is in `secrets`.
    """

    revision: int
    said: str = field(repr=False)
    faults: Sequence[Fault] = ()
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    other: Mapping[str, bool] = field(default_factory=dict[str, bool])
    secrets: Mapping[str, Secret] = field(default_factory=dict[str, Secret])


def _read(body: bytes, spec: Spec, limits: Limits) -> _Sent:
    revision, given = _members(body, limits)
    names = spec.sensitive
    plain = {name: value for name, value in given.items() if name not in names}
    said = json.dumps([revision, plain, sorted(given)])
    try:
        checked = check_answer(spec.form, given, limits=limits)
    except Faults as refused:
        return _Sent(revision, said, faults=refused.faults)
    return _Sent(
        revision,
        said,
        values={name: None if name in names else value for name, value in checked.values.items()},
        other=checked.other,
        secrets={name: _secret(value) for name, value in checked.values.items() if name in names},
    )


def _members(body: bytes, limits: Limits) -> tuple[int, dict[str, Any]]:
    given = jsontext.parse(body, limits=limits)
    if not isinstance(given, dict):
        raise Faults([fault("", "wrong_type.object")])
    sent = cast("dict[str, Any]", given)
    revision, values = sent.get("revision"), sent.get("values")
    faults = [] if sent.keys() <= {"revision", "values"} else [fault("", "unknown_field.key")]
    if type(revision) is not int:
        faults.append(fault("revision", "missing_required" if revision is None else "wrong_type.integer"))
    if not isinstance(values, dict):
        faults.append(fault("values", "missing_required" if values is None else "wrong_type.answers"))
    if faults:
        raise Faults(faults)
    return cast("int", revision), cast("dict[str, Any]", values)


def _secret(value: object) -> Secret:
    """Hold a checked value; what is no text is kept as its JSON."""
    return Secret(value if isinstance(value, str) else json.dumps(value))
