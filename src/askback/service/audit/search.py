"""Search the audit log, newest entries first, a bounded number of entries for each call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from askback.domain.date_times import read_moment
from askback.domain.faults import Faults, fault
from askback.domain.values import frozen
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.audit_entry import VIA_POLICY
from askback.service.context import Services

CHECKED_ENTRIES = 1_000
"""Entries that one call looks at: some 10 ms."""
UNREADABLE = "unreadable"
"""The action of an entry that is no longer a JSON object."""
_SKEW_S = 60
"""How far the clocks of servers may be apart, so that a later entry has an earlier time."""


@frozen(slots=True)
class AuditFilter:
    """The filters of a search; times are seconds since the epoch."""

    actor: str | None = None
    action: str | None = None
    request_id: str | None = None
    thread_id: str | None = None
    after: float | None = None
    before: float | None = None

    def matches(self, entry: Mapping[str, Any]) -> bool:
        """Return whether an entry matches; the store has already filtered by request and thread."""
        seconds = _seconds(entry)
        if (self.after is not None and seconds < self.after) or (
            self.before is not None and seconds > self.before
        ):
            return False
        action = str(entry.get("action"))
        if self.action is not None and action != self.action and not action.startswith(f"{self.action}."):
            return False
        return self.actor is None or self._is_by(entry)

    def _is_by(self, entry: Mapping[str, Any]) -> bool:
        actor, expected_actor = entry.get("actor"), self.actor or ""
        if not isinstance(actor, dict):
            return expected_actor == VIA_POLICY
        actor_members = cast("Mapping[str, object]", actor)
        return expected_actor in {actor_members.get("id"), actor_members.get("user")} or (
            expected_actor.casefold() in str(actor_members.get("name", "")).casefold()
        )


@dataclass(slots=True)
class FoundEntries:
    """Entries as their texts, newest first, and names for the ids in them; see `AuditEntries` of the wire."""

    texts: list[str] = field(default_factory=list[str])
    agents: dict[str, str] = field(default_factory=dict[str, str])
    threads: dict[str, str] = field(default_factory=dict[str, str])
    checked: int = 0
    checked_to: int | None = None
    cursor: int | None = None


async def list_audit_entries(
    ctx: Services,
    principal: Principal,
    *,
    actor: str | None = None,
    action: str | None = None,
    request_id: str | None = None,
    thread_id: str | None = None,
    created_after: str | None = None,
    created_before: str | None = None,
    limit: int = 50,
    cursor: int | None = None,
) -> FoundEntries:
    """Return entries that match, newest first; raises `Faults` for a time that cannot be read."""
    await roles.require(ctx, principal, "list_audit_entries")
    audit_filter = AuditFilter(
        actor,
        action,
        request_id,
        thread_id,
        _parse_moment("created_after", created_after),
        _parse_moment("created_before", created_before),
    )
    if cursor is None and audit_filter.before is not None:
        cursor = await _first_after(ctx, principal.tenant, audit_filter.before + _SKEW_S)
    page = await ctx.store.latest_audit(
        principal.tenant,
        before=cursor,
        request_id=request_id,
        thread_id=thread_id,
        limit=CHECKED_ENTRIES + 1,
    )
    result = FoundEntries()
    entries: list[Mapping[str, Any]] = []
    for seq, text in page[:CHECKED_ENTRIES]:
        entry = _parse_entry(text)
        if audit_filter.after is not None and _seconds(entry) < audit_filter.after - _SKEW_S:
            break
        result.checked += 1
        result.checked_to = seq
        if audit_filter.matches(entry):
            result.texts.append(text if entry else json.dumps({"seq": seq, "action": UNREADABLE}))
            entries.append(entry)
        if len(entries) == limit:
            break
    else:
        result.cursor = result.checked_to if len(page) > CHECKED_ENTRIES else None
    if len(entries) == limit and result.checked < len(page):
        result.cursor = result.checked_to
    await _name(ctx, principal.tenant, entries, result)
    return result


def _parse_entry(text: str) -> Mapping[str, Any]:
    """Parse an entry; an unreadable one is empty."""
    try:
        entry = json.loads(text)
    except ValueError:
        return {}
    return cast("Mapping[str, Any]", entry) if isinstance(entry, dict) else {}


def _seconds(entry: Mapping[str, Any]) -> float:
    moment = read_moment(str(entry.get("at")))
    return 0 if moment is None else moment[0] + moment[1] / 1e9


def _parse_moment(name: str, text: str | None) -> float | None:
    if text is None:
        return None
    moment = read_moment(text)
    if moment is None:
        raise Faults([fault(name, "invalid_datetime.bound")])
    return moment[0] + moment[1] / 1e9


async def _first_after(ctx: Services, tenant: str, moment: float) -> int:
    """Return the seq of the first entry after a time, by halving: entries are written in the order of their times."""
    low_seq, high_seq = 1, (await ctx.store.audit_head(tenant))[0] + 1
    while low_seq < high_seq:
        middle_seq = (low_seq + high_seq) // 2
        entries = await ctx.store.audit(tenant, after=middle_seq - 1, limit=1)
        if entries and _seconds(_parse_entry(entries[0])) <= moment:
            low_seq = middle_seq + 1
        else:
            high_seq = middle_seq
    return low_seq


async def _name(
    ctx: Services, tenant: str, entries: Iterable[Mapping[str, Any]], result: FoundEntries
) -> None:
    """Look up the names of the agents and the titles of the threads in some entries."""
    entry_list = list(entries)
    for agent_id in _ids(entry_list, "requester", "agent"):
        if (agent := await ctx.store.agent(tenant, agent_id)) is not None:
            result.agents[agent_id] = agent.name
    for thread_id in _ids(entry_list, "thread_id"):
        details = await ctx.store.thread_details(tenant, thread_id)
        if details is not None and details.title is not None:
            result.threads[thread_id] = details.title


def _ids(entries: Iterable[Mapping[str, Any]], *members: str) -> list[str]:
    values = (entry.get(member) for entry in entries for member in members)
    return list(dict.fromkeys(value for value in values if isinstance(value, str)))
