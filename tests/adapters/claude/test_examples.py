"""The examples run unchanged, with the fake model of `demo_model`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from askback import AsyncClient, InputRequest
from askback.adapters.claude.calls import stored_context
from tests.adapters.claude.conftest import LIMIT_S
from tests.adapters.conftest import TOKENS, Server

ROOT = Path(__file__).parents[3]


class Example:
    """An example in the project, with a home of its own."""

    def __init__(self, server: Server, project: Path) -> None:
        self._cwd = project
        own = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"], "PYTHONPATH": str(ROOT)}
        self._environment = {**os.environ, **own, "DEMO_HOME": str(project.parent)}

    def start(self, name: str, *arguments: str) -> subprocess.Popen[str]:
        """Start it as its page says."""
        demo = (sys.executable, "-m", "tests.adapters.claude.demo_model")
        words = (*demo, str(ROOT / "examples" / "frameworks" / name), *arguments)
        return subprocess.Popen(
            words, stdout=subprocess.PIPE, text=True, cwd=self._cwd, env=self._environment
        )


@pytest.fixture
def example(server: Server, project: Path) -> Example:
    return Example(server, project)


async def output(process: subprocess.Popen[str]) -> str:
    """Wait for the end of an example and return what it printed."""
    with anyio.fail_after(LIMIT_S):
        return (await anyio.to_thread.run_sync(process.communicate, abandon_on_cancel=True))[0]


async def next_card(person: AsyncClient, project: Path, kind: str) -> InputRequest:
    """Wait for the open request of a session in the project, in any thread: each session has its own."""
    with anyio.fail_after(LIMIT_S):
        async for event in person.events(cursor=0):
            if event["type"] == "request.created" and event["request"]["kind"] == kind:
                request = await person.requests.get(event["request"]["id"])
                if request.status == "pending" and stored_context(request).get("folder") == str(project):
                    return request
    raise AssertionError


async def answer(person: AsyncClient, project: Path) -> None:
    """Choose the license."""
    await person.requests.answer(await next_card(person, project, "form"), {"q1": "Apache-2.0"})


async def approve(person: AsyncClient, project: Path) -> None:
    """Approve that it is written."""
    await person.requests.decide(await next_card(person, project, "approval"), "approve")


@pytest.mark.parametrize("name", ["claude_agent.py", "claude_lifecycle.py"])
async def test_the_example_asks_and_writes_the_choice_of_the_person(
    name: str, example: Example, person: AsyncClient, project: Path
) -> None:
    process = example.start(name)
    await answer(person, project)
    await approve(person, project)
    assert await output(process) == "Added the license.\n"
    assert (project / "LICENSE").read_text() == "Apache-2.0\n"


async def test_the_durable_example_ends_while_it_waits(
    example: Example, person: AsyncClient, project: Path
) -> None:
    assert await output(example.start("claude_durable.py", "start")) == "Waiting for a person.\n"
    await answer(person, project)
    worker = example.start("claude_durable.py", "work")
    await approve(person, project)
    assert await output(worker) == "Waiting for a person.\nAdded the license.\n"
    assert (project / "LICENSE").read_text() == "Apache-2.0\n"
