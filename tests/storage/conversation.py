"""A conversation with a store, made up by Hypothesis: each call is made to the model as well, and returns the same."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from itertools import count
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)

from askback.domain.events import Event, EventDraft
from askback.domain.lifecycle import TERMINAL, TRANSITIONS, Action, Status
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.domain.state import State
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, SideEffects
from askback.ports.resumes import Lease, Resume
from askback.ports.store import (
    Change,
    Claim,
    ClaimMismatch,
    MessageFull,
    MessageMissing,
    Settlement,
    Store,
)
from tests.contracts.samples import NOON, added, created, delta, message, record
from tests.contracts.suite import OnCommit
from tests.storage.model import Model

THREADS = ("t1", "t2", "t3")
AGENTS = ("tok_1", "tok_2")
HELLO = "Hello"
MOST = 12
"""Bytes that can be appended to a message."""

threads, agents = st.sampled_from(THREADS), st.sampled_from(AGENTS)
which = st.integers(0, 30)
"""Which of what there is: the rest of a division."""
keys = st.one_of(st.none(), st.tuples(st.sampled_from("abc"), st.sampled_from("xxxy")))
"""A key, and what stands for the body that comes with it."""

steps = st.tuples(
    st.sampled_from((True, True, True, False)),  # one that the lifecycle allows now
    which,
    st.sampled_from((None, 0, 0, 0, 1)),  # how many revisions too late it comes, None for whichever it is
    keys,
    st.sampled_from((None, False, True)),  # with a resume, which may be held
    st.one_of(st.none(), st.integers(1, 9)),  # with a new deadline
)

STEPS = tuple(step for step in TRANSITIONS if step[1] is not Action.UPDATE)
"""To a store an update is a reprompt of a request that is pending, so it is left out."""
ACTIONS = [action for action in Action if action is not Action.UPDATE]


class Place:
    """A store that is open on a loop of its own, shared by all conversations: each has a tenant to itself."""

    def __init__(self, make: Callable[[OnCommit], Store], runner: asyncio.Runner, *, reopened: bool) -> None:
        self.make, self.reopened = make, reopened
        self._runner = runner
        self.told: list[Event] = []
        self.numbers = count(1)
        self.open()

    def open(self) -> None:
        self.store = self.make(self.told.extend)
        self.run(self.store.open())

    def run(self, call: Any) -> Any:
        async def bounded() -> Any:
            async with asyncio.timeout(120):
                return await call

        return self._runner.run(bounded())


class Conversation(RuleBasedStateMachine):
    """One of them; `place` is set by whoever runs it."""

    place: Place

    def __init__(self) -> None:
        super().__init__()
        self.number = next(self.place.numbers)
        self.tenant = f"tenant-{self.number}"
        self.model = Model(NOON)
        self.leases: list[Lease] = []
        self.resume_ids = count(self.number * 10_000)
        self.message_ids = count(1)
        self.told_before = len(self.place.told)

    # --- requests ----------------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        self.ask("t1", "tok_1", None, 5)

    @rule(thread=threads, agent=agents, key=keys, timeout=st.one_of(st.none(), st.integers(1, 9)))
    def ask(self, thread: str, agent: str, key: tuple[str, str] | None, timeout: int | None) -> None:
        number = self.number * 1_000 + len(self.model.requests)
        expires_at = None if timeout is None else self.model.now + timeout
        row = record(number, tenant=self.tenant, thread=thread, requester=agent, expires_at=expires_at)
        claim = self._claim("create", key)
        expected = self.model.insert(row, created(row), claim)
        self._same(expected, self._did(self.place.store.insert(row, created(row), claim)))

    @precondition(lambda self: self.model.requests)
    @rule(n=which, steps=st.lists(steps, min_size=1, max_size=6))
    def go_on_with(self, n: int, steps: list[tuple[Any, ...]]) -> None:
        for step in steps:
            self.take_a_step(n, *step)

    def take_a_step(
        self,
        n: int,
        legal: bool,
        does: int,
        stale: int | None,
        key: tuple[str, str] | None,
        held: bool | None,
        lasts: int | None,
    ) -> None:
        row = self._request(n)
        actions = [action for status, action in STEPS if not legal or status is row.status] or ACTIONS
        action = actions[does % len(actions)]
        revision = None if stale is None else row.revision - stale
        step = self._step(row, action, revision, lasts)
        goes_on = held is not None and step.status in {*TERMINAL, Status.RESOLVING}
        resumes = self._resumes(row, step.status, held=bool(held)) if goes_on else ()
        claim = self._claim(f"answer:{row.id}", key)
        expected = self.model.settle(step, claim, resumes)
        effects = SideEffects(resumes=resumes) if resumes else NOTHING
        self._same(expected, self._did(self.place.store.settle(step, claim, effects)))

    @precondition(lambda self: self.model.requests)
    @rule(n=which, current=st.booleans())
    def vote(self, n: int, current: bool) -> None:
        row = self._request(n)
        step = self._step(row, Action.VOTE, row.revision, before=row.state if current else State("{}"))
        self._same(self.model.settle(step, None, ()), self._did(self.place.store.settle(step)))

    @precondition(lambda self: any(not row.settled for row in self.model.requests.values()))
    @rule(n=which, hands=st.integers(2, 5))
    def answer_all_at_once(self, n: int, hands: int) -> None:
        """One of them wins; which one is the store's to say."""
        still_open = [row for row in self.model.requests.values() if not row.settled]
        row = still_open[n % len(still_open)]
        steps = [self._step(row, Action.CANCEL, None, said=f"hand {hand}") for hand in range(hands)]

        async def all_at_once() -> list[Change | None]:
            return await asyncio.gather(*(self.place.store.settle(step) for step in steps))

        changes = self.place.run(all_at_once())
        won = [hand for hand, change in enumerate(changes) if change.outcome is Outcome.APPLIED]
        assert len(won) == 1, f"{len(won)} of {hands} have won"
        expected = self.model.settle(steps[won[0]], None, ())
        assert isinstance(expected, tuple)
        assert [change.record for change in changes] == [expected[1]] * hands

    @rule(ms=st.integers(1, 6))
    def let_time_pass(self, ms: int) -> None:
        self.model.now += ms

    @rule()
    def look_at_what_is_due(self) -> None:
        found = self.place.run(self.place.store.due(self.model.now, limit=1_000))
        times = {row.id: row.due_at for row in self.model.requests.values()}
        assert sorted(row.id for row in found) == sorted(self.model.due())
        assert [times[row.id] for row in found] == [times[request_id] for request_id in self.model.due()]
        assert self.place.run(self.place.store.next_deadline()) == self.model.next_deadline()

    # --- messages ----------------------------------------------------------------------------

    @rule(thread=threads, key=keys)
    def say(self, thread: str, key: tuple[str, str] | None) -> None:
        message_id = f"msg_{next(self.message_ids)}"
        event = added(message(HELLO), tenant=self.tenant, thread=thread)
        claim = self._claim("message", key)
        expected = self.model.say(message_id, HELLO, event, claim)
        did = self._did(self.place.store.add_message(message_id, message(HELLO), event, claim))
        assert (did if isinstance(did, type) else did[1]) == (
            expected if isinstance(expected, type) else expected[0]
        )

    @rule(thread=threads, n=st.integers(1, 4), text=st.sampled_from(("!", " Welt", "\N{SNOWMAN}")), key=keys)
    def append(self, thread: str, n: int, text: str, key: tuple[str, str] | None) -> None:
        message_id = f"msg_{n}"
        event = delta(message_id, text, tenant=self.tenant, thread=thread)
        claim = self._claim("delta", key)
        expected = self.model.append(message_id, text, event, claim, most=MOST, start=len(HELLO))
        did = self._did(self.place.store.append_text(message_id, text, event, claim, most=MOST))
        assert did == (expected if isinstance(expected, type) else expected[0])

    # --- resumes -----------------------------------------------------------------------------

    @rule(
        agent=agents,
        thread=st.sampled_from((None, None, "t1")),
        later=st.integers(0, 4),
        lasts=st.integers(1, 6),
        limit=st.integers(1, 3),
    )
    def lease(self, agent: str, thread: str | None, later: int, lasts: int, limit: int) -> None:
        self.model.now += later
        store, now = self.place.store, self.model.now
        assert self.place.run(
            store.next_resume(self.tenant, agent, thread_id=thread)
        ) == self.model.next_resume(agent, thread)
        until = now + lasts
        found = self.place.run(
            store.lease_resumes(self.tenant, agent, thread_id=thread, now_ms=now, until_ms=until, limit=limit)
        )
        assert list(found) == self.model.lease(agent, thread, until=until, limit=limit)
        self.leases += found

    @precondition(lambda self: self.leases)
    @rule(n=which, stranger=st.sampled_from((False, False, False, True)))
    def finish(self, n: int, stranger: bool) -> None:
        lease = self.leases[n % len(self.leases)]
        agent, attempt = AGENTS[stranger ^ (lease.resume.requester == AGENTS[1])], lease.attempt
        done = self.place.run(
            self.place.store.finish_resume(
                self.tenant, agent, lease.resume.id, attempt=attempt, now_ms=self.model.now
            )
        )
        assert done == self.model.finish(lease.resume.id, agent, attempt)

    @precondition(lambda self: self.leases)
    @rule(n=which)
    def give_back(self, n: int) -> None:
        lease = self.leases[n % len(self.leases)]
        self.place.run(self.place.store.release_resume(lease, now_ms=self.model.now))
        self.model.release(lease)

    @precondition(lambda self: self.model.requests)
    @rule(n=which)
    def reach(self, n: int) -> None:
        request_id = self._request(n).id
        self.place.run(self.place.store.drop_held(self.tenant, [request_id]))
        self.model.drop_held(request_id)

    # --- everything --------------------------------------------------------------------------

    @precondition(lambda self: self.place.reopened)
    @rule()
    def close_and_open(self) -> None:
        self.place.run(self.place.store.close())
        self.place.open()

    def teardown(self) -> None:
        """Compare all there is, and leave nothing open behind: deadlines are of all tenants."""
        try:
            self._compare()
        finally:
            for row in self.model.requests.values():
                if not row.settled:
                    self.place.run(self.place.store.settle(self._step(row, Action.CANCEL, None)))

    def _compare(self) -> None:
        store, run, model = self.place.store, self.place.run, self.model
        listed = run(store.list_requests(self.tenant, limit=1_000))
        assert list(listed) == sorted(model.requests.values(), key=lambda row: row.id, reverse=True)
        for request_id, row in model.requests.items():
            assert run(store.get(self.tenant, request_id)) == row
            for cause in ("", "check:1"):
                standing = run(store.resume_of(self.tenant, request_id, cause))
                assert standing == model.resumes.get((request_id, cause))
        stored = run(store.tenant_events(self.tenant, after=0, limit=1_000))
        told = self.place.told[self.told_before :]
        for events in (stored, told):
            assert [(e.type, e.thread_id, e.seq, e.request_id) for e in events] == model.log
            positions = [e.position for e in events]
            assert positions == sorted(set(positions))
        for thread in THREADS:
            view = run(store.thread(self.tenant, thread, limit=1_000))
            messages = {} if view is None else {each.id: _text(each.data) for each in view.messages}
            assert messages == {name: text for (where, name), text in model.texts.items() if where == thread}
            assert (0 if view is None else view.seq) == sum(where == thread for _, where, _, _ in model.log)

    # --- parts -------------------------------------------------------------------------------

    def _request(self, n: int) -> Record:
        rows = list(self.model.requests.values())
        return rows[n % len(rows)]

    def _claim(self, scope: str, key: tuple[str, str] | None) -> Claim | None:
        return None if key is None else Claim(self.tenant, "tok_1", scope, *key)

    def _resumes(self, row: Record, status: Status, *, held: bool) -> tuple[Resume, ...]:
        at = self.model.now + 3 * held
        number = f"rsm_{next(self.resume_ids):026d}"
        cause = f"check:{row.revision}" if status is Status.RESOLVING else ""
        return (Resume(number, self.tenant, row.thread_id, row.requester, row.id, at, held, cause),)

    def _step(
        self,
        row: Record,
        action: Action,
        revision: int | None,
        lasts: int | None = None,
        *,
        said: str = "",
        before: State | None = None,
    ) -> Settlement:
        """A step as the services take it: from wherever the lifecycle allows it."""
        expected = frozenset(status for status, does in TRANSITIONS if does is action)
        status = TRANSITIONS[row.status if row.status in expected else min(expected), action]
        asks_again = action is Action.REPROMPT
        state = json.dumps({"status": status, "revision": row.revision + asks_again, "said": said})
        kind = f"request.{action}"
        event = EventDraft(kind, self.tenant, row.thread_id, self.model.now, row.id, state, row.requester)
        until = None if lasts is None else self.model.now + lasts
        return Settlement(
            self.tenant,
            row.id,
            expected if status in TERMINAL or action is not Action.NOTE else frozenset({row.status}),
            revision,
            status,
            State(state),
            event,
            state_before=before,
            asks_again=asks_again,
            spec=Spec(row.spec.text.replace("Nº", "Again, nº")) if asks_again else None,
            times=None if until is None else (until, until),
        )

    def _did(self, call: Any) -> Any:
        try:
            return self.place.run(call)
        except (ClaimMismatch, MessageMissing, MessageFull) as refused:
            return type(refused)

    def _same(self, expected: object, did: Change | type | None) -> None:
        assert ((did.outcome, did.record) if isinstance(did, Change) else did) == expected


def _text(data: str) -> str:
    return json.loads(data)["content"][-1]["text"]
