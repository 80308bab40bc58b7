"""The agent publishes with a token that it never sees: requested, tested and used in separate processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient, InputRequest
from askback.demo.person import ScriptedPerson
from askback.demo.processes import DemoRun, RunningServer, run_registry, run_result
from askback.demo.publish import TOKEN, call
from tests.demo.harness import run_agent, served, texts_of, title_of
from tests.requirements import requirement

CANARY = "demo_canary-7c1e-95b0-4d2a"
PUBLISH = "Publish the project"


@dataclass
class DemoServer:
    """A server, a registry that takes the canary, the person's client, and a run that has not begun."""

    ready: RunningServer
    client: AsyncClient
    run: DemoRun
    registry: str


@pytest.fixture
async def demo_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[DemoServer]:
    monkeypatch.setenv("PATH", str(tmp_path))  # without git, nobody is asked about its commands
    async with (
        served(tmp_path / "data") as ready,
        run_registry(tmp_path / "registry", CANARY) as registry,
        AsyncClient(ready.url, ready.responder_token) as client,
    ):
        run = DemoRun("run1", "demo-1", tmp_path / "out", date(2026, 11, 20), registry=registry)
        yield DemoServer(ready, client, run, registry)


async def published(demo_server: DemoServer, person: ScriptedPerson) -> str | None:
    """Let the agent finish; return the address of the project."""
    async with run_agent(demo_server.ready, demo_server.run) as agent:
        if isinstance(person, Watching):
            person.watched = agent.pid
        following = asyncio.create_task(person.run())
        with anyio.fail_after(120):
            received_run_result = await run_result(agent)
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
    return received_run_result.published


class Watching(ScriptedPerson):
    """Inspects the agent's process before it approves a tool call, after the token was typed and tested."""

    watched: int
    output = b""

    async def answer(self, request: InputRequest) -> None:
        if request.approval:
            self.output = await anyio.to_thread.run_sync(x, self.watched)
        await super().answer(request)


class Denying(ScriptedPerson):
    """Approves nothing."""

    async def answer(self, request: InputRequest) -> None:
        if request.approval:
            await self.client.requests.decide(request, "deny", note="Not today.")
        else:
            await super().answer(request)


def files_with_canary(folder: Path) -> list[Path]:
    """Return the files that contain the canary."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in files if CANARY.encode() in path.read_bytes()]


@requirement("E17", "E23")
async def test_it_publishes_with_a_probed_token_that_stays_nowhere_even_in_its_process(
    demo_server: DemoServer, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    notes: list[str] = []
    person = Watching(demo_server.client, "demo-1", note=notes.append, token=CANARY)
    address = await published(demo_server, person)
    assert address == f"{demo_server.registry}/packages/hello-askback"
    thread = await demo_server.client.threads.get("demo-1")
    assert [title_of(request) for request in thread["requests"][-2:]] == [TOKEN, PUBLISH]
    assert f"typed {TOKEN} again: “The registry does not know this token.”" in notes
    thread_texts = texts_of(thread)
    assert f"PUT {address}\nAuthorization: Bearer [secret:{TOKEN}]\n11 files, " in "\n".join(thread_texts)
    assert f"They are published at {address}." in thread_texts[-1]
    package, folder = tmp_path / "registry" / "hello-askback.json", tmp_path / "out" / "hello-askback"
    assert json.loads(package.read_text())["files"] == {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }
    assert files_with_canary(tmp_path) == []
    assert CANARY not in json.dumps(thread) + "".join(notes)
    assert CANARY not in "".join(capfd.readouterr())
    assert demo_server.registry.encode() in person.output  # this is where it would be found
    assert CANARY.encode() not in person.output


def x(pid: int) -> bytes:
    """Return the arguments, the environment and the memory of a process."""
    process = Path("/proc") / str(pid)
    parts = [(process / name).read_bytes() for name in ("cmdline", "environ")]
    with (process / "mem").open("rb", buffering=0) as memory:
        for line in (process / "maps").read_text().splitlines():
            address, rights, *_ = line.split()
            if rights.startswith("rw"):
                start, end = (int(bound, 16) for bound in address.split("-"))
                memory.seek(start)
                parts.append(memory.read(end - start))
    return b"".join(parts)


@pytest.mark.parametrize(
    ("person", "token", "left"),
    [
        (ScriptedPerson, None, "All right, it stays on this machine."),
        (Denying, CANARY, "All right, I do not run askback run. You said: Not today."),
    ],
)
async def test_without_the_token_or_a_yes_the_project_stays_here(
    demo_server: DemoServer, tmp_path: Path, person: type[ScriptedPerson], token: str | None, left: str
) -> None:
    assert (
        await published(demo_server, person(demo_server.client, "demo-1", note=lambda _: None, token=token))
        is None
    )
    assert texts_of(await demo_server.client.threads.get("demo-1"))[-2] == left
    assert not (tmp_path / "registry").exists()


async def test_the_registry_accepts_packages_only_with_the_token(tmp_path: Path) -> None:
    def answers(method: str, path: str, token: str = CANARY, body: Any = None) -> int:
        sent = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return call(method, f"{registry}{path}", token, sent)[0]

    package, url = {"files": {"README.md": "One\n"}}, "/packages/one"
    async with run_registry(tmp_path / "registry", CANARY) as registry:
        with anyio.fail_after(120):
            replies = await anyio.to_thread.run_sync(
                lambda: [
                    answers("GET", "/token"),
                    answers("GET", "/token", "demo_other"),
                    answers("GET", url),
                    answers("PUT", url, "demo_other", package),
                    answers("PUT", "/packages/../one", body=package),
                    answers("PUT", url, body=b"x" * 1_000_001),
                    answers("PUT", url, body={"files": {"README.md": 1}}),
                    answers("PUT", url, body=b"[]"),
                    answers("PUT", url, body=package),
                    answers("GET", url, "nobody"),
                ]
            )
    assert replies == [204, 401, 404, 401, 404, 413, 422, 422, 201, 200]
    assert json.loads((tmp_path / "registry" / "one.json").read_text()) == {"name": "one", **package}
    assert files_with_canary(tmp_path) == []
