"""The real Claude CLI, which the SDK's wheel carries, against a fake of the model's API; and a person who answers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import anyio
import psutil
import pytest
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Message, ResultMessage

from askback import AsyncClient, InputRequest
from tests.adapters.claude.agent_process import Agent
from tests.adapters.claude.cli_environment import cli_environment
from tests.adapters.claude.fake_model import FakeModel
from tests.adapters.conftest import TOKENS, Server

LIMIT_S = 120
"""Seconds after which a test that waits for the CLI or for a request has failed."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give a test the time of several starts of the CLI on a busy machine; each takes seconds there."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.timeout(4 * LIMIT_S))


@pytest.fixture
def model() -> Iterator[FakeModel]:
    with FakeModel() as model:
        yield model


@pytest.fixture
def thread() -> str:
    """A thread of this test alone."""
    return f"t-{uuid4().hex}"


@pytest.fixture
def project() -> Iterator[Path]:
    """The folder that Claude works in; not below `/dev`, where the policy lets nothing be read."""
    with TemporaryDirectory(dir="/tmp") as home:
        folder = Path(home) / "project"
        folder.mkdir()
        yield folder


Options = Callable[..., ClaudeAgentOptions]


@pytest.fixture
def options(model: FakeModel, project: Path) -> Options:
    """Options of a session in the project; arguments are further ones."""

    def make(**extra: Any) -> ClaudeAgentOptions:
        return ClaudeAgentOptions(cwd=project, env=cli_environment(model.url, project.parent), **extra)

    return make


async def run(options: ClaudeAgentOptions, *prompts: str) -> list[Message]:
    """Send prompts to a session, one after the other, and return its messages."""
    messages = list[Message]()
    with anyio.fail_after(LIMIT_S):
        async with ClaudeSDKClient(options) as claude:
            for prompt in prompts:
                await claude.query(prompt)
                messages += [message async for message in claude.receive_response()]
    return messages


def result_of(messages: list[Message]) -> ResultMessage:
    """The last result of a session."""
    return [message for message in messages if isinstance(message, ResultMessage)][-1]


@pytest.fixture
async def person(server: Server) -> AsyncIterator[AsyncClient]:
    """A person who may answer."""
    async with server.client("responder") as client:
        yield client


async def wait_for_request(person: AsyncClient, thread: str, number: int = 1) -> InputRequest:
    """Wait for the request with this number of those in a thread that a person is asked."""
    with anyio.fail_after(LIMIT_S):
        async for event in person.events(thread, cursor=0):
            number -= event["type"] == "request.created"
            if not number:
                return await person.requests.get(event["request"]["id"])
    raise AssertionError


Process = Callable[..., AbstractAsyncContextManager[Callable[[], Awaitable[dict[str, Any]]]]]


@pytest.fixture
def process(server: Server, model: FakeModel, project: Path, thread: str) -> Process:
    """Run an agent in a process of its own; the block gets a function that returns its next line."""

    @asynccontextmanager
    async def running(prompt: str | None = None, **extra: Any) -> AsyncIterator[Callable[[], Any]]:
        agent = Agent(server.url, TOKENS["requester"], model.url, str(project), thread, prompt, **extra)
        started = agent.start()
        assert started.stdout is not None
        line = started.stdout.readline

        async def next_line() -> dict[str, Any]:
            with anyio.fail_after(LIMIT_S):
                return json.loads(await anyio.to_thread.run_sync(line, abandon_on_cancel=True))

        try:
            yield next_line
        finally:
            cli = psutil.Process(started.pid).children()
            started.kill()
            started.wait(120)
            await anyio.to_thread.run_sync(psutil.wait_procs, cli, 10)  # it writes the session to its file
            started.stdout.close()

    return running


Askback = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def environment(server: Server, model: FakeModel, project: Path) -> dict[str, str]:
    """The environment of a person whose home is the parent of the project, and whose server runs."""
    own = {"HOME": str(project.parent), "ASKBACK_DATA_DIR": str(server._data)}
    inherited = {
        name: text for name, text in os.environ.items() if not name.startswith(("ASKBACK_", "CLAUDE"))
    }
    return {**inherited, **own, **cli_environment(model.url, project.parent)}


@pytest.fixture
def askback(environment: dict[str, str], project: Path) -> Askback:
    """Run a command of askback in the project."""

    def running(*words: str, **extra: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (sys.executable, "-m", "askback", *words),
            env=environment,
            cwd=project,
            capture_output=True,
            text=True,
            check=False,
            **extra,
        )

    return running
