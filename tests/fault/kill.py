"""Kills a real server at random moments while agents wait and people answer, and keeps a ledger of what was promised.

The ledger holds only what was *acknowledged*: a request is promised once its creation returned, an
answer once its POST returned 200. After the last restart the database must agree with every line.
Everything random comes from one seed, which a failure prints.
"""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2

from askback import AsyncClient, Form, Text
from askback.errors import ConnectionLost, NotAnswered

REQUESTER, RESPONDER = "kill-requester", "kill-responder"
FORM = Form(title="How many?", fields=[Text(id="n", label="N", required=True)])
SERVE = (sys.executable, "-m", "askback", "serve")


@dataclass
class Ledger:
    """What the outside world was promised."""

    created: dict[str, str] = field(default_factory=dict[str, str])
    """Request id by idempotency key, as the agent was told."""
    answered: dict[str, str] = field(default_factory=dict[str, str])
    """The acknowledged value by request id."""
    outcomes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """What each agent's `await` returned, by idempotency key."""
    faults: list[str] = field(default_factory=list[str])


class Server:
    """A server process on a fixed port and data folder, that can be killed and started again."""

    def __init__(self, data: Path, command: tuple[str, ...] = SERVE) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._command = [*command, "--port", str(self.port), "--data-dir", str(data), "--ready-json"]
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Start and return once the server accepts requests."""
        tokens = f"requester:{REQUESTER},responder:{RESPONDER}"
        self._process = subprocess.Popen(
            self._command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"ASKBACK_BOOTSTRAP_TOKENS": tokens, "PATH": "/usr/bin:/bin"},
        )
        assert self._process.stdout is not None
        line = await anyio.to_thread.run_sync(self._process.stdout.readline)
        assert line, "the server did not come up"

    def kill(self) -> None:
        """SIGKILL: no handler runs, nothing is flushed."""
        assert self._process is not None
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()


async def run(data: Path, *, kills: int, agents: int, seed: int, command: tuple[str, ...] = SERVE) -> Ledger:
    """Let `agents` ask again and again while the server dies `kills` times; return the checked ledger."""
    chance = random.Random(seed)
    ledger, server = Ledger(), Server(data, command)
    await server.start()
    stop, done = anyio.Event(), anyio.Event()
    async with anyio.create_task_group() as people:
        people.start_soon(_people, server, ledger, done, chance)
        async with AsyncClient(server.url, REQUESTER) as client, anyio.create_task_group() as asking:
            for number in range(agents):
                asking.start_soon(_agent, client, ledger, stop, number)
            for _ in range(kills):
                await _until_busy(ledger)
                await anyio.sleep(chance.uniform(0, 0.1))
                server.kill()
                await server.start()
            stop.set()
        done.set()
    try:
        await _check(server, ledger)
    finally:
        server.kill()
    return ledger


async def _until_busy(ledger: Ledger) -> None:
    """Return once more has been answered than before: a server that dies idle proves nothing."""
    before = len(ledger.answered)
    while len(ledger.answered) <= before:
        await anyio.sleep(0.001)


async def _agent(client: AsyncClient, ledger: Ledger, stop: anyio.Event, number: int) -> None:
    """Ask until told to stop; every question ends in exactly one outcome."""
    turn = 0
    while not stop.is_set():
        turn += 1
        key = f"agent-{number}-{turn}"
        request = await client.create(FORM, thread_id=f"kill-{number % 5}", idempotency_key=key)
        ledger.created[key] = request.id
        again = await client.create(FORM, thread_id=f"kill-{number % 5}", idempotency_key=key)
        if again.id != request.id:
            ledger.faults.append(f"{key} was created twice: {request.id}, {again.id}")
        try:
            ended = await client.wait(request.id)
        except (NotAnswered, ConnectionLost) as error:
            ledger.faults.append(f"{key} ended in {error!r}")
            continue
        assert ended.answer is not None
        ledger.outcomes.setdefault(key, []).append(str(ended.answer.values["n"]))


async def _people(server: Server, ledger: Ledger, done: anyio.Event, chance: random.Random) -> None:
    """Three people look at the inbox and answer the same requests, each with words of their own."""
    headers = {"Authorization": f"Bearer {RESPONDER}"}
    async with httpx2.AsyncClient(base_url=server.url, headers=headers, timeout=5) as http:
        while not done.is_set():
            try:
                found = await http.get("/v1/requests", params={"status": "pending", "limit": 50})
                pending = found.json()["requests"]
            except (httpx2.HTTPError, KeyError, ValueError):
                await anyio.sleep(0.01)
                continue
            chance.shuffle(pending)
            async with anyio.create_task_group() as hands:
                for request in pending[:8]:
                    for name in ("ada", "bob", "eve"):
                        hands.start_soon(_answer, http, ledger, request["id"], f"{name}-{chance.random()}")
            await anyio.sleep(0.002)


async def _answer(http: httpx2.AsyncClient, ledger: Ledger, request_id: str, value: str) -> None:
    """Send one answer, and once more with the same key when it is not known what became of it."""
    for _ in range(3):
        try:
            sent = await http.post(
                f"/v1/requests/{request_id}/answer",
                json={"revision": 1, "values": {"n": value}},
                headers={"Idempotency-Key": value},
            )
        except httpx2.HTTPError:
            await anyio.sleep(0.02)
            continue
        if sent.status_code == 200:
            if ledger.answered.setdefault(request_id, value) != value:
                ledger.faults.append(f"{request_id}: two answers were acknowledged")
        elif sent.status_code not in (409, 503):
            ledger.faults.append(f"{request_id}: {sent.status_code} {sent.text[:200]}")
        return


async def _check(server: Server, ledger: Ledger) -> None:
    """Compare the ledger with what the server says after the last restart."""
    async with httpx2.AsyncClient(base_url=server.url, timeout=10) as http:
        http.headers["Authorization"] = f"Bearer {RESPONDER}"
        stored: dict[str, dict[str, Any]] = {}
        for key, request_id in ledger.created.items():
            reply = await http.get(f"/v1/requests/{request_id}")
            if reply.status_code != 200:
                ledger.faults.append(f"{key}: acknowledged request {request_id} is gone")
                continue
            stored[request_id] = reply.json()
        for request_id, value in ledger.answered.items():
            held = stored.get(request_id, {}).get("answer", {}).get("values", {}).get("n")
            if held != value:
                ledger.faults.append(f"{request_id}: acknowledged {value}, stored {held}")
        for key, values in ledger.outcomes.items():
            held = stored.get(ledger.created[key], {}).get("answer", {}).get("values", {}).get("n")
            if values != [held]:
                ledger.faults.append(f"{key}: the agent got {values}, stored {held}")
        for number in range(5):
            await _check_events(http, ledger, f"kill-{number}")


async def _check_events(http: httpx2.AsyncClient, ledger: Ledger, thread_id: str) -> None:
    """The log of a thread has no gap, and each request one creation and at most one end."""
    last = (await http.get(f"/v1/threads/{thread_id}")).json()["seq"]
    if last == 0:
        return
    seqs: list[int] = []
    kinds: Counter[tuple[str, str]] = Counter()
    async with http.stream("GET", f"/v1/threads/{thread_id}/events", params={"cursor": 0}) as stream:
        async for line in stream.aiter_lines():
            if not line.startswith("data:"):
                continue
            event = httpx2.Response(200, text=line[5:].strip()).json()
            seqs.append(event["seq"])
            ended = "created" if event["type"] == "request.created" else "ended"
            kinds[event["request"]["id"], ended] += 1
            if event["seq"] >= last:
                break
    if seqs != list(range(1, last + 1)):
        ledger.faults.append(f"{thread_id}: the events have a gap or a double: {seqs[:5]}…{seqs[-5:]}")
    ledger.faults += [f"{thread_id}: {what} {n} times" for what, n in kinds.items() if n != 1]
