"""Secrets over HTTP. Bodies with a value are passed on unread; the lease is the one reply that holds any."""

from __future__ import annotations

from askback.service.secrets import agents, keep, rotate
from askback.service.secrets import lease as leases
from askback.transports.http import Call, Reply, json_reply, text_reply
from askback.transports.rest import query
from askback.transports.texts import leased_text, secrets_text


async def lease(call: Call) -> Reply:
    """`POST /v1/secrets/lease`."""
    return text_reply(leased_text(await leases.lease(call.ctx, call.principal, await call.json())))


async def page(call: Call) -> Reply:
    """`GET /v1/secrets`."""
    found, cursor = await keep.page(
        call.ctx,
        call.principal,
        limit=query.integer(call, "limit", minimum=1, maximum=call.ctx.limits.page) or query.PAGE,
        cursor=query.text(call, "cursor"),
    )
    may_use = await agents.of_each(call.ctx, call.principal, found)
    return text_reply(secrets_text(found, may_use, cursor))


async def put(call: Call) -> Reply:
    """`POST /v1/secrets`."""
    return text_reply((await keep.put(call.ctx, call.principal, await call.body())).wire, status=201)


async def drop(call: Call) -> Reply:
    """`DELETE /v1/secrets/{id}`."""
    await keep.drop(call.ctx, call.principal, call.path["id"])
    return Reply(204)


async def rotate_all(call: Call) -> Reply:
    """`POST /v1/secrets/rotate`."""
    done = await rotate.rotate(call.ctx, call.principal, await call.json())
    return json_reply(done._asdict())


async def read_agents(call: Call) -> Reply:
    """`GET /v1/secrets/{id}/agents`."""
    return json_reply({"agents": await agents.read_agents(call.ctx, call.principal, call.path["id"])})


async def set_agents(call: Call) -> Reply:
    """`PUT /v1/secrets/{id}/agents`."""
    body = await call.json()
    return json_reply({"agents": await agents.set_agents(call.ctx, call.principal, call.path["id"], body)})


async def grant(call: Call) -> Reply:
    """`PUT /v1/secrets/{id}/agents/{agent}`."""
    found = await agents.grant(call.ctx, call.principal, call.path["id"], call.path["agent"])
    return json_reply({"agents": found})


async def revoke(call: Call) -> Reply:
    """`DELETE /v1/secrets/{id}/agents/{agent}`."""
    found = await agents.revoke(call.ctx, call.principal, call.path["id"], call.path["agent"])
    return json_reply({"agents": found})


async def saved(call: Call) -> Reply:
    """`GET /v1/requests/{id}/saved`."""
    return json_reply({"saved": await agents.saved(call.ctx, call.principal, call.path["id"])})
