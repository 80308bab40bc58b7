"""The conformance suites of `Presence` and `Register`: subclass one and implement its `make_…` method.

    class TestMyRegister(RegisterContracts):
        def make_register(self) -> Register:
            return MyRegister()

A lease ends by the clock of the register, which may be another machine: these tests wait for its end.
"""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

import anyio
import pytest

from askback.ports.presence import Presence, PresenceRegister

SHORT_MS = 50
LONG_MS = 60_000


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a condition is true; raises `TimeoutError` if it does not become true."""
    with anyio.fail_after(10):
        while True:
            if await holds():
                return
            await anyio.sleep(0.01)  # no event tells when another machine's clock has moved on


class PresenceContracts:
    """The contracts of `askback.ports.presence.Presence`."""

    pytestmark = pytest.mark.anyio

    def make_servers(self) -> tuple[Presence, Presence]:
        """Return the presence of two servers with the same people; twice the same if there is only one."""
        raise NotImplementedError

    @pytest.fixture
    async def servers(self) -> AsyncIterator[tuple[Presence, Presence]]:
        """Two open servers."""
        servers = self.make_servers()
        for server in dict.fromkeys(servers):
            await server.open()
        yield servers
        for server in dict.fromkeys(servers):
            await server.close()

    async def test_nobody_is_there_until_somebody_comes(self, servers: tuple[Presence, Presence]) -> None:
        here, there = servers
        assert not await here.anybody("main", "t1")
        there.enter("main", "t1")
        await there.synchronized()
        assert await here.anybody("main", "t1")
        assert await there.anybody("main", "t1")

    async def test_somebody_elsewhere_or_of_another_tenant_is_not_there(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        here, there = servers
        for place in (("main", "t2"), ("acme", "t1"), ("acme", None)):
            there.enter(*place)
        await there.synchronized()
        assert not await here.anybody("main", "t1")

    async def test_somebody_who_watches_everything_is_in_each_thread(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        here, there = servers
        there.enter("main", None)
        await there.synchronized()
        assert await here.anybody("main", "any")

    async def test_somebody_is_there_until_the_last_has_left(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        here, there = servers
        first, last = there.enter("main", "t1"), there.enter("main", "t1")
        first()
        first()
        await there.synchronized()
        assert await here.anybody("main", "t1")
        last()
        await there.synchronized()
        assert not await here.anybody("main", "t1")

    async def test_who_leaves_and_comes_again_at_once_is_there(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        here, there = servers
        there.enter("main", "t1")()
        there.enter("main", "t1")
        await there.synchronized()
        there.enter("main", "t2")()
        await there.synchronized()
        assert await here.anybody("main", "t1")
        assert not await here.anybody("main", "t2")

    async def test_a_place_whose_name_is_odd_is_a_place_or_none_and_disturbs_nobody(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        here, there = servers
        for name in ("\0", "'; --", "ß\u2028"):
            there.enter("main", name)
        there.enter("main", "t1")
        await there.synchronized()
        assert await here.anybody("main", "t1")
        assert await here.anybody("main", "'; --")
        assert not await here.anybody("main", "")

    async def test_who_comes_first_to_a_place_is_told_everywhere_and_counted_by_then(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        here, there = servers
        told = list[tuple[str, str | None]]()
        heard = anyio.Event()

        def hear(tenant: str, thread_id: str | None) -> None:
            told.append((tenant, thread_id))
            if thread_id is None:
                heard.set()

        here.on_arrival(hear)
        there.enter("main", "t1")
        await there.synchronized()
        there.enter("main", "t1")
        there.enter("acme", None)
        with anyio.fail_after(10):
            await heard.wait()
        assert told == [("main", "t1"), ("acme", None)]
        assert await here.anybody("acme", "t9")


class RegisterContracts:
    """The contracts of `askback.ports.presence.Register`."""

    pytestmark = pytest.mark.anyio

    def make_register(self) -> PresenceRegister:
        """Return an empty register."""
        raise NotImplementedError

    @pytest.fixture
    async def register(self) -> PresenceRegister:
        """An empty register."""
        return self.make_register()

    async def test_what_was_written_stands_while_the_lease_is_renewed(
        self, register: PresenceRegister
    ) -> None:
        came, left = [("main", "t1"), ("main", "t2")], [("main", "t1"), ("main", "never")]
        assert not await register.update("one", added=came, removed=(), lease_ms=LONG_MS)
        assert await register.update("one", added=[("main", "t3")], removed=left, lease_ms=LONG_MS)
        assert await register.update("one", added=came[1:], removed=(), lease_ms=LONG_MS)
        assert [await register.anybody("main", f"t{n}") for n in (1, 2, 3)] == [False, True, True]

    async def test_each_server_speaks_for_itself(self, register: PresenceRegister) -> None:
        for server in ("one", "two"):
            await register.update(
                server, added=[("main", "t1"), ("main", None)], removed=(), lease_ms=LONG_MS
            )
        await register.update("one", added=(), removed=[("main", "t1"), ("main", None)], lease_ms=LONG_MS)
        assert await register.anybody("main", "t1")
        await register.remove("two")
        assert not await register.anybody("main", "t1")
        assert not await register.update("two", added=(), removed=(), lease_ms=LONG_MS)

    async def test_a_server_that_is_not_heard_of_any_more_counts_no_longer_than_its_lease(
        self, register: PresenceRegister
    ) -> None:
        await register.update("dead", added=[("main", "t1")], removed=(), lease_ms=SHORT_MS)
        await register.update("alive", added=[("main", "t2")], removed=(), lease_ms=LONG_MS)

        async def gone() -> bool:
            return not await register.anybody("main", "t1")

        await until(gone)
        assert await register.anybody("main", "t2")
