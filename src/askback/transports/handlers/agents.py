"""Agents and tokens."""

from __future__ import annotations

from askback.service.access import tokens
from askback.service.agents import credentials, manage
from askback.transports.call import OperationCall, Result, json_result


async def create_token(call: OperationCall) -> Result:
    """Create a token; the reply is the only one with its secret."""
    issued_token = await credentials.create_token(call.ctx, call.principal, call.body)
    return json_result({"token": issued_token.secret, **tokens.token_json(issued_token.token)})


async def list_tokens(call: OperationCall) -> Result:
    """List tokens, newest first."""
    page, cursor = await credentials.list_tokens(
        call.ctx,
        call.principal,
        agent=call.args["agent"],
        tenant=call.args["tenant"],
        limit=call.args["limit"],
        cursor=call.args["cursor"],
    )
    return json_result({"tokens": [tokens.token_json(token) for token in page], "next_cursor": cursor})


async def revoke_token(call: OperationCall) -> Result:
    """Revoke a token and close its connections."""
    token_id, tenant = call.args["token_id"], call.args["tenant"]
    return json_result(
        tokens.token_json(await credentials.revoke_token(call.ctx, call.principal, token_id, tenant=tenant))
    )


async def create_agent(call: OperationCall) -> Result:
    """Create an agent without a token."""
    return json_result(manage.agent_json(await manage.create_agent(call.ctx, call.principal, call.body)))


async def list_agents(call: OperationCall) -> Result:
    """List agents, newest first."""
    limit, cursor = call.args["limit"], call.args["cursor"]
    agents, next_cursor = await manage.list_agents(call.ctx, call.principal, limit=limit, cursor=cursor)
    return json_result({"agents": [manage.agent_json(agent) for agent in agents], "next_cursor": next_cursor})


async def get_agent(call: OperationCall) -> Result:
    """Read an agent."""
    return json_result(
        manage.agent_json(await manage.get_agent(call.ctx, call.principal, call.args["agent_id"]))
    )


async def stop_agent(call: OperationCall) -> Result:
    """Revoke an agent's tokens and cancel its open requests."""
    return json_result(
        manage.agent_json(await manage.stop_agent(call.ctx, call.principal, call.args["agent_id"]))
    )


async def grant_root(call: OperationCall) -> Result:
    """Let an agent read below a folder without asking."""
    agent = await manage.grant_root(call.ctx, call.principal, call.args["agent_id"], call.body)
    return json_result(manage.agent_json(agent))


async def revoke_root(call: OperationCall) -> Result:
    """Revoke a folder."""
    agent = await manage.revoke_root(call.ctx, call.principal, call.args["agent_id"], call.args["path"])
    return json_result(manage.agent_json(agent))
