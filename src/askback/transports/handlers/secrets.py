"""Secrets. A body with a value reaches the service unread; the lease is the only reply with values."""

from __future__ import annotations

from askback.domain.secrets.secret import RawBody
from askback.service.secrets import agents, lease, manage, rotate
from askback.transports import texts
from askback.transports.call import OperationCall, Result, json_result


async def lease_secrets(call: OperationCall) -> Result:
    """Lease the values of secrets."""
    return Result(texts.leased_text(await lease.lease_secrets(call.ctx, call.principal, call.body)))


async def list_secrets(call: OperationCall) -> Result:
    """List secrets, newest first."""
    page, cursor = await manage.list_secrets(
        call.ctx, call.principal, limit=call.args["limit"], cursor=call.args["cursor"]
    )
    may_use = await agents.agents_by_secret(call.ctx, call.principal, page)
    uses = await manage.uses_by_secret(call.ctx, call.principal, page)
    return Result(texts.secrets_text(page, may_use, uses, cursor))


async def set_secret(call: OperationCall) -> Result:
    """Set a secret, or replace its value."""
    assert isinstance(call.body, RawBody)
    secret, warnings = await manage.set_secret(call.ctx, call.principal, call.body)
    return Result(texts.with_warnings(secret.wire, warnings, call.locale))


async def erase_secret(call: OperationCall) -> Result:
    """Erase a secret."""
    await manage.erase_secret(call.ctx, call.principal, call.args["secret_id"])
    return Result()


async def rotate_secrets(call: OperationCall) -> Result:
    """Rewrap all secrets with the first master key."""
    return json_result((await rotate.rotate_secrets(call.ctx, call.principal, call.body)).as_dict())


async def get_secret_agents(call: OperationCall) -> Result:
    """Read which agents may use a secret without asking."""
    return json_result(
        {"agents": await agents.get_secret_agents(call.ctx, call.principal, call.args["secret_id"])}
    )


async def set_secret_agents(call: OperationCall) -> Result:
    """Set which agents may use a secret without asking."""
    secret = await agents.set_secret_agents(call.ctx, call.principal, call.args["secret_id"], call.body)
    return json_result({"agents": secret})


async def grant_secret(call: OperationCall) -> Result:
    """Let an agent use a secret without asking."""
    secret = await agents.grant_secret(call.ctx, call.principal, call.args["secret_id"], call.args["agent"])
    return json_result({"agents": secret})


async def revoke_secret(call: OperationCall) -> Result:
    """Revoke a secret from an agent."""
    secret = await agents.revoke_secret(call.ctx, call.principal, call.args["secret_id"], call.args["agent"])
    return json_result({"agents": secret})
