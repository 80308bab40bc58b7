"""Agents and tokens over HTTP."""

from __future__ import annotations

from askback.service import agents, credentials, tokens
from askback.transports.http import Call, Reply, json_reply
from askback.transports.rest import query


async def create_token(call: Call) -> Reply:
    """`POST /v1/tokens`: the token, shown this once, and what is kept of it."""
    made = await credentials.create_token(call.ctx, call.principal, await call.json())
    return json_reply({"token": made.secret, **tokens.shown(made.token)}, status=201)


async def list_tokens(call: Call) -> Reply:
    """`GET /v1/tokens`: a page of tokens, never their secrets."""
    limit = query.integer(call, "limit", minimum=1) or query.PAGE
    found, cursor = await credentials.list_tokens(
        call.ctx,
        call.principal,
        agent=query.text(call, "agent"),
        tenant=query.text(call, "tenant"),
        limit=limit,
        cursor=query.text(call, "cursor"),
    )
    return json_reply({"tokens": [tokens.shown(token) for token in found], "next_cursor": cursor})


async def revoke_token(call: Call) -> Reply:
    """`DELETE /v1/tokens/{id}`: the token, as it is kept now."""
    tenant = query.text(call, "tenant")
    revoked = await credentials.revoke_token(call.ctx, call.principal, call.path["id"], tenant=tenant)
    return json_reply(tokens.shown(revoked))


async def create(call: Call) -> Reply:
    """`POST /v1/agents`: an agent without a token."""
    made = await agents.create(call.ctx, call.principal, await call.json())
    return json_reply(agents.shown(made), status=201)


async def page(call: Call) -> Reply:
    """`GET /v1/agents`: a page of agents."""
    limit = query.integer(call, "limit", minimum=1) or query.PAGE
    cursor = query.text(call, "cursor")
    found, cursor = await agents.page(call.ctx, call.principal, limit=limit, cursor=cursor)
    return json_reply({"agents": [agents.shown(agent) for agent in found], "next_cursor": cursor})


async def show(call: Call) -> Reply:
    """`GET /v1/agents/{id}`."""
    return json_reply(agents.shown(await agents.show(call.ctx, call.principal, call.path["id"])))


async def stop(call: Call) -> Reply:
    """`POST /v1/agents/{id}/stop`: revokes its tokens and takes back what it has open."""
    return json_reply(agents.shown(await agents.stop(call.ctx, call.principal, call.path["id"])))


async def grant_root(call: Call) -> Reply:
    """`POST /v1/agents/{id}/roots`: a folder below which it may read without asking."""
    agent = await agents.grant_root(call.ctx, call.principal, call.path["id"], await call.json())
    return json_reply(agents.shown(agent))


async def revoke_root(call: Call) -> Reply:
    """`DELETE /v1/agents/{id}/roots?path=`: takes the folder back."""
    path = query.text(call, "path")
    agent = await agents.revoke_root(call.ctx, call.principal, call.path["id"], path)
    return json_reply(agents.shown(agent))
