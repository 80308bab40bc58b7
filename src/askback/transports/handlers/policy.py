"""The use of approvals, rules, the settings of the policy, the audit log and the limits."""

from __future__ import annotations

from askback.ports.outcome import Outcome
from askback.ports.policy import RuleRecord
from askback.service.approvals import built_in_rules, consume, policy, revoke, rule_files, rules, trials
from askback.service.audit import seal, search, verify
from askback.service.lifecycle import quotas
from askback.transports import rule_texts, texts
from askback.transports.call import OperationCall, Result, json_result


async def revoke_approval(call: OperationCall) -> Result:
    """Revoke an approval before the call has run."""
    return Result(
        (await revoke.revoke_approval(call.ctx, call.principal, call.args["request_id"], call.body)).wire
    )


async def consume_approval(call: OperationCall) -> Result:
    """Use an approved call, once."""
    return json_result(
        await consume.consume_approval(call.ctx, call.principal, call.args["request_id"], call.body)
    )


async def report_execution(call: OperationCall) -> Result:
    """Report the outcome of an execution."""
    return json_result(
        await consume.report_execution(call.ctx, call.principal, call.args["request_id"], call.body)
    )


async def list_rules(call: OperationCall) -> Result:
    """List rules, newest first."""
    page, cursor = await rules.list_rules(
        call.ctx,
        call.principal,
        thread_id=call.args["thread_id"],
        project=call.args["project"],
        ended=call.args["ended"],
        limit=call.args["limit"],
        cursor=call.args["cursor"],
    )
    return Result(texts.page("rules", page, cursor))


async def create_rule(call: OperationCall) -> Result:
    """Create a rule; 200 for one that already exists."""
    rule, outcome = await rules.create_rule(call.ctx, call.principal, call.body)
    return Result(await _rule_json(call, rule), None if outcome is Outcome.APPLIED else 200)


async def revoke_rule(call: OperationCall) -> Result:
    """Revoke a rule."""
    rule = await rules.revoke_rule(call.ctx, call.principal, call.args["rule_id"])
    return Result(await _rule_json(call, rule))


async def _rule_json(call: OperationCall, rule: RuleRecord) -> str:
    [rule_json] = await rules.rules_json(call.ctx, call.principal, [rule])
    return rule_json


async def list_built_in_rules(call: OperationCall) -> Result:
    """List the built-in rules and the hard limits."""
    return json_result(await built_in_rules.list_built_in_rules(call.ctx, call.principal))


async def try_rule(call: OperationCall) -> Result:
    """Check whether a draft rule covers a call."""
    return json_result(
        rule_texts.trial_result(await trials.try_rule(call.ctx, call.principal, call.body), call.locale)
    )


async def preview_rule(call: OperationCall) -> Result:
    """List the calls of the last 30 days that a draft rule would decide differently."""
    return json_result(rule_texts.preview(await trials.preview_rule(call.ctx, call.principal, call.body)))


async def export_rules(call: OperationCall) -> Result:
    """Export the rules in force."""
    return json_result(await rule_files.export_rules(call.ctx, call.principal))


async def import_rules(call: OperationCall) -> Result:
    """Import rules."""
    dry_run, rows = await rule_files.import_rules(call.ctx, call.principal, call.body)
    return json_result(rule_texts.import_result(rows, dry_run=dry_run, locale=call.locale))


async def get_policy(call: OperationCall) -> Result:
    """Read the default policy, or the policy of a thread."""
    settings = await policy.get_policy(call.ctx, call.principal, thread_id=call.args["thread_id"])
    return Result(settings.model_dump_json())


async def update_policy(call: OperationCall) -> Result:
    """Change the default policy, or the policy of a thread."""
    return Result((await policy.update_policy(call.ctx, call.principal, call.body)).model_dump_json())


async def get_audit_log(call: OperationCall) -> Result:
    """Read the audit log, oldest first."""
    entries = await seal.read_audit_log(
        call.ctx, call.principal, after=call.args["after"], limit=call.args["limit"]
    )
    return Result(texts.audit_text(*entries))


async def list_audit_entries(call: OperationCall) -> Result:
    """Search the audit log, newest entries first."""
    return Result(texts.audit_entries(await search.list_audit_entries(call.ctx, call.principal, **call.args)))


async def verify_audit_log(call: OperationCall) -> Result:
    """Verify a piece of the audit log."""
    args = call.args
    verification = await verify.verify_audit_log(
        call.ctx, call.principal, after=args["after"], sealed=args["hash"], limit=args["limit"]
    )
    return Result(texts.verification(verification))


async def get_limits(call: OperationCall) -> Result:
    """Read every size and count that is enforced, and with a thread its usage."""
    return json_result(await quotas.get_limits(call.ctx, call.principal, call.args["thread_id"]))


async def reset_limits(call: OperationCall) -> Result:
    """Reset the question count of a thread."""
    return json_result(await quotas.reset_limits(call.ctx, call.principal, call.body))
