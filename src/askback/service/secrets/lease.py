"""Lease the values of secrets to an agent's executor: the only place where values leave the server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fnmatch import fnmatchcase

from askback.domain.check import probe_deadline
from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.lifecycle import Status
from askback.domain.secrets.names import is_well_formed
from askback.domain.secrets.secret import Secret
from askback.domain.validation.structure import parse
from askback.domain.values import frozen
from askback.errors import Conflict, Forbidden, NotFound
from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretRecord, SecretUse
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.lifecycle.read import get_request
from askback.service.secrets.accept import values_under_test
from askback.service.secrets.locations import binding
from askback.wire.bodies import LeaseBody


@frozen(slots=True)
class LeasedSecret:
    """A value that an executor may use until `expires_at` (ms)."""

    secret: Secret
    record: SecretRecord
    expires_at: int


async def lease_secrets(ctx: Services, principal: Principal, body: object) -> dict[str, LeasedSecret]:
    """Return the values of a `LeaseBody` by name or by reference. Every lease is in the audit log.

    Raises `NotFound` (`not_granted`) if the agent has no grant for one of them in this thread, `Conflict`
    (`secret_gone`), `CannotOpen`, `VaultLocked`, `Faults`, and `Forbidden` outside the limits of a runner's token.
    """
    await roles.require(ctx, principal, "lease_secrets")
    payload = parse(LeaseBody, body)
    _check(ctx, payload)
    requested = [*payload.names, *payload.refs]
    _check_limits(principal, payload.thread_id, requested)
    secrets = (
        await _submitted_candidates(ctx, principal, payload)
        if payload.request_id
        else await _granted_secrets(ctx, principal, payload)
    )
    missing_names = [name for name in requested if name not in secrets]
    if missing_names:
        raise NotFound(
            "This agent may not use all of these secrets in this thread. Request the others first.",
            code="not_granted",
            field_errors=_field_errors(payload, missing_names, "not_granted", "Ask a person for it first."),
        )
    now = ctx.clock.now_ms()
    entry = audit_entry(
        "secret.lease",
        at=now,
        tenant=principal.tenant,
        by=principal,
        thread_id=payload.thread_id,
        request_id=payload.request_id,
        names=sorted(secrets),
    )
    requester = json.dumps(principal.actor)
    uses = tuple(SecretUse(principal.tenant, record.id, now, requester) for record in secrets.values())
    await ctx.store.write(SideEffects(audit=(entry,), secret_uses=uses))
    leased_until = now + ctx.limits.lease_s * 1000
    return {
        name: LeasedSecret(await ctx.vault.open(binding(record), record.sealed), record, leased_until)
        for name, record in secrets.items()
    }


async def _granted_secrets(
    ctx: Services, principal: Principal, payload: LeaseBody
) -> dict[str, SecretRecord]:
    agent = None if principal.role == "runner" else principal.id
    access = await ctx.store.access(principal.tenant, payload.thread_id)
    if not sharing.admits(access, principal):
        return {}  # its grants are void without access to the thread
    requested = [*payload.names, *payload.refs]
    rows = await ctx.store.granted(principal.tenant, payload.thread_id, requested, requester=agent)
    erased_names = sorted(grant.name for grant, record in rows if record is None)
    if erased_names:
        raise Conflict(
            f"{', '.join(erased_names)} was deleted. Ask for it again.",
            code="secret_gone",
            field_errors=_field_errors(
                payload, erased_names, "secret_gone", "It was deleted. Ask for it again."
            ),
        )
    return {grant.name: record for grant, record in rows if record is not None}


async def _submitted_candidates(
    ctx: Services, principal: Principal, payload: LeaseBody
) -> dict[str, SecretRecord]:
    """Return the values under test: the typed ones, and the stored ones that the person chose."""
    assert payload.request_id is not None
    record = await get_request(ctx, principal, payload.request_id)
    if (
        record.status is not Status.RESOLVING
        or record.thread_id != payload.thread_id
        or probe_deadline(record)
    ):
        raise Conflict(
            "No values of this request are being tested. To lease stored values, leave out `request_id`.",
            code="not_resolving",
        )
    return {item.name: item for item in await values_under_test(ctx, record) if item.name in payload.names}


def _field_errors(payload: LeaseBody, names: Sequence[str], code: str, message: str) -> list[dict[str, str]]:
    """Return a field error for each of these names, with its path in the body."""
    return [
        {"path": join(path, index), "code": code, "message": message}
        for path, requested in (("names", payload.names), ("refs", payload.refs))
        for index, item in enumerate(requested)
        if item in names
    ]


def _check(ctx: Services, payload: LeaseBody) -> None:
    faults: list[Fault] = []
    if not payload.names and not payload.refs:
        faults.append(fault("names", "too_few", min=1))
    for path, names in (("names", payload.names), ("refs", payload.refs)):
        if len(names) > ctx.limits.batch:
            faults.append(fault(path, "too_many", max=ctx.limits.batch))
            continue
        faults += [
            fault(join("names", n), "not_a_secret_name")
            for n, item in enumerate(names if path == "names" else ())
            if not is_well_formed(item)
        ]
        faults += [
            fault(join(path, n), "duplicate_value") for n, name in enumerate(names) if name in names[:n]
        ]
    if faults:
        raise Faults(faults)


def _check_limits(principal: Principal, thread_id: str, names: Sequence[str]) -> None:
    """Raise `Forbidden` for a thread, or for a runner also a name, that the token does not cover."""
    if principal.role != "runner":
        if not sharing.token_covers(principal, thread_id):
            raise sharing.no_such_thread()
        return
    is_covered = any(fnmatchcase(thread_id, thread) for thread in principal.threads)
    if not is_covered or not all(any(fnmatchcase(name, item) for item in principal.names) for name in names):
        raise Forbidden("This token does not allow these names in this thread. See its `lease`.")
