"""Shared functions of the demo's tests: run a server, answer a form, read a conversation and a repository."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio

from askback import AsyncClient
from askback.demo.person import ANSWERS
from askback.demo.processes import DemoRun, RunningServer, agent_command
from tests.forks.process import Process, fork

ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("ASKBACK_")}


@asynccontextmanager
async def served(data: Path, *, port: str = "0") -> AsyncIterator[RunningServer]:
    """A server like the demo's, which starts faster."""
    arguments = ("serve", "--port", port, "--data-dir", str(data), "--ready-json")
    with fork(*arguments, environment=ENVIRONMENT, stdin=0, stderr=2) as process:
        try:
            assert process.stdout is not None
            ready = json.loads(await anyio.to_thread.run_sync(process.stdout.readline))
            named = ("url", "requester_token", "responder_token", "login_url")
            yield RunningServer(**{name: ready[name] for name in named})
        finally:
            process.terminate()


class Agent:
    """The sample agent in a forked process, with the methods of an `asyncio.subprocess.Process` that tests use."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.pid = process.pid
        self.send_signal = process.send_signal

    @property
    def returncode(self) -> int | None:
        """Its status, once it has ended."""
        return self._process.returncode

    async def communicate(self) -> tuple[bytes, bytes]:
        """Wait until it has ended, and return its output."""
        return await anyio.to_thread.run_sync(self._process.communicate)


@asynccontextmanager
async def run_agent(ready: RunningServer, run: DemoRun) -> AsyncIterator[Any]:
    """Run the sample agent, which starts faster than the product's own, until the block ends."""
    arguments, environment = agent_command(ready, run)
    environment = {**os.environ, **environment}
    process = fork(*arguments, program="askback.demo", environment=environment, stdin=0, stderr=2)
    try:
        yield Agent(process)
    finally:
        process.kill()
        process.wait(120)


async def answer(client: AsyncClient, request: dict[str, Any], **extra: Any) -> None:
    """Fill in a form of the agent like the scripted person, except for the passed values."""
    known = {**ANSWERS, "start": "2026-11-20", **extra}
    values = {field["id"]: known[field["id"]] for field in request["form"]["fields"]}
    await client.requests.answer(request["id"], values, revision=request["revision"])


def title_of(request: dict[str, Any]) -> str:
    """The title of a form or an approval, or the names of secrets."""
    content = request[request["kind"]]
    return ", ".join(content["names"]) if request["kind"] == "secret" else content["title"]


def texts_of(thread: dict[str, Any]) -> list[str]:
    """The texts of the messages, in order."""
    blocks = [block for message in thread["messages"] for block in message["content"]]
    return [block["text"] for block in blocks if block["type"] == "text"]


def git(folder: Path, *arguments: str) -> str:
    """Return git's output for a folder."""
    finished_result = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=True
    )
    return finished_result.stdout.rstrip("\n")
