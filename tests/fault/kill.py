"""Kills a real server, and agents, and Postgres, at random moments while fifty agents ask and three people answer.

What was acknowledged is noted, by agents in files and by people in a ledger, and looked for from outside after each
restart. Everything random but the moment itself comes from one seed, which a failure names.
"""

from __future__ import annotations

import random
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import anyio

from tests.fault.agents import Host, work
from tests.fault.invariants import Inspector
from tests.fault.ledger import Ledger
from tests.fault.people import People
from tests.fault.processes import Killable, Server

BUSY = 10
"""Answers between one kill and the next."""
BUSY_S = 30


class Crashing(Protocol):
    """A database server that can be made to crash."""

    def crash(self) -> None:
        """Crash it, and return when it accepts connections again."""
        ...


@dataclass(frozen=True)
class Scene:
    """What is killed how often, and after how long without a sign of life a wait is a hang.

    A scene ends early when something is found.
    """

    seed: int
    kills: int
    agents: int = 50
    hosts: int = 5
    patience_s: float = 30.0
    fault: str | None = None
    """What is planted in the server, by its name in `planted`."""


@dataclass
class Report:
    """What was found, and how much happened while nothing was."""

    faults: list[str]
    answered: int
    ended: int
    went_on: int
    kills: int
    crashes: int
    """Of the database."""


async def run(
    folder: Path, scene: Scene, *, database_url: str | None = None, database: Crashing | None = None
) -> Report:
    """Play a scene in a folder."""
    ledger = Ledger(folder)
    server = Server(folder, database_url=database_url, fault=scene.fault)
    hosts = [
        Killable(
            work,
            Host(server.url, number, scene.agents // scene.hosts, folder),
            log=folder / f"host-{number}.log",
        )
        for number in range(scene.hosts)
    ]
    kills = crashes = 0
    async with _processes(server, hosts):
        people = People(server.url, ledger, scene.seed)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(people.work)
            inspector = Inspector(server.url, ledger)
            chance = random.Random(scene.seed)
            while kills < scene.kills and not ledger.faults:
                crash = database if chance.random() < 0.4 else None
                kills += await _kill(chance, ledger, server, hosts, crash)
                crashes += crash is not None
                people.resting = True
                await inspector.look()
                people.resting = False
            if not ledger.faults:
                await _come_to_an_end(ledger, hosts, scene.patience_s)
            people.done.set()
        if not ledger.faults:
            await inspector.conclude()
    return Report(
        ledger.faults,
        answered=len(ledger.settled) + len(ledger.submitted),
        ended=sum(1 for _ in ledger.notes("ended")),
        went_on=sum(1 for note in ledger.notes("acted") if note["by"] == "resume"),
        kills=kills,
        crashes=crashes,
    )


@asynccontextmanager
async def _processes(server: Server, hosts: list[Killable]) -> AsyncGenerator[None]:
    try:
        await server.start()
        for host in hosts:
            await host.start()
        yield
    finally:
        for process in (*hosts, server):
            process.kill()


async def _kill(
    chance: random.Random, ledger: Ledger, server: Server, hosts: list[Killable], database: Crashing | None
) -> int:
    """Kill some of them at a random moment while they are busy, and start them again; return how many."""
    victims: list[Killable] = [server] if chance.random() < 0.7 else []
    victims += [host for host in hosts if chance.random() < 0.15]
    await _until_busy(ledger)
    await anyio.sleep(chance.uniform(0, 0.1))
    for victim in victims:
        victim.kill()
    if database is not None:
        await anyio.to_thread.run_sync(database.crash)
    for victim in victims:
        await victim.start()
    return len(victims) + (database is not None)


async def _until_busy(ledger: Ledger) -> None:
    """Return once more has been answered than before: what dies idle proves nothing."""
    enough, start = len(ledger.settled) + BUSY, time.monotonic()
    while len(ledger.settled) < enough and not ledger.faults:
        if time.monotonic() - start > BUSY_S:
            ledger.broken("I5", f"hardly anything was answered for {BUSY_S} seconds")
        await anyio.sleep(0.001)


async def _come_to_an_end(ledger: Ledger, hosts: list[Killable], patience_s: float) -> None:
    """Let the agents finish what they have begun: nobody may hang."""
    for host in hosts:
        host.ask_to_stop()
    alive, noted = time.monotonic(), -1
    while not all(host.ended for host in hosts):
        if (now_noted := ledger.size()) != noted:
            alive, noted = time.monotonic(), now_noted
        elif time.monotonic() - alive > patience_s:
            ended = {note["key"] for note in ledger.notes("ended")}
            left = sorted({note["key"] for note in ledger.notes("created")} - ended)
            ledger.broken("I5", f"for {patience_s} seconds nothing has come for {', '.join(left)}")
            return
        await anyio.sleep(0.02)
