"""Hold conversations of all kinds during the failures, watch them over all interfaces, and compare.

A conversation is one of each talk (`talks.py`) at once, while readers stay on the streams of their threads and on the
inbox, over SSE and over WebSocket, a webhook gets all events, and the audit log is read.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio

from tests.fault.audit import Audit
from tests.fault.caller import Caller, Found
from tests.fault.hook import EVENT_TYPES, Hook, listen_for_deliveries
from tests.fault.ledger import Ledger
from tests.fault.pace import LIMITS
from tests.fault.processes import ADMIN, RESPONDER, Server
from tests.fault.streams import TALK, Place, SocketReader, SseReader, StreamEvent
from tests.fault.talks import TALKS, Subject, Talk, check_revoked_tokens

QUIET = "request.noted"
"""Occurs again when a renewal is repeated."""


class Witness:
    """One agent and one person, who hold one conversation after another."""

    def __init__(
        self,
        urls: Sequence[str],
        ledger: Ledger,
        *,
        patience_s: float,
        kills: Callable[[], int],
        talks: Sequence[Subject] = TALKS,
    ) -> None:
        self.done = anyio.Event()
        self._subjects = talks
        self._caller = Caller(urls, ledger)
        self._audit = Audit(self._caller)
        self._ledger = ledger
        self._patience_s = patience_s
        self._kills = kills if len(urls) == 1 else itertools.count().__next__
        self._talks: list[Talk] = []

    async def run(self, *, once: bool = False) -> None:
        """Continue until `done`, or for one conversation; at the end everything is repeated."""
        try:
            async with listen_for_deliveries(self._ledger) as hook:
                agent = await self._begin(hook)
                for number in itertools.count():
                    talks = [(subject, self._talk(agent, number, subject)) for subject in self._subjects]
                    await _Conversation(self._caller, self._ledger, hook, talks).run()
                    await self._check_audit()
                    if once or self.done.is_set():
                        break
                await self._conclude(hook)
        except* Found:
            pass
        finally:
            await self._caller.close()

    async def _begin(self, hook: Hook) -> str:
        reply = await self._caller.send(ADMIN, "POST", "/v1/tokens", {"role": "requester", "name": "talker"})
        body = {"url": hook.url, "requester": reply.body["agent"], "events": list(EVENT_TYPES)}
        added = await self._caller.send(ADMIN, "POST", "/v1/webhooks", body)
        self._caller.expect(added.status == 201, "I12", f"no webhook was made: {added}")
        return reply.body["token"]

    def _talk(self, agent: str, number: int, subject: Subject) -> Talk:
        name = f"{TALK}{number}-{getattr(subject, '__name__', '')}"
        talk = Talk(self._caller, agent, name, self._patience_s, self._kills)
        self._talks.append(talk)
        return talk

    async def _check_audit(self) -> None:
        entries = await self._audit.read()
        for talk in self._talks:
            for action, times in talk.entries.items():
                self._caller.expect(
                    entries[action] == times, "I13", f"{action} has {entries[action]} entries, not {times}"
                )

    async def _conclude(self, hook: Hook) -> None:
        await self._caller.repeat_everything()
        for talk in self._talks:
            await check_revoked_tokens(talk)
        await self._check_audit()
        await self._redeliver(hook)

    async def _redeliver(self, hook: Hook) -> None:
        """Redeliver a message: it must arrive under the same id."""
        listing = await self._caller.read(ADMIN, "/v1/webhooks")
        [mine] = [webhook for webhook in listing["webhooks"] if webhook["url"] == hook.url]
        path = f"/v1/webhooks/{mine['id']}"
        logged_delivery = (await self._caller.read(ADMIN, f"{path}/deliveries?limit=1"))["deliveries"][0]
        message_id = logged_delivery["message_id"]
        before = hook.times(message_id)
        await self._caller.send(ADMIN, "POST", f"{path}/redeliver", {"delivery": logged_delivery["id"]})
        with anyio.move_on_after(self._patience_s):
            while before == 0 or hook.times(message_id) == before:
                self._caller.expect(not self._ledger.faults, "I12", "while it was sent again")
                await anyio.sleep(0.02)
            return
        raise self._caller.broken("I12", f"{message_id} was sent again, and did not come under its id")


class _Conversation:
    """The talks of one turn, and their watchers."""

    def __init__(
        self, caller: Caller, ledger: Ledger, hook: Hook, talks: Sequence[tuple[Subject, Talk]]
    ) -> None:
        self._caller = caller
        self._ledger = ledger
        self._hook = hook
        self._talks = talks

    async def run(self) -> None:
        """Talk, and compare the seen events."""
        async with anyio.create_task_group() as tasks:
            threads = [talk.thread for _, talk in self._talks]
            socket = SocketReader(
                self._caller.url,
                [self._place("WebSocket", thread) for thread in threads] + [self._place("WebSocket", None)],
            )
            tasks.start_soon(self._end_when_found)
            tasks.start_soon(socket.run)
            await socket.ready.wait()
            inbox = self._place("SSE", None, cursor=socket.places[-1].cursor)
            readers = [
                SseReader(self._caller.http, self._caller.url, self._place("SSE", thread))
                for thread in threads
            ]
            readers.append(SseReader(self._caller.http, self._caller.url, inbox))
            for reader in readers:
                tasks.start_soon(reader.run)
            async with anyio.create_task_group() as talking:
                for subject, talk in self._talks:
                    talking.start_soon(subject, talk)
            for (_, talk), stream_place, socket_place in zip(
                self._talks, readers, socket.places, strict=False
            ):
                await self._compare(talk, (stream_place.place, socket_place), (inbox, socket.places[-1]))
            tasks.cancel_scope.cancel()

    async def _end_when_found(self) -> None:
        while not self._ledger.faults:
            await anyio.sleep(0.02)
        raise Found("by a reader")

    def _place(self, kind: str, thread: str | None, *, cursor: int | None = None) -> Place:
        begin = cursor if cursor is not None else -1 if thread is None else 0
        return Place(f"{thread or 'the inbox'} over {kind}", self._ledger, thread=thread, cursor=begin)

    async def _compare(self, talk: Talk, places: Sequence[Place], inboxes: Sequence[Place]) -> None:
        """Every stream must have the events of the talks, in order."""
        if not talk.events:
            return
        last_seq = (await self._caller.read(RESPONDER, f"/v1/threads/{talk.thread}"))["seq"]
        for stream_place in places:
            await self._until(
                talk,
                lambda place=stream_place: place.cursor >= last_seq,
                f"{stream_place.name} ends before {last_seq}",
            )
            findings = [event[2:] for event in stream_place.events if event.type != QUIET]
            self._caller.expect(
                findings == talk.events, "I4", f"{stream_place.name}: {findings}, not {talk.events}"
            )
        requests = [event for event in places[0].events if event.type.startswith("request.")]
        for inbox in inboxes:
            events = partial(events_of_thread, inbox, talk.thread)
            await self._until(
                talk, lambda given=events: given()[-1:] == requests[-1:], f"{inbox.name} is short"
            )
            self._caller.expect(events() == requests, "I11", f"{inbox.name}: {events()}, not {requests}")
        for request in requests:
            if request.type in EVENT_TYPES:
                deliveries = partial(self._hook.delivered, talk.thread, request.seq)
                await self._until(
                    talk, lambda come=deliveries: come() is not None, f"no webhook has {request}", "I12"
                )

    async def _until(self, talk: Talk, so: Callable[[], bool], how: str, invariant: str = "I11") -> None:
        with anyio.move_on_after(talk.patience_s):
            while not so():
                if self._ledger.faults:
                    raise Found(how)
                await anyio.sleep(0.01)
            return
        raise self._caller.broken(invariant, f"{talk.thread}: {how}")


def events_of_thread(inbox: Place, thread: str) -> list[StreamEvent]:
    return [event for event in inbox.events if event.thread == thread]


async def play(
    folder: Path, *, fault: str | None = None, patience_s: float = 3, talks: Sequence[Subject] = TALKS
) -> Sequence[str]:
    """Hold one conversation with a separate server; return the faults found."""
    ledger = Ledger(folder)
    server = Server(folder, fault=fault, limits=replace(LIMITS, resume_lease_s=1, check_lease_s=1))
    await server.start()
    try:
        watching = Witness([server.url], ledger, patience_s=patience_s, kills=lambda: 0, talks=talks)
        await watching.run(once=True)
    finally:
        server.kill()
    return ledger.faults
