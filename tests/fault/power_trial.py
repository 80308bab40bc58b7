"""One trial of power loss: random work on a store until its disk loses power, then checks of what must still be true."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from askback.domain.events import Event
from askback.domain.record import Record
from askback.errors import StoreUnusable, Unavailable
from askback.ports.outcome import Outcome
from askback.ports.sessions import Session
from askback.ports.store import Claim, Settlement, Store
from askback.storage.sqlite import SqliteStore
from askback.storage.sqlite.connection import Connection
from tests.contracts.samples import (
    NOON,
    answer,
    claim,
    delta,
    message,
    message_added,
    new_session,
    principal,
    record,
    request_created,
)
from tests.fault.power_vfs import Disk

Connect = Callable[[Disk, Path], Connection]
THREADS = 3


def connect_with_checkpoints(disk: Disk, path: Path) -> Connection:
    """Connect like the product, with checkpoints so frequent that some trials hit one."""
    return disk.connect(path, "wal_autocheckpoint = 12")


@dataclass
class Ledger:
    """The attempted and the acknowledged changes."""

    tried: dict[str, Record] = field(default_factory=dict)
    inserted: dict[str, Claim] = field(default_factory=dict)
    steps: dict[str, list[Settlement]] = field(default_factory=dict)
    settled: dict[str, tuple[Settlement, Claim]] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    deltas: list[tuple[str, str]] = field(default_factory=list)
    sessions: dict[str, Session] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)


class Trial:
    """The same seed gives the same work and the same loss, up to the order of threads."""

    def __init__(
        self, seed: int, folder: Path, *, template: bytes | None, connect: Connect = connect_with_checkpoints
    ) -> None:
        self.rng = random.Random(seed)
        self.path = folder / f"{seed}.db"
        self.ledger = Ledger()
        self.disk = Disk(on_write=self._cut_power)
        self._cut = self.rng.randint(1, 90) if template is None else self.rng.randint(1, 400)
        self._number = 0
        self._connect = connect
        if template is not None:
            self.path.write_bytes(template)

    async def run(self) -> None:
        """Work until the power goes, lose it, and check; raises AssertionError or sqlite3.Error."""
        try:
            await self._work()
            self.disk.after_power_loss(self.rng)
            await check(self.path, self.ledger)
        finally:
            self.disk.close()
            for file in self.path.parent.glob(f"{self.path.name}*"):
                file.unlink()

    def _cut_power(self, disk: Disk) -> None:
        if disk.steps >= self._cut:
            disk.dead = True

    async def _work(self) -> None:
        while not self.disk.dead:  # each time round is a restart of the server
            store = SqliteStore(
                self.path,
                on_commit=self.ledger.events.extend,
                connect=lambda path: self._connect(self.disk, path),
            )
            try:
                await store.open()
            except StoreUnusable:
                assert self.disk.dead
                return
            try:
                while not self.disk.dead and self.rng.random() > 0.03:
                    await asyncio.gather(*(self._act(store) for _ in range(self.rng.randint(1, 6))))
            finally:
                await store.close()

    async def _act(self, store: Store) -> None:
        acts: tuple[Callable[[Store], Awaitable[None]], ...] = (
            self._ask, self._ask, self._answer, self._answer, self._say, self._stream, self._log_in, self._repeat,
        )  # fmt: skip
        try:
            await self.rng.choice(acts)(store)
        except Unavailable:
            assert self.disk.dead, "the store refused work although the disk was well"

    def _next(self) -> int:
        self._number += 1
        return self._number

    async def _ask(self, store: Store) -> None:
        row = record(self._next(), thread=f"t{self.rng.randrange(THREADS)}")
        self.ledger.tried[row.id] = row
        key = claim(row.id)
        change = await store.insert(row, request_created(row), key)
        assert change.outcome is Outcome.APPLIED
        self.ledger.inserted[row.id] = key

    async def _answer(self, store: Store) -> None:
        if self.ledger.inserted:
            row = self.ledger.tried[self.rng.choice(list(self.ledger.inserted))]
            people = range(self.rng.randint(1, 3))
            await asyncio.gather(*(self._settle(store, row) for _ in people))

    async def _settle(self, store: Store, row: Record) -> None:
        n = self._next()
        step, key = answer(row, f"answer {n}"), claim(f"key {n}", scope=f"answer:{row.id}")
        self.ledger.steps.setdefault(row.id, []).append(step)
        change = await store.settle(step, key)
        assert change is not None, f"{row.id} was acknowledged and is not there"
        if change.outcome is Outcome.APPLIED:
            assert row.id not in self.ledger.settled, f"{row.id} was settled twice"
            self.ledger.settled[row.id] = (step, key)

    async def _say(self, store: Store) -> None:
        message_id, thread = f"m{self._next()}", f"t{self.rng.randrange(THREADS)}"
        await store.add_message(message_id, message(), message_added(message(), thread=thread))
        self.ledger.messages[message_id] = thread

    async def _stream(self, store: Store) -> None:
        if self.ledger.messages:
            message_id = self.rng.choice(list(self.ledger.messages))
            text = f" <{self._next()}>" * self.rng.choice((1, 1, 200))
            event = delta(message_id, text, thread=self.ledger.messages[message_id])
            await store.append_text(message_id, text, event)
            self.ledger.deltas.append((message_id, text))

    async def _log_in(self, store: Store) -> None:
        code = f"code {self._next()}"
        await store.put_login(code, principal(), expires_at=NOON + 9)
        opened_items = await store.open_session(code, f"by {code}", new_session(f"ses_{code}"))
        assert opened_items is not None
        self.ledger.sessions[code] = opened_items

    async def _repeat(self, store: Store) -> None:
        if self.ledger.inserted:
            await _replay_insert(store, self.ledger, self.rng.choice(list(self.ledger.inserted)))


async def check(path: Path, ledger: Ledger) -> None:
    """Open the files of the disk with the product's own connection, and compare them with the ledger."""
    check_file(path)
    store = SqliteStore(path)
    await store.open()
    try:
        replayed = [e for n in range(THREADS) for e in await read_whole_thread(store, f"t{n}")]
        await _check_requests(store, ledger, replayed)
        await _check_messages(store, ledger, replayed)
        await _check_sessions(store, ledger)
        texts = {e.text for e in replayed}
        lost = [event.text for event in ledger.events if event.text not in texts]
        assert not lost, f"events that were delivered are gone: {lost}"
    finally:
        await store.close()


def check_file(path: Path) -> None:
    """Let SQLite look for damage."""
    if path.exists():
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert db.execute("PRAGMA foreign_key_check").fetchall() == []


async def read_whole_thread(store: Store, thread: str) -> Sequence[Event]:
    events = await store.thread_events("main", thread, after=0, limit=10_000)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    view = await store.thread("main", thread)
    assert (view.seq if view else 0) == len(events)
    return events


async def _check_requests(store: Store, ledger: Ledger, replayed_events: Sequence[Event]) -> None:
    present = {request.id: request for request in await store.list_requests("main", limit=10_000)}
    assert ledger.inserted.keys() <= present.keys(), "an acknowledged request is gone"
    assert present.keys() <= ledger.tried.keys()
    assert present.keys() == {e.request_id for e in replayed_events if e.type == "request.created"}
    endings = [e.request_id for e in replayed_events if e.settles]
    assert sorted(map(str, endings)) == sorted(r.id for r in present.values() if r.settled)
    for row in present.values():
        tried_step = ledger.tried[row.id]
        possible = [replace(tried_step, status=s.status, state=s.state) for s in ledger.steps.get(row.id, ())]
        if row.id in ledger.settled:
            step, key = ledger.settled[row.id]
            possible = [replace(tried_step, status=step.status, state=step.state)]
            second_change = await store.settle(step, key)
            assert second_change is not None
            assert second_change.outcome is Outcome.REPLAYED, "an acknowledged answer was applied again"
        else:
            possible.append(tried_step)
        assert row in possible
    for request_id in list(ledger.inserted)[-3:]:
        await _replay_insert(store, ledger, request_id)


async def _replay_insert(store: Store, ledger: Ledger, request_id: str) -> None:
    twin = replace(ledger.tried[request_id], id=f"{request_id}-again")
    change = await store.insert(twin, request_created(twin), ledger.inserted[request_id])
    assert (change.outcome, change.record.id) == (Outcome.REPLAYED, request_id), (
        "a repeated ask made a second request"
    )


async def _check_messages(store: Store, ledger: Ledger, replayed_events: Sequence[Event]) -> None:
    texts_by_message: dict[str, str] = {}
    for event in replayed_events:
        if event.type == "message.delta":
            part = json.loads(event.text)["delta"]
            texts_by_message[part["id"]] = texts_by_message.get(part["id"], "Hello") + part["text"]
    texts: dict[str, str] = {}
    for n in range(THREADS):
        view = await store.thread("main", f"t{n}")
        for item in view.messages if view else ():
            texts[item.id] = json.loads(item.data)["content"][0]["text"]
    assert ledger.messages.keys() <= texts.keys(), "an acknowledged message is gone"
    assert texts == {message_id: texts_by_message.get(message_id, "Hello") for message_id in texts}
    for message_id, text in ledger.deltas:
        assert text in texts[message_id], "an acknowledged delta is gone"


async def _check_sessions(store: Store, ledger: Ledger) -> None:
    for code, session in ledger.sessions.items():
        assert await store.session(f"by {code}", now_ms=NOON) == session
        assert await store.open_session(code, "again", new_session("ses_again")) is None
