"""Server information for admins."""

from __future__ import annotations

from importlib.metadata import version

from askback.domain.audit import SealStatus
from askback.domain.values import frozen
from askback.ports.audit import AuditHead
from askback.ports.health import Schema
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.audit.seal import read_head, seal_status
from askback.service.context import Services

VERSION = version("askback")


@frozen(slots=True)
class ServerInfo:
    """askback's version, its database, the reason if it is read-only, and the head of the audit log."""

    version: str
    schema: Schema
    read_only: str | None
    head: AuditHead
    seal: SealStatus


async def get_server(ctx: Services, principal: Principal) -> ServerInfo:
    """Return the version and storage of this server, and the head of the tenant's audit log. Admins only."""
    await roles.require(ctx, principal, "get_server")
    head = await read_head(ctx, principal.tenant)
    return ServerInfo(VERSION, ctx.store.schema(), ctx.store.read_only(), head, await seal_status(ctx, head))
