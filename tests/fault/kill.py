"""Kill servers and agents and make Postgres fail at random, while fifty agents ask and three people answer.

Acknowledged calls are recorded, by agents in files and by people in a ledger, and checked from outside after
each restart. All randomness except timing comes from one seed, which a failure names.
"""

from __future__ import annotations

import itertools
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio

from tests.fault.agents import Host, work
from tests.fault.invariants import Inspector
from tests.fault.ledger import Ledger
from tests.fault.people import People
from tests.fault.processes import Killable, Server
from tests.fault.site import Site
from tests.fault.troubles import Trouble
from tests.fault.witness import Witness

BUSY = 10
"""Answers between one kill and the next."""
BUSY_S = 120


@dataclass(frozen=True)
class KillPlan:
    """The failures and their frequency, and the time without progress after which a wait is a hang.

    A plan ends early when a fault is found.
    """

    seed: int
    kills: int
    """The minimum number, including troubles."""
    agents: int = 50
    hosts: int = 5
    servers: int = 1
    """More than one need a site."""
    troubles: Sequence[Trouble] = ()
    """Of its Postgres."""
    patience_s: float = 120.0
    fault: str | None = None
    """The fault to plant in the servers, by its name in `planted`."""
    everything: bool = False
    """Each kill is of every process, and no witness detects another effect of the fault first."""


@dataclass
class Report:
    """The faults found, and the number of events without one."""

    faults: list[str]
    answered_count: int
    ended: int
    went_on: int
    kills: int
    troubles: Counter[str]
    """Of the database, by their names."""


async def run(folder: Path, plan: KillPlan, *, site: Site | None = None) -> Report:
    """Carry out a plan in a folder: on SQLite, or on the Postgres of a site."""
    ledger = Ledger(folder)
    servers = [_server(folder, number, plan, site) for number in range(plan.servers)]
    urls = [server.url for server in servers]
    hosts = [
        Killable(
            work,
            Host(urls[number % len(urls)], number, plan.agents // plan.hosts, folder),
            log=folder / f"host-{number}.log",
        )
        for number in range(plan.hosts)
    ]
    kills, troubles = 0, Counter[str]()
    witness = Witness(urls, ledger, patience_s=plan.patience_s, kills=lambda: kills)
    async with _processes(servers, hosts):
        people = People(urls, ledger, plan.seed)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(people.work)
            if not plan.everything:
                tasks.start_soon(witness.run)
            inspector = Inspector(urls, ledger)
            chance = random.Random(plan.seed)
            order = itertools.cycle(chance.sample(plan.troubles, len(plan.troubles)))
            while kills + troubles.total() < plan.kills and not ledger.faults:
                await wait_until_busy(ledger)
                await anyio.sleep(chance.uniform(0, 0.1))
                with ledger.trouble():
                    async with kill_processes(plan, chance, servers, hosts) as victims:
                        kills += len(victims)
                        if site is not None and (trouble := next(order, None)) is not None:
                            await trouble(site, chance)
                            troubles[trouble.__name__] += 1
                people.resting = True
                await inspector.look()
                people.resting = False
            witness.done.set()
            if not ledger.faults:
                await finish_agents(ledger, hosts, plan.patience_s)
            people.done.set()
        if not ledger.faults:
            await inspector.conclude()
    return Report(
        ledger.faults,
        answered_count=len(ledger.settled) + len(ledger.submitted),
        ended=sum(1 for _ in ledger.notes("ended")),
        went_on=sum(1 for note in ledger.notes("acted") if note["by"] == "resume"),
        kills=kills + troubles.total(),
        troubles=troubles,
    )


def _server(folder: Path, number: int, plan: KillPlan, site: Site | None) -> Server:
    server_folder = folder / f"server-{number}"
    server_folder.mkdir()
    return Server(server_folder, database_url=site and site.url(number), fault=plan.fault)


@asynccontextmanager
async def _processes(servers: Sequence[Server], hosts: Sequence[Killable]) -> AsyncGenerator[None]:
    try:
        for process in (*servers, *hosts):
            await process.start()
        yield
    finally:
        for process in (*hosts, *servers):
            process.kill()


@asynccontextmanager
async def kill_processes(
    plan: KillPlan, chance: random.Random, servers: Sequence[Server], hosts: Sequence[Killable]
) -> AsyncGenerator[Sequence[Killable]]:
    """Kill some processes, and restart them when the block ends."""
    victims: list[Killable] = [
        server for server in servers if plan.everything or chance.random() < 0.7 / len(servers)
    ]
    victims += [host for host in hosts if plan.everything or chance.random() < 0.15]
    for victim in victims:
        victim.kill()
    yield victims
    for victim in victims:
        await victim.start()


async def wait_until_busy(ledger: Ledger) -> None:
    """Return once more requests have been answered: killing an idle process proves nothing."""
    wanted_count, start = len(ledger.settled) + BUSY, time.monotonic()
    while len(ledger.settled) < wanted_count and not ledger.faults:
        if time.monotonic() - start > BUSY_S:
            ledger.broken("I5", f"hardly anything was answered for {BUSY_S} seconds")
        await anyio.sleep(0.001)


async def finish_agents(ledger: Ledger, hosts: list[Killable], patience_s: float) -> None:
    """Let the agents finish their open requests: nobody may hang."""
    for host in hosts:
        host.ask_to_stop()
    last_progress_at, noted = time.monotonic(), -1
    while not all(host.ended for host in hosts):
        if (now_noted := ledger.size()) != noted:
            last_progress_at, noted = time.monotonic(), now_noted
        elif time.monotonic() - last_progress_at > patience_s:
            ended = {note["key"] for note in ledger.notes("ended")}
            left = sorted({note["key"] for note in ledger.notes("created")} - ended)
            ledger.broken("I5", f"for {patience_s} seconds nothing has come for {', '.join(left)}")
            return
        await anyio.sleep(0.02)
