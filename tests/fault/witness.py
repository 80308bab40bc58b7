"""Hold conversations of all kinds during the failures, watch them over all interfaces, and compare.

A conversation runs each scenario (`scenarios.py`) once, all at the same time, while readers stay on the streams of their
threads and on the inbox, over SSE and over WebSocket, a webhook gets all events, and the audit log is read.
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
from tests.fault.scenarios import SCENARIOS, Scenario, ScenarioSteps, check_revoked_tokens
from tests.fault.streams import SCENARIO_PREFIX, Place, SocketReader, SseReader, StreamEvent

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
        scenarios: Sequence[ScenarioSteps] = SCENARIOS,
    ) -> None:
        self.done = anyio.Event()
        self._all_steps = scenarios
        self._caller = Caller(urls, ledger)
        self._audit = Audit(self._caller)
        self._ledger = ledger
        self._patience_s = patience_s
        self._kills = kills if len(urls) == 1 else itertools.count().__next__
        self._scenarios: list[Scenario] = []

    async def run(self, *, once: bool = False) -> None:
        """Continue until `done`, or for one conversation; at the end everything is repeated."""
        try:
            async with listen_for_deliveries(self._ledger) as hook:
                agent = await self._begin(hook)
                for number in itertools.count():
                    scenarios = [
                        (steps, self._new_scenario(agent, number, steps)) for steps in self._all_steps
                    ]
                    await _Conversation(self._caller, self._ledger, hook, scenarios).run()
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
        await self._delete_other_webhooks(hook, added.body["id"])
        return reply.body["token"]

    async def _delete_other_webhooks(self, hook: Hook, webhook_id: str) -> None:
        """A call whose reply was lost may have created a webhook as well: it takes no idempotency key."""
        for webhook in (await self._caller.read(ADMIN, "/v1/webhooks"))["webhooks"]:
            if webhook["url"] == hook.url and webhook["id"] != webhook_id:
                await self._caller.send(ADMIN, "DELETE", f"/v1/webhooks/{webhook['id']}")

    def _new_scenario(self, agent: str, number: int, steps: ScenarioSteps) -> Scenario:
        name = f"{SCENARIO_PREFIX}{number}-{getattr(steps, '__name__', '')}"
        scenario = Scenario(self._caller, agent, name, self._patience_s, self._kills)
        self._scenarios.append(scenario)
        return scenario

    async def _check_audit(self) -> None:
        entries = await self._audit.read()
        for scenario in self._scenarios:
            for action, times in scenario.entries.items():
                self._caller.expect(
                    entries[action] == times, "I13", f"{action} has {entries[action]} entries, not {times}"
                )

    async def _conclude(self, hook: Hook) -> None:
        await self._caller.repeat_everything()
        for scenario in self._scenarios:
            await check_revoked_tokens(scenario)
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
    """The scenarios of one turn, and their watchers."""

    def __init__(
        self, caller: Caller, ledger: Ledger, hook: Hook, scenarios: Sequence[tuple[ScenarioSteps, Scenario]]
    ) -> None:
        self._caller = caller
        self._ledger = ledger
        self._hook = hook
        self._scenarios = scenarios

    async def run(self) -> None:
        """Run the scenarios, and compare the seen events."""
        async with anyio.create_task_group() as tasks:
            threads = [scenario.thread for _, scenario in self._scenarios]
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
            async with anyio.create_task_group() as scenario_tasks:
                for steps, scenario in self._scenarios:
                    scenario_tasks.start_soon(steps, scenario)
            for (_, scenario), stream_place, socket_place in zip(
                self._scenarios, readers, socket.places, strict=False
            ):
                await self._compare(scenario, (stream_place.place, socket_place), (inbox, socket.places[-1]))
            tasks.cancel_scope.cancel()

    async def _end_when_found(self) -> None:
        while not self._ledger.faults:
            await anyio.sleep(0.02)
        raise Found("by a reader")

    def _place(self, kind: str, thread: str | None, *, cursor: int | None = None) -> Place:
        begin = cursor if cursor is not None else -1 if thread is None else 0
        return Place(f"{thread or 'the inbox'} over {kind}", self._ledger, thread=thread, cursor=begin)

    async def _compare(self, scenario: Scenario, places: Sequence[Place], inboxes: Sequence[Place]) -> None:
        """Every stream must have the events of the scenarios, in order."""
        if not scenario.events:
            return
        last_seq = (await self._caller.read(RESPONDER, f"/v1/threads/{scenario.thread}"))["seq"]
        for stream_place in places:
            await self._until(
                scenario,
                lambda place=stream_place: place.cursor >= last_seq,
                f"{stream_place.name} ends before {last_seq}",
            )
            findings = [event[2:] for event in stream_place.events if event.type != QUIET]
            self._caller.expect(
                findings == scenario.events, "I4", f"{stream_place.name}: {findings}, not {scenario.events}"
            )
        requests = [event for event in places[0].events if event.type.startswith("request.")]
        for inbox in inboxes:
            events = partial(events_of_thread, inbox, scenario.thread)
            await self._until(
                scenario, lambda given=events: given()[-1:] == requests[-1:], f"{inbox.name} is short"
            )
            self._caller.expect(events() == requests, "I11", f"{inbox.name}: {events()}, not {requests}")
        for request in requests:
            if request.type in EVENT_TYPES:
                deliveries = partial(self._hook.delivered, scenario.thread, request.seq)
                await self._until(
                    scenario, lambda come=deliveries: come() is not None, f"no webhook has {request}", "I12"
                )

    async def _until(
        self, scenario: Scenario, so: Callable[[], bool], how: str, invariant: str = "I11"
    ) -> None:
        with anyio.move_on_after(scenario.patience_s):
            while not so():
                if self._ledger.faults:
                    raise Found(how)
                await anyio.sleep(0.01)
            return
        raise self._caller.broken(invariant, f"{scenario.thread}: {how}")


def events_of_thread(inbox: Place, thread: str) -> list[StreamEvent]:
    return [event for event in inbox.events if event.thread == thread]


async def run_conversation(
    folder: Path,
    *,
    fault: str | None = None,
    patience_s: float = 3,
    scenarios: Sequence[ScenarioSteps] = SCENARIOS,
) -> Sequence[str]:
    """Hold one conversation with a separate server; return the faults found."""
    ledger = Ledger(folder)
    server = Server(folder, fault=fault, limits=replace(LIMITS, resume_lease_s=1, check_lease_s=1))
    await server.start()
    try:
        watching = Witness([server.url], ledger, patience_s=patience_s, kills=lambda: 0, scenarios=scenarios)
        await watching.run(once=True)
    finally:
        server.kill()
    return ledger.faults
