"""The conformance suites of `Presence` and `PresenceRegister`: subclass one and implement its `make_…` method.

    class TestMyRegister(RegisterContracts):
        def make_register(self) -> PresenceRegister:
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


async def wait_until(holds: Callable[[], Awaitable[bool]]) -> None:
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

    async def test_a_thread_has_no_viewer_until_one_enters(self, servers: tuple[Presence, Presence]) -> None:
        first_server, second_server = servers
        assert not await first_server.has_viewer("main", "t1")
        second_server.enter("main", "t1")
        await second_server.wait_until_synchronized()
        assert await first_server.has_viewer("main", "t1")
        assert await second_server.has_viewer("main", "t1")

    async def test_viewers_of_other_threads_and_tenants_do_not_count(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        first_server, second_server = servers
        for tenant_and_thread in (("main", "t2"), ("acme", "t1"), ("acme", None)):
            second_server.enter(*tenant_and_thread)
        await second_server.wait_until_synchronized()
        assert not await first_server.has_viewer("main", "t1")

    async def test_a_viewer_of_everything_counts_in_each_thread(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        first_server, second_server = servers
        second_server.enter("main", None)
        await second_server.wait_until_synchronized()
        assert await first_server.has_viewer("main", "any")

    async def test_a_thread_has_viewers_until_the_last_one_leaves(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        first_server, second_server = servers
        first, last = second_server.enter("main", "t1"), second_server.enter("main", "t1")
        first()
        first()
        await second_server.wait_until_synchronized()
        assert await first_server.has_viewer("main", "t1")
        last()
        await second_server.wait_until_synchronized()
        assert not await first_server.has_viewer("main", "t1")

    async def test_a_viewer_that_leaves_and_returns_immediately_counts(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        first_server, second_server = servers
        second_server.enter("main", "t1")()
        second_server.enter("main", "t1")
        await second_server.wait_until_synchronized()
        second_server.enter("main", "t2")()
        await second_server.wait_until_synchronized()
        assert await first_server.has_viewer("main", "t1")
        assert not await first_server.has_viewer("main", "t2")

    async def test_an_unusual_thread_id_affects_no_other_thread(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        first_server, second_server = servers
        for name in ("\0", "'; --", "ß\u2028"):
            second_server.enter("main", name)
        second_server.enter("main", "t1")
        await second_server.wait_until_synchronized()
        assert await first_server.has_viewer("main", "t1")
        assert await first_server.has_viewer("main", "'; --")
        assert not await first_server.has_viewer("main", "")

    async def test_the_first_viewer_is_announced_after_it_is_counted(
        self, servers: tuple[Presence, Presence]
    ) -> None:
        first_server, second_server = servers
        announcements = list[tuple[str, str | None]]()
        received_event = anyio.Event()

        def record(tenant: str, thread_id: str | None) -> None:
            announcements.append((tenant, thread_id))
            if thread_id is None:
                received_event.set()

        first_server.on_arrival(record)
        second_server.enter("main", "t1")
        await second_server.wait_until_synchronized()
        second_server.enter("main", "t1")
        second_server.enter("acme", None)
        with anyio.fail_after(10):
            await received_event.wait()
        assert announcements == [("main", "t1"), ("acme", None)]
        assert await first_server.has_viewer("acme", "t9")


class RegisterContracts:
    """The contracts of `askback.ports.presence.PresenceRegister`."""

    pytestmark = pytest.mark.anyio

    def make_register(self) -> PresenceRegister:
        """Return an empty register."""
        raise NotImplementedError

    @pytest.fixture
    async def register(self) -> PresenceRegister:
        """An empty register."""
        return self.make_register()

    async def test_entries_stay_while_the_lease_is_renewed(self, register: PresenceRegister) -> None:
        entered, left = [("main", "t1"), ("main", "t2")], [("main", "t1"), ("main", "never")]
        assert not await register.update("one", added=entered, removed=(), lease_ms=LONG_MS)
        assert await register.update("one", added=[("main", "t3")], removed=left, lease_ms=LONG_MS)
        assert await register.update("one", added=entered[1:], removed=(), lease_ms=LONG_MS)
        assert [await register.has_viewer("main", f"t{n}") for n in (1, 2, 3)] == [False, True, True]

    async def test_each_server_changes_only_its_own_entries(self, register: PresenceRegister) -> None:
        for server in ("one", "two"):
            await register.update(
                server,
                added=[("main", "t1"), ("main", None)],
                removed=(),
                lease_ms=LONG_MS,
            )
        await register.update("one", added=(), removed=[("main", "t1"), ("main", None)], lease_ms=LONG_MS)
        assert await register.has_viewer("main", "t1")
        await register.remove("two")
        assert not await register.has_viewer("main", "t1")
        assert not await register.update("two", added=(), removed=(), lease_ms=LONG_MS)

    async def test_entries_of_a_silent_server_expire_with_its_lease(self, register: PresenceRegister) -> None:
        await register.update("dead", added=[("main", "t1")], removed=(), lease_ms=SHORT_MS)
        await register.update("alive", added=[("main", "t2")], removed=(), lease_ms=LONG_MS)

        async def is_absent() -> bool:
            return not await register.has_viewer("main", "t1")

        await wait_until(is_absent)
        assert await register.has_viewer("main", "t2")
