"""Seal values as records, each bound to its location and version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic_core import to_json

from askback.domain.secrets.secret import Secret
from askback.domain.timestamps import rfc3339
from askback.ports.secrets import SecretLocation, SecretRecord
from askback.ports.store import Principal
from askback.ports.vault import Binding
from askback.service.context import Services


async def seal_values(
    ctx: Services,
    by: Principal,
    values: Mapping[str, Secret],
    location: SecretLocation,
    *,
    owner: str,
    request_id: str | None = None,
) -> tuple[SecretRecord, ...]:
    """Seal each value as the next version in its location. Raises `VaultLocked` and `KeysUnreachable`."""
    stored_by_name = {
        item.name: item for item in await ctx.store.secrets_at(by.tenant, owner, [location], sorted(values))
    }
    return tuple(
        [
            await _seal_value(ctx, by, name, value, location, owner, stored_by_name.get(name), request_id)
            for name, value in sorted(values.items())
        ]
    )


async def _seal_value(
    ctx: Services,
    principal: Principal,
    name: str,
    value: Secret,
    location: SecretLocation,
    owner: str,
    stored_secret: SecretRecord | None,
    request_id: str | None,
) -> SecretRecord:
    now = ctx.clock.now_ms()
    version = 1 if stored_secret is None else stored_secret.version + 1
    secret_id = ctx.ids.new("sec", now_ms=now) if stored_secret is None else stored_secret.id
    binding = Binding(principal.tenant, owner, location.scope, location.subject, name, version)
    metadata: dict[str, Any] = {
        "id": secret_id,
        "name": name,
        "scope": location.scope,
        "thread_id": location.subject if location.scope == "session" else None,
        "project": location.subject if location.scope == "project" else None,
        "owner": owner or None,
        "version": version,
        "set_at": rfc3339(now),
        "set_by": principal.actor,
        "request_id": request_id,
    }
    wire = to_json({key: part for key, part in metadata.items() if part is not None}).decode()
    return SecretRecord(
        id=secret_id,
        tenant=principal.tenant,
        owner=owner,
        scope=location.scope,
        subject=location.subject,
        name=name,
        version=version,
        sealed=await ctx.vault.seal(binding, value),
        wire=wire,
    )
