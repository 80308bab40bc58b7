"""Forms with sensitive fields: what is typed there is sealed, and the answer says only that it is set.

The rest of the form is answered as ever. The body is read here and nowhere else, and no model looks at it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from askback.domain import jsontext
from askback.domain.faults import Faults, fault
from askback.domain.fields import Form
from askback.domain.lifecycle import Action
from askback.domain.record import Record
from askback.domain.request import Answer
from askback.domain.secrets.secret import Secret
from askback.domain.validation.answer import check_answer
from askback.ports.policy import Along
from askback.ports.secrets import Grant, Place, SecretRecord, VersionTaken
from askback.ports.store import Change, Principal
from askback.service.claims import claim
from askback.service.context import Services
from askback.service.secrets.places import SHARED
from askback.service.secrets.sealing import sealed
from askback.service.settle import conflict, lost, settle

REQUEST_SCOPE = "request"
"""Where the sensitive fields of one answer hold."""


def has_sensitive(record: Record) -> bool:
    """Tell whether a form has a sensitive field; most have none, and then nothing is parsed."""
    return '"sensitive":true' in record.spec and bool(_sensitive(_form(record)))


async def answer_fields(
    ctx: Services, principal: Principal, record: Record, body: bytes, *, key: str | None
) -> Change:
    """Settle a form with sensitive fields; see `answer.answer_unread`. Raises `Faults` that name fields only."""
    revision, values = _read(body, ctx)
    form = ctx.newest.form(record)
    names = _sensitive(form)
    plain = {name: value for name, value in values.items() if name not in names}
    claimed = claim(principal, f"answer:{record.id}", key, json.dumps([revision, plain, sorted(values)]))
    if record.settled:
        return await lost(ctx, record, claimed)
    if revision != record.revision:
        raise conflict(record)
    checked = check_answer(form, values, limits=ctx.limits)
    secrets = {name: _secret(checked.values[name]) for name in names if name in checked.values}
    while True:
        try:
            return await _settle(ctx, principal, record, checked, secrets, claimed)
        except VersionTaken:
            continue  # the same answer came twice at once; the settled request says so


async def _settle(
    ctx: Services,
    principal: Principal,
    record: Record,
    checked: Answer,
    secrets: Mapping[str, Secret],
    claimed: Any,
) -> Change:
    where = Place(REQUEST_SCOPE, record.id)
    kept = await sealed(ctx, principal, secrets, where, owner=SHARED, request_id=record.id)
    answer: dict[str, Any] = {"values": {**checked.values, **_references(kept)}}
    if checked.other:
        answer["other"] = checked.other
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
        along=Along(secrets=kept, grants=given),
    )


def _references(kept: tuple[SecretRecord, ...]) -> dict[str, Any]:
    """Return what the agent gets in the place of the values: that they are set, and what to lease them by."""
    return {each.name: {"set": True, "ref": each.id} for each in kept}


def _read(body: bytes, ctx: Services) -> tuple[int, dict[str, Any]]:
    given = jsontext.parse(body, limits=ctx.limits)
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


def _form(record: Record) -> Form:
    return Form.model_validate(json.loads(record.spec)["form"])


def _sensitive(form: Form) -> set[str]:
    return {field.id for field in form.all_fields if field.sensitive}
