"""Rules, the settings of the policy, and refusals."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Any, cast

from askback.ports.policy import (
    NOTHING,
    PolicyRecord,
    PolicyView,
    Refusal,
    RuleRecord,
    RuleUsage,
    RuleUse,
    SideEffects,
)
from askback.ports.store import IdTaken
from askback.storage import rows
from askback.storage.sql.conditions import Conditions, may_view
from askback.storage.sql.transaction import Area, Transaction

FEW_RULES = 100
"""How many rules are read on the event loop; that takes less time than using another thread."""
_NO_LIMIT = 2**31 - 1

# Rules

# In the order of the fields of `RuleRecord`.
_RULE = "id, tenant, effect, text, scope, subject, locked, shadow, expires_at, revoked, wire, agent"
_NULLS = ", NULL" * (_RULE.count(",") - 1)
"""The columns of a rule after its first two."""
# -> a row unless the id is in use.
ADD_RULE = f"""
INSERT INTO rules ({_RULE}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT DO NOTHING RETURNING id"""
RULE = f"SELECT {_RULE} FROM rules WHERE tenant = $1 AND id = $2"

# The first condition is that of the partial index, or it would not be used.
_IN_FORCE = "revoked = FALSE AND coalesce(expires_at > {0}, TRUE)"
RULES_IN_FORCE = " UNION ALL ".join(
    f"SELECT {_RULE} FROM rules WHERE tenant = $1 AND {where} AND {_IN_FORCE.format('$4')} "
    "AND coalesce(agent = $5, TRUE)"
    for where in (
        "scope = 'always' AND subject = ''",
        "scope = 'thread' AND subject = $2",
        "scope = 'project' AND subject = $3",
    )
)
# What decides about a call, in one statement, so that all rows are of one moment: (tenant, thread id, project, now,
# agent, how many rules at most) -> in any order 'rule' with its columns, 'settings' with '' or the thread and their
# text, 'roots' with the agent and the text of its roots.
POLICY = f"""
SELECT 'rule' AS what, r.* FROM ({RULES_IN_FORCE} LIMIT $6) AS r
UNION ALL SELECT 'settings', thread, data{_NULLS} FROM policies WHERE tenant = $1 AND thread IN ('', $2)
UNION ALL SELECT 'roots', id, roots{_NULLS} FROM agents WHERE tenant = $1 AND id = $5"""
# (wire, tenant, id) -> a row when this ended the rule.
REVOKE_RULE = """
UPDATE rules SET revoked = TRUE, wire = $1 WHERE tenant = $2 AND id = $3 AND revoked = FALSE RETURNING id"""
# A rule of a thread that a person may not view.
_HIDDEN = f"""
scope = 'thread' AND EXISTS (
    SELECT 1 FROM threads AS t WHERE t.tenant = rules.tenant AND t.id = rules.subject AND NOT {may_view("{0}")})"""

# Uses: tenant, rule, how many there are more, when the last one was, and its request.
ADD_USES = """
INSERT INTO rule_uses (tenant, rule, uses, last_at, request)
SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[])
ON CONFLICT (tenant, rule) DO UPDATE SET uses = rule_uses.uses + excluded.uses,
    last_at = greatest(rule_uses.last_at, excluded.last_at), request = excluded.request"""
# (tenant, rules, person or null) -> rule, and the fields of `RuleUsage`.
RULE_USAGE = f"""
SELECT u.rule, u.uses, u.last_at, CASE WHEN t.key IS NULL THEN NULL ELSE u.request END, t.id, t.title
FROM rule_uses AS u LEFT JOIN requests AS r ON r.tenant = u.tenant AND r.id = u.request
LEFT JOIN threads AS t ON t.key = r.thread AND ($3::text IS NULL OR {may_view("$3")})
WHERE u.tenant = $1 AND u.rule = ANY ($2::text[])"""

# Settings

# (tenant, thread id) -> the stored data, '{}' if there were none. The row stays locked, so that two people who
# change different settings concurrently both succeed.
LOCK_POLICY = """
INSERT INTO policies (tenant, thread, data) VALUES ($1, $2, '{}')
ON CONFLICT (tenant, thread) DO UPDATE SET data = policies.data RETURNING data"""
PUT_POLICY = "UPDATE policies SET data = $3 WHERE tenant = $1 AND thread = $2"

# Refusals

ADD_REFUSAL = """
INSERT INTO refusals (tenant, thread, requester, identity, request, at, until) VALUES ($1, $2, $3, $4, $5, $6, $7)"""
# (tenant, thread, requester, identity, since), newest first.
REFUSALS = """
SELECT tenant, thread, requester, identity, request, at, until FROM refusals
WHERE tenant = $1 AND thread = $2 AND requester = $3 AND identity = $4 AND at > $5
ORDER BY at DESC, key DESC LIMIT 10"""
# (tenant, thread, at, request or null, requester or null).
LIFT = """
UPDATE refusals SET until = $3 WHERE tenant = $1 AND thread = $2 AND until > $3
AND requester = coalesce($5::text, requester)
AND ($4::text IS NULL
     OR (requester, identity) IN (SELECT requester, identity FROM refusals WHERE tenant = $1 AND request = $4))"""


def page_of_rules(
    tenant: str,
    *,
    subjects: Sequence[tuple[str, str]],
    now_ms: int | None,
    person: str | None,
    before: str | None,
    limit: int,
) -> Sequence[Any]:
    """Return the query of one page of rules, and its parameters.

    `subjects` are pairs of a scope and a subject, none for every rule. With `now_ms` only those in force then.
    """
    conditions = Conditions()
    conditions.add("tenant = {}", tenant)
    if subjects:
        scope_conditions = " OR ".join(["scope = {} AND subject = {}"] * len(subjects))
        conditions.add(
            f"({scope_conditions})", *(part for scope_and_subject in subjects for part in scope_and_subject)
        )
    conditions.add_chosen(_IN_FORCE, now_ms)
    conditions.add_chosen(f"NOT ({_HIDDEN})", person)
    conditions.add_chosen("id < {}", before)
    return conditions.page(f"SELECT {_RULE} FROM rules", limit=limit)


async def write_rules(tx: Transaction, effects: SideEffects) -> None:
    """Write the rules, settings and refusals that come with a change; raises `IdTaken`."""
    for rule in effects.rules:
        if await tx.one(ADD_RULE, *astuple(rule)) is None:
            raise IdTaken(rule.id)
    for policy in effects.policies:
        await _merge_policy(tx, policy)
    for refusal in effects.refusals:
        await tx.run(ADD_REFUSAL, *astuple(refusal))
    for lift in effects.lifts:
        await tx.run(LIFT, *astuple(lift))


async def add_uses(tx: Transaction, uses: Iterable[RuleUse]) -> None:
    """Count uses of rules: one row for each rule, in the order of the rules, so that two servers cannot deadlock."""
    uses_by_rule: dict[tuple[str, str], tuple[int, int, str]] = {}
    for use in uses:
        count, *_ = uses_by_rule.get((use.tenant, use.rule), (0,))
        uses_by_rule[use.tenant, use.rule] = (count + 1, use.at, use.request_id)
    await tx.many(ADD_USES, [(*key, *uses_by_rule[key]) for key in sorted(uses_by_rule)])


async def _merge_policy(tx: Transaction, policy: PolicyRecord) -> None:
    policy_key = (policy.tenant, policy.thread_id)
    stored_policy = await tx.one(LOCK_POLICY, *policy_key)
    assert stored_policy is not None, "it was there or it is now"
    await tx.run(PUT_POLICY, *policy_key, merge_patch(stored_policy[0], policy.data))


class RuleArea(Area):
    """See `askback.ports.policy` for what each method promises."""

    async def write(self, effects: SideEffects) -> None:
        """Write side effects that belong to no other change."""
        await self._db.change(lambda tx: tx.write(effects), effects)

    async def policy(
        self, tenant: str, *, thread_id: str, project: str | None, now_ms: int, agent: str = ""
    ) -> PolicyView:
        """Read what decides about a call, as it is at one moment."""
        if not self._db.can_store(thread_id):
            thread_id = ""  # so nothing was said of such a thread

        values = (tenant, thread_id, project or "", now_ms, agent)
        policy_rows = await self._db.rows(POLICY, *values, FEW_RULES + 1)
        if len(policy_rows) > FEW_RULES:
            policy_rows = await self._db.page(POLICY, *values, _NO_LIMIT)
        rules = sorted(
            (rows.rule(row[1:]) for row in policy_rows if row[0] == "rule"), key=lambda rule: rule.id
        )
        settings = {row[1]: row[2] for row in policy_rows if row[0] == "settings"}
        roots = next((row[2] for row in policy_rows if row[0] == "roots"), None)
        thread_settings = settings.get(thread_id) if thread_id else None
        return PolicyView(settings.get(""), thread_settings, rules, rows.root_paths(roots))

    async def rule(self, tenant: str, rule_id: str) -> RuleRecord | None:
        """Read one rule."""
        row = await self._db.row(RULE, tenant, rule_id)
        return None if row is None else rows.rule(row)

    async def rules(
        self,
        tenant: str,
        *,
        thread_id: str | None = None,
        project: str | None = None,
        ended: bool = False,
        now_ms: int,
        person: str | None = None,
        before: str | None = None,
        limit: int = 100,
    ) -> Sequence[RuleRecord]:
        """Read rules, newest first."""
        subjects = [
            (scope, name) for scope, name in (("thread", thread_id), ("project", project)) if name is not None
        ]
        query = page_of_rules(
            tenant,
            subjects=subjects,
            now_ms=None if ended else now_ms,
            person=person,
            before=before,
            limit=limit,
        )
        return [rows.rule(row) for row in await self._db.page(*query)]

    async def rule_usage(
        self, tenant: str, rules: Sequence[str], *, person: str | None = None
    ) -> Mapping[str, RuleUsage]:
        """Read how rules were used."""
        usage_rows = await self._db.page(RULE_USAGE, tenant, [*rules], person)
        return {rule: RuleUsage(*usage) for rule, *usage in usage_rows}

    async def revoke_rule(self, tenant: str, rule_id: str, wire: str, effects: SideEffects = NOTHING) -> bool:
        """End a rule."""
        return await self._apply(REVOKE_RULE, wire, tenant, rule_id, effects=effects) is not None

    async def refusals(
        self, tenant: str, thread_id: str, requester: str, identity: str, *, since_ms: int
    ) -> Sequence[Refusal]:
        """Read refusals of the same, newest first."""
        refusals = await self._db.rows(REFUSALS, tenant, thread_id, requester, identity, since_ms)
        return [Refusal(*row) for row in refusals]


def merge_patch(data: str, patch: str) -> str:
    """Return a JSON object with another merged into it.

    Null takes a member away, objects are merged, all else is replaced.
    """
    return json.dumps(_merged(json.loads(data), json.loads(patch)), separators=(",", ":"))


def _merged(data: Any, patch: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(cast("Mapping[str, Any]", data)) if isinstance(data, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = (
                _merged(merged.get(name), cast("Mapping[str, Any]", value))
                if isinstance(value, dict)
                else value
            )
    return merged
