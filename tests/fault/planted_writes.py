"""Faults in stored data: requests, messages, executions, secrets, tokens, the audit log."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
from collections.abc import Callable, Sequence
from typing import Any

from askback.domain.audit import GENESIS, seal_entry
from askback.domain.lifecycle import Status
from askback.errors import Conflict
from askback.ports.policy import NOTHING, Execution, SideEffects
from askback.ports.secrets import SecretRecord
from askback.ports.store import Change
from askback.service.approvals import consume
from askback.service.requests import forms
from askback.storage.sql import audit, secrets, transaction
from askback.storage.sqlite import queries
from askback.storage.sqlite.store import SqliteStore
from tests.fault.planted_later import make_early_settle
from tests.fault.planted_streams import every_nth

EARLY_MS = 600_000
TOGETHER_S = 5
"""How long the first of two answers waits for the other."""
_under_way: dict[str, asyncio.Event] = {}
_insert, _settle = SqliteStore.insert, SqliteStore.settle
_due, _next_deadline = SqliteStore.due, SqliteStore.next_deadline
_add_message, _append_text = SqliteStore.add_message, SqliteStore.append_text
_used_before: Callable[..., Any] = vars(consume)["_earlier_use"]
_append, _write_secrets = audit.append, secrets.write_secrets
_put_secret: Callable[..., Any] = vars(secrets)["_put"]


async def _insert_unclaimed(
    self: SqliteStore,
    record: Any,
    event: Any,
    claim: Any = None,
    effects: SideEffects = NOTHING,
    **extra: Any,
) -> Change:
    """A repeated key creates another request."""
    return await _insert(self, record, event, None, effects, **extra)


async def _settle_again(
    self: SqliteStore, settlement: Any, claim: Any = None, effects: SideEffects = NOTHING
) -> Change | None:
    """A deadline fires twice."""
    change = await _settle(self, settlement, claim, effects)
    if settlement.event.type == "request.expired":
        await _settle(
            self, dataclasses.replace(settlement, expected_statuses=frozenset(Status), revision=None)
        )
    return change


async def settle_last_answer(
    self: SqliteStore, settlement: Any, claim: Any = None, effects: SideEffects = NOTHING
) -> Change | None:
    """The last answer wins. The first waits until another is in transit: a later one would be refused before."""
    if settlement.id not in _under_way:
        _under_way[settlement.id] = asyncio.Event()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(_under_way[settlement.id].wait(), TOGETHER_S)
    else:
        _under_way[settlement.id].set()
    loose = dataclasses.replace(settlement, expected_statuses=frozenset(Status), revision=None)
    return await _settle(self, loose, claim, effects)


async def due_too_early(self: SqliteStore, now_ms: int, *, limit: int = 200) -> Any:
    """Deadlines in ten minutes are due now."""
    result = await _due(self, now_ms + EARLY_MS, limit=limit)
    return [dataclasses.replace(record, expires_at=now_ms) for record in result]


async def next_deadline_too_early(self: SqliteStore) -> int | None:
    """Deadlines are checked ten minutes early."""
    deadline = await _next_deadline(self)
    return None if deadline is None else deadline - EARLY_MS


async def find_nothing_due(*_: Any, **__: Any) -> Sequence[Any]:
    """Nothing is ever due."""
    return []


async def _add_message_again(
    self: SqliteStore, message_id: str, data: str, event: Any, *_: Any, **extra: Any
) -> Any:
    """A repeated key creates another message."""
    return await _add_message(self, message_id, data, event, None, **extra)


async def _append_again(
    self: SqliteStore, message_id: str, text: str, event: Any, *_: Any, **extra: Any
) -> Any:
    """A repeated delta is stored again."""
    return await _append_text(self, message_id, text, event, None, **extra)


async def _append_nothing(
    self: SqliteStore, message_id: str, text: str, event: Any, claim: Any = None, **extra: Any
) -> Any:
    """Sometimes a delta is sent and not stored."""
    return await _append_text(self, message_id, "" if _third() else text, event, claim, **extra)


async def find_any_execution(ctx: Any, record: Any, execution_id: str) -> Any:
    """Another execution may use the call as well."""
    try:
        return await _used_before(ctx, record, execution_id)
    except Conflict:
        return Execution(execution_id, ctx.clock.now_ms())


async def find_no_answer(*_: Any) -> None:
    """A repeated answer is not recognized."""


async def _append_some(tx: Any, drafts: Sequence[Any]) -> None:
    """One of three decisions has no entry."""
    await _append(
        tx, [draft for draft in drafts if json.loads(draft.data)["action"] != "decide" or not _third_entry()]
    )


async def _append_twice(tx: Any, drafts: Sequence[Any]) -> None:
    """An entry is written twice."""
    await _append(tx, [*drafts, *drafts])


def seal_without_chain(data: str, *, seq: int, previous_hash: str) -> tuple[str, str]:
    """An entry does not follow the one before."""
    return seal_entry(data, seq=seq, previous_hash=GENESIS)


async def write_candidate_as_secret(tx: Any, effects: SideEffects) -> None:
    """A candidate becomes the secret before it is accepted."""
    await _write_secrets(tx, effects)
    for _, secret in effects.candidates:
        await _put_secret(tx, secret)


async def write_secret_twice(tx: Any, effects: SideEffects) -> None:
    """A candidate becomes the secret twice."""
    candidates = await tx.all(secrets.CANDIDATES, *effects.promote) if effects.promote else ()
    await _write_secrets(tx, effects)
    for secret in (SecretRecord(*row) for row in candidates):
        await _put_secret(tx, dataclasses.replace(secret, version=secret.version + 1))


async def find_no_refusals(*_: Any, **__: Any) -> Sequence[Any]:
    """Refusals are not remembered."""
    return ()


async def revoke_nothing(*_: Any, **__: Any) -> Sequence[str]:
    """A revoked token still works."""
    return ()


_third, _third_entry = every_nth(3), every_nth(3)
_SKIPPING = queries.NEXT_SEQ.replace("seq + 1", "seq + 1 + (seq % 5 = 4)")
_STANDING_STILL = queries.NEXT_SEQ.replace("seq + 1", "max(seq, 1)")

PLACES: dict[str, tuple[Any, str, Any]] = {
    "a request for each try": (SqliteStore, "insert", _insert_unclaimed),
    "acknowledged long before the commit": (SqliteStore, "settle", make_early_settle(_settle)),
    "two answers win": (SqliteStore, "settle", settle_last_answer),
    "a deadline twice": (SqliteStore, "settle", _settle_again),
    "a deadline ten minutes early": (SqliteStore, "due", due_too_early),
    "an expired request is answered": (SqliteStore, "due", find_nothing_due),
    "a number in five left out": (queries, "NEXT_SEQ", _SKIPPING),
    "a message twice": (SqliteStore, "add_message", _add_message_again),
    "a delta kept twice": (SqliteStore, "append_text", _append_again),
    "a delta not kept": (SqliteStore, "append_text", _append_nothing),
    "an approved call twice": (consume, "_earlier_use", find_any_execution),
    "a replay refused": (forms, "replayed", find_no_answer),
    "a decision in three unwritten": (audit, "append", _append_some),
    "an entry twice": (audit, "append", _append_twice),
    "an entry on its own": (transaction, "seal_entry", seal_without_chain),
    "a secret before it was accepted": (secrets, "write_secrets", write_candidate_as_secret),
    "a secret put twice": (secrets, "write_secrets", write_secret_twice),
    "a refusal forgotten": (SqliteStore, "refusals", find_no_refusals),
    "a token not revoked": (SqliteStore, "revoke_tokens", revoke_nothing),
}

EARLY_DEADLINE_FAULTS = {
    "a deadline ten minutes early": (SqliteStore, "next_deadline", next_deadline_too_early)
}
"""Further replacements of a fault."""

INVARIANTS_BY_FAULT = {
    "a request for each try": "I10",
    "acknowledged long before the commit": "I2 I3",
    "two answers win": "I3 I2",
    "a deadline twice": "I4",
    "a deadline ten minutes early": "I6",
    "an expired request is answered": "I6",
    "a number in five left out": "I11",
    "a message twice": "I10",
    "a delta kept twice": "I14",
    "a delta not kept": "I14",
    "an approved call twice": "I15",
    "a replay refused": "I10 I3 I2",
    "a decision in three unwritten": "I13",
    "an entry twice": "I13",
    "an entry on its own": "I13",
    "a secret before it was accepted": "I2",
    "a secret put twice": "I2",
    "a refusal forgotten": "I16",
    "a token not revoked": "I17",
}
"""By fault, its invariant, or those of which one is detected first."""
