"""Requests, as they are read."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from askback.domain.lifecycle import TERMINAL, Status
from askback.domain.record import NO_LABELS, Labels, Record
from askback.storage import rows
from askback.storage.sql.conditions import Conditions, branches, may_view
from askback.storage.sql.transaction import Area

# A row without it was written by an older server during a rolling upgrade.
HIDES_NAMES = "coalesce(r.hides_names, r.kind = 'secret')"
# In the order of the fields of `Record`.
RECORD = f"""
r.id, r.tenant, t.id, r.kind, r.requester, r.status, r.revision,
r.created_at, r.expires_at, r.spec, r.state, r.digest, r.due_at, t.access, t.agents, r.exclusive, r.behind,
{HIDES_NAMES}"""
THREADS = "JOIN threads AS t ON t.key = r.thread"
REQUESTS = f"FROM requests AS r {THREADS}"
# The columns of the labels that lists filter by, the most selective first.
LABELS = ("external_id", "tool_call_id", "run_id")
# By tenant and id, which come first where there are columns of them.
REQUEST = f"SELECT {RECORD} {REQUESTS} WHERE r.tenant = $1 AND r.id = $2"
FIND = f"""
SELECT r.tenant, r.id, {RECORD} {REQUESTS}
JOIN unnest($1::text[], $2::text[]) AS w (tenant, id) ON r.tenant = w.tenant AND r.id = w.id"""

# The one of a requester with an external id in a thread: tenant, thread id, requester, external id.
REQUEST_OF = f"""
SELECT r.body_digest, {RECORD} {REQUESTS}
WHERE t.tenant = $1 AND t.id = $2 AND r.requester = $3 AND r.external_id = $4"""

# Written exactly as in the partial indexes, or they would not be used.
OPEN, ENDED = "r.status IN ('pending', 'resolving')", "r.status NOT IN ('pending', 'resolving')"
# After this tenant, kind, status and id; at most this many.
OPEN_REQUESTS = f"""
SELECT {RECORD} {REQUESTS} WHERE {OPEN} AND (r.tenant, r.kind, r.status, r.id) > ($1, $2, $3, $4)
ORDER BY r.tenant, r.kind, r.status, r.id LIMIT $5"""
DUE = f"""
SELECT {RECORD} {REQUESTS} WHERE {OPEN} AND r.due_at IS NOT NULL AND r.due_at <= $1
ORDER BY r.due_at LIMIT $2"""
NEXT_DEADLINE = f"SELECT min(r.due_at) FROM requests AS r WHERE {OPEN} AND r.due_at IS NOT NULL"


def page_of_requests(
    tenant: str,
    *,
    thread_id: str | None,
    statuses: Sequence[str] | None,
    kind: str | None,
    requester: str | None,
    labels: Labels = NO_LABELS,
    person: str | None,
    after: str | None = None,
    before: str | None,
    limit: int,
) -> Sequence[Any]:
    """Return the query of one page of requests with the chosen filters, and its parameters.

    Each filter walks one index in its order.
    """
    conditions = Conditions()
    label = next((name for name in LABELS if getattr(labels, name) is not None), None)
    if thread_id is not None:
        conditions.add("t.tenant = {} AND t.id = {}", tenant, thread_id)
    elif label is not None or (kind is None and requester is None and statuses is None):
        conditions.add("r.tenant = {}", tenant)
    else:
        return _page_of_branches(tenant, statuses, kind, requester, person, after, before, limit)
    if statuses is not None:
        conditions.add(f"r.status IN ({', '.join(['{}'] * len(statuses))})", *statuses)
        if not _TERMINAL.intersection(statuses):
            conditions.add(OPEN)
    conditions.add_chosen("r.kind = {}", kind)
    conditions.add_chosen("r.requester = {}", requester)
    for name in LABELS:
        conditions.add_chosen(f"r.{name} = {{}}", getattr(labels, name))
    conditions.add_chosen(may_view("{0}"), person)
    conditions.add_chosen("r.id > {}", after)
    conditions.add_chosen("r.id < {}", before)
    hint = _hint(label, in_thread=thread_id is not None)
    return conditions.page(f"SELECT {RECORD} FROM requests AS r {hint}{THREADS}", limit=limit, column="r.id")


def _hint(label: str | None, *, in_thread: bool) -> str:
    """Return the index of a label for SQLite, which counts no rows and might take another."""
    if label is None:
        return ""
    return f"/* INDEXED BY requests_{label}{'_thread' if in_thread else ''} */ "


def _page_of_branches(
    tenant: str,
    statuses: Sequence[str] | None,
    kind: str | None,
    requester: str | None,
    person: str | None,
    after: str | None,
    before: str | None,
    limit: int,
) -> Sequence[Any]:
    """Return the query of one page of requests by kind and status; see `branches`."""
    conditions = Conditions()
    conditions.add("r.tenant = {}", tenant)
    conditions.add_chosen("r.requester = {}", requester)
    conditions.add_chosen(may_view("{0}"), person)
    conditions.add_chosen("r.id > {}", after)
    conditions.add_chosen("r.id < {}", before)
    maximum, conditions_text = conditions.parameter(limit), f"{conditions}"
    index_column = "kind" if requester is None else "requester"
    threads = "" if person is None else THREADS
    parts: list[str] = []
    for kind_of_branch, status in branches(kind=kind, statuses=statuses):
        state, index = (ENDED, index_column) if status in _TERMINAL else (OPEN, f"open_{index_column}")
        parts.append(
            f"SELECT id FROM (SELECT r.id FROM requests AS r /* INDEXED BY requests_{index} */ {threads} "
            f"WHERE {conditions_text} AND {state} AND r.kind = {conditions.parameter(kind_of_branch)} "
            f"AND r.status = {conditions.parameter(status)} ORDER BY r.id DESC LIMIT {maximum}) AS branch"
        )
    page = f"SELECT id FROM ({' UNION ALL '.join(parts)}) AS page ORDER BY id DESC LIMIT {maximum}"
    query = f"SELECT {RECORD} {REQUESTS} WHERE r.tenant = $1 AND r.id IN ({page}) ORDER BY r.id DESC"
    return query, *conditions.parameters


_TERMINAL = {status.value for status in TERMINAL}


class RequestArea(Area):
    """See `askback.ports.store` for what each method promises."""

    async def get(self, tenant: str, request_id: str) -> Record | None:
        """Read one request by its id."""
        row = await self._db.find(FIND, tenant, request_id)
        return None if row is None else rows.record(row[2:])

    async def request_of(
        self, tenant: str, thread_id: str, requester: str, external_id: str
    ) -> tuple[Record, str] | None:
        """Read the request with an external id, and the digest of its body."""
        row = await self._db.row(REQUEST_OF, tenant, thread_id, requester, external_id)
        return None if row is None else (rows.record(row[1:]), row[0])

    async def list_requests(
        self,
        tenant: str,
        *,
        thread_id: str | None = None,
        statuses: frozenset[Status] | None = None,
        kind: str | None = None,
        requester: str | None = None,
        labels: Labels = NO_LABELS,
        person: str | None = None,
        after: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> Sequence[Record]:
        """Read requests, newest first."""
        if statuses is not None and not statuses:
            return []
        query = page_of_requests(
            tenant,
            thread_id=thread_id,
            statuses=None if statuses is None else sorted(status.value for status in statuses),
            kind=kind,
            requester=requester,
            labels=labels,
            person=person,
            after=after,
            before=before,
            limit=limit,
        )
        return [rows.record(row) for row in await self._db.page(*query)]

    async def open_requests(self, *, after: Record | None = None, limit: int = 200) -> Sequence[Record]:
        """Read open requests of every tenant."""
        position = ("",) * 4 if after is None else (after.tenant, after.kind, after.status.value, after.id)
        return [rows.record(row) for row in await self._db.page(OPEN_REQUESTS, *position, limit)]

    async def due(self, now_ms: int, *, limit: int) -> Sequence[Record]:
        """Read open requests whose deadline has passed, earliest first."""
        return [rows.record(row) for row in await self._db.page(DUE, now_ms, limit)]

    async def next_deadline(self) -> int | None:
        """Read the earliest deadline of an open request."""
        row = await self._db.row(NEXT_DEADLINE)
        return None if row is None else row[0]
