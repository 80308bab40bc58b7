"""Viewers are counted at every server that shares a store with theirs, as long as their server lives."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from itertools import count

import anyio
import pytest

from askback.delivery import presence
from askback.delivery.in_process_bus import InProcessBus
from askback.delivery.presence import SharedPresence
from askback.errors import Unavailable
from askback.ports.presence import Presence, PresenceRegister, View
from askback.service.local_state.default_ports import LocalPresence
from askback.storage.postgres import Database, PostgresStore
from askback.testing.fake_presence import FakeRegister
from askback.testing.presence_contracts import PresenceContracts, RegisterContracts, wait_until
from tests.postgres_server import PostgresServer

pytestmark = pytest.mark.anyio

LEASE_S = 0.3


@pytest.fixture
async def store(postgres: PostgresServer) -> AsyncIterator[PostgresStore]:
    """A store on a database of its own."""
    name = await postgres.new()
    store = PostgresStore(Database(postgres.database(name).url))
    await store.open()
    yield store
    await store.close()
    await postgres.drop(name)


def two_presences(register: PresenceRegister) -> tuple[Presence, Presence]:
    bus = InProcessBus()
    return SharedPresence(register, bus, server="one"), SharedPresence(register, bus, server="two")


class TestPresenceOfOneServer(PresenceContracts):
    def make_servers(self) -> tuple[Presence, Presence]:
        only = LocalPresence()
        return only, only


class TestPresenceInMemory(PresenceContracts):
    def make_servers(self) -> tuple[Presence, Presence]:
        return two_presences(FakeRegister())


class TestPresenceOnPostgres(PresenceContracts):
    @pytest.fixture(autouse=True)
    def _use(self, store: PostgresStore) -> None:
        self.store = store

    def make_servers(self) -> tuple[Presence, Presence]:
        return two_presences(self.store.register)


class TestFakeRegister(RegisterContracts):
    def make_register(self) -> PresenceRegister:
        return FakeRegister()


class TestRegisterOnPostgres(RegisterContracts):
    @pytest.fixture(autouse=True)
    def _use(self, store: PostgresStore) -> None:
        self.store = store

    def make_register(self) -> PresenceRegister:
        return self.store.register


@pytest.fixture
async def register() -> FakeRegister:
    return FakeRegister()


@pytest.fixture
async def server(register: FakeRegister) -> AsyncIterator[SharedPresence]:
    """A server whose lease is short."""
    server = SharedPresence(register, InProcessBus(), server="one", lease_s=LEASE_S)
    await server.open()
    yield server
    await server.close()


async def test_a_lease_is_renewed_for_as_long_as_the_server_lives(
    register: FakeRegister, server: SharedPresence
) -> None:
    async def is_renewed_often() -> bool:
        return register.renewals >= 3

    await wait_until(is_renewed_often)


async def test_a_stopped_server_removes_its_presence_immediately(register: FakeRegister) -> None:
    server = SharedPresence(register, InProcessBus(), server="one")
    await server.open()
    server.enter("main", "t1")
    await server.wait_until_synchronized()
    await server.close()
    assert not await register.has_viewer("main", "t1")


async def test_presence_is_registered_again_after_it_was_lost(
    register: FakeRegister, server: SharedPresence
) -> None:
    server.enter("main", "t1")
    await server.wait_until_synchronized()
    register.crash()

    async def is_present() -> bool:
        return await register.has_viewer("main", "t1")

    await wait_until(is_present)


async def test_a_page_that_connects_during_an_outage_is_counted_later(
    register: FakeRegister, server: SharedPresence
) -> None:
    register.broken = Unavailable("no database", retry_after=1)
    server.enter("main", "t1")
    await server.wait_until_synchronized()
    assert await server.has_viewer("main", "t1")
    assert not await register.has_viewer("main", "t1")
    register.broken = None

    async def is_present() -> bool:
        return await register.has_viewer("main", "t1")

    await wait_until(is_present)


class Doubtful(FakeRegister):
    """A register whose confirmation may be lost."""

    unheard = False

    async def update(
        self,
        server: str,
        *,
        added: Collection[View],
        removed: Collection[View],
        lease_ms: int,
    ) -> bool:
        """Update, and maybe fail to confirm it."""
        valid = await super().update(
            server,
            added=added,
            removed=removed,
            lease_ms=lease_ms,
        )
        if self.unheard:
            raise Unavailable("It is not known whether this was stored.", retry_after=1)
        return valid


async def test_presence_registered_without_an_acknowledgement_expires() -> None:
    register = Doubtful()
    server = SharedPresence(register, InProcessBus(), server="one", lease_s=LEASE_S)
    await server.open()
    register.unheard = True
    leave = server.enter("main", "t1")
    await server.wait_until_synchronized()
    assert await register.has_viewer("main", "t1")
    leave()
    register.unheard = False

    async def is_absent() -> bool:
        return not await register.has_viewer("main", "t1")

    await wait_until(is_absent)
    await server.close()


async def test_a_page_that_returns_after_an_unacknowledged_leave_is_present() -> None:
    register = Doubtful()
    server = SharedPresence(register, InProcessBus(), server="one", lease_s=LEASE_S)
    await server.open()
    leave = server.enter("main", "t1")
    await server.wait_until_synchronized()
    register.unheard = True
    leave()

    async def is_present() -> bool:
        return await register.has_viewer("main", "t1")

    async def is_absent() -> bool:
        return not await is_present()

    await wait_until(is_absent)
    server.enter("main", "t1")
    register.unheard = False
    await wait_until(is_present)
    await server.close()


class CrowdedRegister(FakeRegister):
    """A register where another viewer enters during each update."""

    on_arrival: Callable[[], object] | None = None

    async def update(
        self,
        server: str,
        *,
        added: Collection[View],
        removed: Collection[View],
        lease_ms: int,
    ) -> bool:
        """Update, while the next viewer enters."""
        if self.on_arrival is not None:
            self.on_arrival()
        await anyio.sleep(0)
        return await super().update(
            server,
            added=added,
            removed=removed,
            lease_ms=lease_ms,
        )


async def test_in_a_crowd_each_waits_only_for_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "PATIENCE_S", 60)
    register = CrowdedRegister()
    server = SharedPresence(register, InProcessBus(), server="one")
    await server.open()
    places = count()
    register.on_arrival = lambda: server.enter("main", f"t{next(places)}")
    server.enter("main", "mine")
    with anyio.fail_after(120):
        await server.wait_until_synchronized()
    assert await register.has_viewer("main", "mine")
    await server.close()
