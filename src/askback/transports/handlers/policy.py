"""Rules, the settings of the policy, the audit log and the limits."""

from __future__ import annotations

from askback.ports.outcome import Outcome
from askback.service.approvals import policy, rules
from askback.service.audit import seal
from askback.service.lifecycle import quotas
from askback.transports import texts
from askback.transports.call import Call, Result, json_result


async def list_rules(call: Call) -> Result:
    """List rules, newest first."""
    found, cursor = await rules.list_rules(
        call.ctx,
        call.principal,
        thread_id=call.args["thread_id"],
        project=call.args["project"],
        ended=call.args["ended"],
        limit=call.args["limit"],
        cursor=call.args["cursor"],
    )
    return Result(texts.page("rules", [rule.wire for rule in found], cursor))


async def create_rule(call: Call) -> Result:
    """Create a rule; 200 for one that is there already."""
    rule, outcome = await rules.create_rule(call.ctx, call.principal, call.body)
    return Result(rule.wire, None if outcome is Outcome.APPLIED else 200)


async def revoke_rule(call: Call) -> Result:
    """Revoke a rule."""
    return Result(await rules.revoke_rule(call.ctx, call.principal, call.args["rule_id"]))


async def get_policy(call: Call) -> Result:
    """Read the default policy, or that of a thread."""
    found = await policy.get_policy(call.ctx, call.principal, thread_id=call.args["thread_id"])
    return Result(found.model_dump_json())


async def update_policy(call: Call) -> Result:
    """Change the default policy, or that of a thread."""
    return Result((await policy.update_policy(call.ctx, call.principal, call.body)).model_dump_json())


async def get_audit_log(call: Call) -> Result:
    """Read the audit log, oldest first."""
    found = await seal.read_audit_log(
        call.ctx, call.principal, after=call.args["after"], limit=call.args["limit"]
    )
    return Result(texts.audit_text(*found))


async def get_limits(call: Call) -> Result:
    """Read every size and count that is enforced, and with a thread its usage."""
    return json_result(await quotas.get_limits(call.ctx, call.principal, call.args["thread_id"]))


async def reset_limits(call: Call) -> Result:
    """Reset the question count of a thread."""
    return json_result(await quotas.reset_limits(call.ctx, call.principal, call.body))
