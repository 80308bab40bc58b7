"""Rules, the settings of the policy and the audit log over HTTP."""

from __future__ import annotations

from askback.ports.outcome import Outcome
from askback.service import audit as audits
from askback.service import policies, rules
from askback.transports.http import Call, Reply, json_reply, text_reply
from askback.transports.rest import query
from askback.transports.texts import audit_text, rules_text

AUDIT_PAGE = 500


async def list_rules(call: Call) -> Reply:
    """`GET /v1/rules`."""
    found, cursor = await rules.page(
        call.ctx,
        call.principal,
        thread_id=query.text(call, "thread_id"),
        project=query.text(call, "project"),
        ended=query.flag(call, "ended"),
        limit=query.integer(call, "limit", minimum=1, maximum=call.ctx.limits.page) or query.PAGE,
        cursor=query.text(call, "cursor"),
    )
    return text_reply(rules_text(found, cursor))


async def add_rule(call: Call) -> Reply:
    """`POST /v1/rules`."""
    rule, outcome = await rules.add(call.ctx, call.principal, await call.json())
    return text_reply(rule.wire, status=201 if outcome is Outcome.APPLIED else 200)


async def revoke_rule(call: Call) -> Reply:
    """`DELETE /v1/rules/{id}`."""
    return text_reply(await rules.revoke(call.ctx, call.principal, call.path["id"]))


async def show(call: Call) -> Reply:
    """`GET /v1/policy`."""
    found = await policies.show(call.ctx, call.principal, thread_id=query.text(call, "thread_id"))
    return json_reply(found.model_dump())


async def change(call: Call) -> Reply:
    """`POST /v1/policy`."""
    return json_reply((await policies.change(call.ctx, call.principal, await call.json())).model_dump())


async def audit(call: Call) -> Reply:
    """`GET /v1/audit`."""
    entries, head, standing = await audits.page(
        call.ctx,
        call.principal,
        after=query.integer(call, "after", minimum=0) or 0,
        limit=query.integer(call, "limit", minimum=1, maximum=AUDIT_PAGE) or AUDIT_PAGE,
    )
    return text_reply(audit_text(entries, head, standing))
