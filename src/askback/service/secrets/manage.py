"""List, set and erase stored secrets. No value is ever read here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from askback.domain import jsontext
from askback.domain.access import UNSHARED, AccessLevel
from askback.domain.faults import Fault, Faults, fault
from askback.domain.limits import Limits
from askback.domain.secrets.names import blocked_reason, is_well_formed
from askback.domain.secrets.request import SCOPES
from askback.domain.secrets.secret import RawBody, Secret
from askback.domain.validation.secret import is_padded, value_fault
from askback.domain.validation.texts import text_faults
from askback.errors import Forbidden, NotFound
from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretLocation, SecretRecord, SecretUse, VersionTaken
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.audit_entry import audit_entry
from askback.service.context import Services
from askback.service.secrets.locations import REQUEST_SCOPE, SHARED, location_of
from askback.service.secrets.sealing import seal_values

_MEMBERS = frozenset({"name", "value", "scope", "thread_id", "project", "owner"})


async def list_secrets(
    ctx: Services, principal: Principal, *, limit: int = 50, cursor: str | None = None
) -> tuple[Sequence[SecretRecord], str | None]:
    """Return the secrets that the caller may manage, newest first, and the cursor of the next page or None."""
    await roles.require(ctx, principal, "list_secrets")
    size = max(1, min(limit, ctx.limits.page))
    secrets = await ctx.store.secrets(
        principal.tenant, person=sharing.person_filter(principal), before=cursor, limit=size + 1
    )
    page = [secret for secret in secrets[:size] if _is_in_reach(principal, secret)]
    return page, secrets[size - 1].id if len(secrets) > size else None


async def uses_by_secret(
    ctx: Services, principal: Principal, secrets: Sequence[SecretRecord]
) -> Mapping[str, SecretUse]:
    """Return the last use of each of some secrets that was used, by its id."""
    return await ctx.store.secret_uses(principal.tenant, [secret.id for secret in secrets]) if secrets else {}


async def set_secret(
    ctx: Services, principal: Principal, body: RawBody
) -> tuple[SecretRecord, Sequence[Fault]]:
    """Set a secret, or replace its value; return it, with warnings about the value.

    Raises `Faults` that name fields only, and `VaultLocked`.

    A secret of a thread belongs to the thread's owner; any other is shared unless `owner` is set. Raises `Forbidden`
    for the secrets of another person, and for a thread in which the caller does not have the level `ALL`.
    """
    await roles.require(ctx, principal, "set_secret")
    name, value, location, named_owner = body.read(lambda text: _parse(text, ctx))
    owner = await _owner(ctx, principal, location, named_owner)
    while True:
        try:
            [new_secret] = await seal_values(ctx, principal, {name: value}, location, owner=owner)
            await ctx.store.write(
                SideEffects(
                    secrets=(new_secret,), audit=(_secret_entry(ctx, "secret.set", principal, new_secret),)
                )
            )
        except VersionTaken:
            continue
        return new_secret, [fault("value", "secret_padded")] if is_padded(value) else []


async def erase_secret(ctx: Services, principal: Principal, secret_id: str) -> None:
    """Erase a secret. Raises `NotFound`."""
    await roles.require(ctx, principal, "erase_secret")
    secret = await ctx.store.secret(principal.tenant, secret_id)
    if secret is not None and await can_manage(ctx, principal, secret):
        effects = SideEffects(audit=(_secret_entry(ctx, "secret.drop", principal, secret),))
        if await ctx.store.drop_secret(principal.tenant, secret_id, effects):
            return
    raise NotFound("There is no such secret.")


async def _owner(ctx: Services, principal: Principal, location: SecretLocation, requested: str | None) -> str:
    if location.scope == "session":
        access = await ctx.store.access(principal.tenant, location.subject)
        await sharing.require(
            ctx, principal, access, AccessLevel.ALL, thread_id=location.subject, operation="set_secret"
        )
        return access.owner
    await sharing.require_unlimited(ctx, principal, "set_secret")
    owner = requested or SHARED
    if principal.role != "admin" and owner not in {SHARED, principal.user}:
        await roles.record_refusal(ctx, principal, "set_secret")
        raise Forbidden("Only an admin can set the secrets of another person.")
    return owner


def _is_in_reach(principal: Principal, secret: SecretRecord) -> bool:
    """Return whether the caller's token covers the thread of a secret; an unlimited token covers all."""
    if not sharing.is_thread_limited(principal):
        return True
    return secret.scope == "session" and sharing.token_covers(principal, secret.subject)


async def can_manage(ctx: Services, principal: Principal, secret: SecretRecord) -> bool:
    """Return whether the caller may manage a secret, by the same rules as `SecretStore.secrets`."""
    if not _is_in_reach(principal, secret):
        return False
    if principal.role == "admin" or secret.owner == principal.user:
        return True
    thread_id = secret.subject
    if secret.scope == "session":
        access = await ctx.store.access(secret.tenant, thread_id)
    elif secret.scope == REQUEST_SCOPE:
        request_record = await ctx.store.get(secret.tenant, secret.subject)
        access = UNSHARED if request_record is None else request_record.access
    else:
        return secret.owner == SHARED
    return sharing.level(principal, access, thread_id) >= AccessLevel.ALL


def _secret_entry(ctx: Services, action: str, principal: Principal, secret: SecretRecord) -> Any:
    return audit_entry(
        action,
        at=ctx.clock.now_ms(),
        tenant=principal.tenant,
        by=principal,
        names=[secret.name],
        scope=secret.scope,
        secret_id=secret.id,
        owner=secret.owner or None,
    )


def _parse(body: bytes, ctx: Services) -> tuple[str, Secret, SecretLocation, str | None]:
    members = jsontext.parse(body, limits=ctx.limits)
    if not isinstance(members, dict):
        raise Faults([fault("", "wrong_type.object")])
    request_members = cast("dict[str, object]", members)
    faults = [] if request_members.keys() <= _MEMBERS else [fault("", "unknown_field.key")]
    name, value = request_members.get("name"), request_members.get("value")
    if not isinstance(name, str) or not is_well_formed(name):
        faults.append(fault("name", "not_a_secret_name"))
    elif blocked_reason(name) is not None or name in ctx.blocked_secret_names:
        faults.append(fault("name", "secret_blocked"))
    if value_error := value_fault(value, ctx.limits):
        faults.append(fault("value", value_error, max=ctx.limits.secret_bytes))
    scope = "session" if request_members.get("scope") == "thread" else request_members.get("scope")
    if scope not in SCOPES:
        faults.append(fault("scope", "unknown_value", allowed=", ".join(SCOPES)))
    subjects = {"session": "thread_id", "project": "project"}
    for owner, member in subjects.items():
        subject = request_members.get(member)
        if scope == owner and subject is None:
            faults.append(fault(member, "subject_required"))
        elif scope != owner and subject is not None:
            faults.append(fault(member, "subject_not_allowed"))
        elif subject is not None and not isinstance(subject, str):
            faults.append(fault(member, "wrong_type.string"))
        elif isinstance(subject, str):
            faults += text_faults(member, subject, max_length=ctx.limits.identifier, lines=False)
    faults += _owner_faults(request_members.get("owner"), scope, ctx.limits)
    if faults:
        raise Faults(faults)
    thread_id, project = (
        cast("str", request_members.get("thread_id", "")),
        cast("str | None", request_members.get("project")),
    )
    location = location_of(cast("str", scope), thread_id=thread_id, project=project)
    return (
        cast("str", name),
        Secret(cast("str", value)),
        location,
        cast("str | None", request_members.get("owner")),
    )


def _owner_faults(owner: object, scope: object, limits: Limits) -> list[Fault]:
    if owner is None:
        return []
    if scope == "session":
        return [fault("owner", "subject_not_allowed")]  # it is the thread's
    if not isinstance(owner, str):
        return [fault("owner", "wrong_type.string")]
    return text_faults("owner", owner, max_length=limits.identifier, lines=False)
