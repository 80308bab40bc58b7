"""Export the rules in force, and import such a file: all of its new rules, or none if a row is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import field
from typing import Any, Literal

from askback.domain.date_times import read_moment
from askback.domain.faults import Fault, Faults, fault, join
from askback.domain.policy.rules import RuleError, parse_rule
from askback.domain.policy.suggestions import rule_scripts
from askback.domain.timestamps import rfc3339
from askback.domain.validation.structure import parse
from askback.domain.values import frozen
from askback.ports.agents import Agent
from askback.ports.policy import RuleRecord, SideEffects
from askback.ports.store import Principal
from askback.service.access import roles, sharing
from askback.service.approvals.rules import (
    read_rule,
    require_agent,
    rule_entry,
    rule_of_terms,
    rules_in_force,
    terms_of,
)
from askback.service.context import Services
from askback.wire.rule_bodies import ImportedRule, RuleImportBody

_EXPORTED = ("rule", "effect", "scope", "thread_id", "project", "agent", "agent_name", "expires_at", "why")
_FLAGS = ("locked", "shadow")


async def export_rules(ctx: Services, principal: Principal) -> dict[str, Any]:
    """Return the rules in force that the caller may see, oldest first, as the JSON value of a file."""
    await roles.require(ctx, principal, "export_rules")
    await sharing.require_unlimited(ctx, principal, "export_rules")
    rules = [_exported(rule) async for rule in rules_in_force(ctx, principal)]
    return {"exported_at": rfc3339(ctx.clock.now_ms()), "rules": rules[::-1]}


def _exported(rule: RuleRecord) -> dict[str, Any]:
    rule_members = json.loads(rule.wire)
    members = {name: rule_members[name] for name in _EXPORTED if rule_members.get(name) is not None}
    members |= {name: True for name in _FLAGS if rule_members.get(name)}
    return {**members, "script_may_change": True} if _runs_scripts(rule) else members


def _runs_scripts(rule: RuleRecord) -> bool:
    try:
        return rule.effect == "allow" and bool(rule_scripts(parse_rule(rule.text)))
    except RuleError:
        return False


@frozen(slots=True)
class ImportedRow:
    """The result of importing one row."""

    outcome: Literal["added", "known", "refused"]
    rule: RuleRecord | None = None
    problems: Sequence[Fault] = ()


async def import_rules(
    ctx: Services, principal: Principal, body: object
) -> tuple[bool, Sequence[ImportedRow]]:
    """Import a `RuleImportBody`; return whether it was a dry run, and its rows.

    Raises `Faults`, with paths such as `rules[3].rule`, if a row is refused outside a dry run: nothing is stored.
    """
    await roles.require(ctx, principal, "import_rules")
    await sharing.require_unlimited(ctx, principal, "import_rules")
    payload = parse(RuleImportBody, body)
    if len(payload.rules) > ctx.limits.imported_rules:
        raise Faults([fault("rules", "too_many", max=ctx.limits.imported_rules)])
    rules_by_terms = {terms_of(rule): rule async for rule in rules_in_force(ctx, principal)}
    reader = _RuleFileReader(ctx, principal, rules_by_terms, await _agents(ctx, principal))
    rows = [await reader.read(row, join("rules", index)) for index, row in enumerate(payload.rules)]
    if payload.dry_run:
        return True, rows
    if problems := [problem for row in rows for problem in row.problems]:
        raise Faults(problems)
    added = [row.rule for row in rows if row.outcome == "added" and row.rule is not None]
    if added:
        entries = tuple(rule_entry(ctx, "rule.add", principal, rule) for rule in added)
        await ctx.store.write(SideEffects(rules=tuple(added), audit=entries))
    return False, rows


async def _agents(ctx: Services, principal: Principal) -> dict[str, list[str]]:
    """Return the ids of agents by their names."""
    agents: dict[str, list[str]] = {}
    cursor: str | None = None
    while page := await ctx.store.agents(principal.tenant, before=cursor, limit=ctx.limits.page):
        for agent in page:
            agents.setdefault(agent.name, []).append(agent.id)
        cursor = page[-1].id
    return agents


@frozen(slots=True)
class _RuleFileReader:
    """Reads the rows of a file; `earlier` are the rules in force and those of earlier rows, by their terms."""

    ctx: Services
    principal: Principal
    earlier: dict[RuleRecord, RuleRecord]
    agents: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    async def read(self, row: object, path: str) -> ImportedRow:
        """Return the result of importing a row; the paths of its faults begin with `path`."""
        try:
            rule = await self._read(row)
        except Faults as error:
            with_paths = error.with_paths([("$", path), ("", f"{path}.")])
            return ImportedRow("refused", problems=with_paths.faults)
        if (equal := self.earlier.get(terms_of(rule))) is not None:
            return ImportedRow("known", equal)
        self.earlier[terms_of(rule)] = rule
        return ImportedRow("added", rule)

    async def _read(self, row: object) -> RuleRecord:
        payload = parse(ImportedRule, row)
        expires_at = None if payload.expires_at is None else self._moment(payload.expires_at)
        remaining_s = None if expires_at is None else (expires_at - self.ctx.clock.now_ms()) / 1000
        if remaining_s is not None and remaining_s <= 0:
            raise Faults([fault("expires_at", "past_rule")])
        rule = read_rule(payload, self.ctx.limits, expires_in_s=remaining_s)
        return rule_of_terms(
            self.ctx, self.principal, rule, payload, agent=await self._agent(payload), expires_at=expires_at
        )

    @staticmethod
    def _moment(text: str) -> int:
        moment = read_moment(text)
        if moment is None:
            raise Faults([fault("expires_at", "invalid_datetime.bound")])
        seconds, nanoseconds = moment
        return seconds * 1000 + nanoseconds // 1_000_000

    async def _agent(self, payload: ImportedRule) -> Agent | None:
        """Find an agent by its id, or else by its name."""
        agents_with_name = self.agents.get(payload.agent_name or "", [])
        try:
            return await require_agent(self.ctx, self.principal, payload.agent)
        except Faults:
            if len(agents_with_name) != 1:
                raise
            return await require_agent(self.ctx, self.principal, agents_with_name[0])
