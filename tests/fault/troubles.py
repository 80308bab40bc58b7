"""Failures of a database and its connections while servers use it. Each function returns when the failure is over."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

import anyio

from tests.fault.pace import LIMITS
from tests.fault.relay import Relay
from tests.fault.site import Site

BRIEF_S = (0.05, 0.5)
"""Shorter than any timeout: held bytes arrive as if nothing had happened."""
LONG_S = (LIMITS.resume_lease_s + 0.2, LIMITS.resume_lease_s + 2.0)
"""Longer than leases, and than a server's timeouts for its database."""
LISTENING = "AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')"
"""The `LISTEN` connections of servers: they only listen, and show that they are alive."""

Trouble = Callable[[Site, random.Random], Awaitable[None]]


async def crash(site: Site, _: random.Random) -> None:
    """All of Postgres dies at once."""
    await site.crash()


async def kill_backend(site: Site, chance: random.Random) -> None:
    """One process of Postgres is killed, as by a kernel that has run out of memory."""
    if backends := await site.backends():
        await site.kill(chance.choice(backends))


async def drop_listeners(site: Site, _: random.Random) -> None:
    """Every server loses its `LISTEN` connection."""
    await site.hang_up(LISTENING)


async def reset(site: Site, chance: random.Random) -> None:
    """Every connection of one server is cut, and for a while no new one is accepted."""
    wires = choose_wires(site, chance)
    for wire in wires:
        wire.refuses = True
        wire.cut()
    await anyio.sleep(chance.uniform(*BRIEF_S))
    for wire in wires:
        wire.refuses = False


async def cut_network_briefly(site: Site, chance: random.Random) -> None:
    """A network that holds everything back for a moment."""
    await cut_network(site, chance, BRIEF_S, Relay.go_on)


async def cut_network_long(site: Site, chance: random.Random) -> None:
    """A partition: bytes sent into it arrive when nobody waits for them any longer."""
    await cut_network(site, chance, LONG_S, Relay.go_on)


async def cut_network_silently(site: Site, chance: random.Random) -> None:
    """A partition after which earlier connections are silently dead."""
    await cut_network(site, chance, LONG_S, Relay.restart)


async def cut_network(
    site: Site, chance: random.Random, seconds: tuple[float, float], heal: Callable[[Relay], None]
) -> None:
    wires = choose_wires(site, chance)
    for wire in wires:
        wire.stand_still()
    await anyio.sleep(chance.uniform(*seconds))
    for wire in wires:
        heal(wire)


def choose_wires(site: Site, chance: random.Random) -> list[Relay]:
    """One server's wire, or now and then those of all."""
    return [chance.choice(site.wires)] if chance.random() < 0.7 else list(site.wires)


CRASHES: tuple[Trouble, ...] = (crash, kill_backend)
PARTITIONS: tuple[Trouble, ...] = (
    drop_listeners,
    reset,
    cut_network_briefly,
    cut_network_long,
    cut_network_silently,
)
