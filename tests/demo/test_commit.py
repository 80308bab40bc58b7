"""The agent's commands: nothing runs without approval, exactly the shown command runs, and nothing runs twice."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient
from askback.demo.processes import DemoFailed, DemoRun, RunningServer, run_result
from tests.demo.harness import answer, git, run_agent, served, texts_of, title_of
from tests.requirements import requirement

INIT, ADD, COMMIT = "Make the folder a git repository", "Put the files into it", "Make the first commit"
QUESTIONS = {"run1-git-init": INIT, "run1-git-add": ADD, "run1-git-commit": COMMIT}


@pytest.fixture
async def demo_server(tmp_path: Path) -> AsyncGenerator[tuple[RunningServer, AsyncClient, DemoRun]]:
    """A server, the person's client, and a run of the agent that has not begun."""
    async with (
        served(tmp_path / "data") as ready,
        AsyncClient(ready.url, ready.responder_token) as client,
    ):
        yield ready, client, DemoRun("run1", "demo-1", tmp_path / "out", date(2026, 11, 20))


Decide = Callable[[AsyncClient, dict[str, Any]], Awaitable[Any]]


async def approve(client: AsyncClient, request: dict[str, Any]) -> None:
    await client.requests.decide(request["id"], "approve")


@asynccontextmanager
async def answer_run(client: AsyncClient, run: DemoRun, decide: Decide) -> AsyncGenerator[None]:
    """Fill in the forms, and decide about each command, until the block ends."""

    async def follow() -> None:
        async for event in client.events(run.thread_id, cursor=0):
            if event["type"] == "request.created":
                request: dict[str, Any] = event["request"]
                if not (await client.requests.get(request["id"])).settled:
                    await (answer if request["kind"] == "form" else decide)(client, request)

    person = asyncio.create_task(follow())
    try:
        yield
    finally:
        person.cancel()
        await asyncio.gather(person, return_exceptions=True)


async def finish_run(
    demo_server: tuple[RunningServer, AsyncClient, DemoRun], decide: Decide = approve
) -> tuple[Path, dict[str, Any]]:
    """Let the agent finish; return the folder that it wrote, and the conversation."""
    ready, client, run = demo_server
    with anyio.fail_after(120):
        async with answer_run(client, run, decide), run_agent(ready, run) as agent:
            folder = (await run_result(agent)).folder
    assert folder
    return folder, await client.threads.get(run.thread_id)


async def kill_run(
    demo_server: tuple[RunningServer, AsyncClient, DemoRun],
    wait_for_moment: Callable[[], Awaitable[Any]],
    decide: Decide = approve,
) -> None:
    """Run the agent, and kill it at a given moment."""
    ready, client, run = demo_server
    with anyio.fail_after(120):
        async with answer_run(client, run, decide), run_agent(ready, run) as agent:
            await wait_for_moment()
            agent.send_signal(signal.SIGKILL)
            with pytest.raises(DemoFailed):
                await run_result(agent)


def approvals(thread: dict[str, Any]) -> list[dict[str, Any]]:
    return [request for request in thread["requests"] if request["kind"] == "approval"]


async def test_each_command_is_approved_before_it_runs(
    demo_server: tuple[RunningServer, AsyncClient, DemoRun], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "another"))
    folder, thread = await finish_run(demo_server)
    shown_approvals = approvals(thread)
    assert {request["tool_call_id"]: title_of(request) for request in shown_approvals} == QUESTIONS
    for request in shown_approvals:
        preview = request["approval"]["preview"]
        assert preview["type"] == "command"
        assert preview["argv"] is True
        assert preview["folder"] == [str(folder)]
        assert request["approval"]["scopes"] == ["once", "thread", "always"]
        assert request["approval"]["rule"].endswith(f" in {folder}")
    assert {message["id"] for message in thread["messages"]} > QUESTIONS.keys()
    monkeypatch.delenv("GIT_DIR")
    assert (
        git(folder, "log", "--format=%an <%ae> %s") == "Scaffolder <scaffolder@localhost> Begin hello-askback"
    )
    assert git(folder, "status", "--short") == ""


@pytest.mark.parametrize(("title", "exists"), [(INIT, False), (ADD, True), (COMMIT, True)])
async def test_a_denied_command_is_skipped(
    title: str, exists: bool, demo_server: tuple[RunningServer, AsyncClient, DemoRun]
) -> None:
    async def decide(client: AsyncClient, request: dict[str, Any]) -> None:
        note = "We use another tool." if title_of(request) == title else None
        await client.requests.decide(request["id"], "deny" if note else "approve", note=note)

    folder, thread = await finish_run(demo_server, decide)
    assert (folder / ".git").exists() is exists
    assert (folder / "README.md").is_file()
    if exists:
        assert git(folder, "log", "--all") == ""
    assert title_of(approvals(thread)[-1]) == title
    left, done = texts_of(thread)[-2:]
    assert left.endswith(". You said: We use another tool.")
    assert done.startswith("Done: 11 files are in")


async def test_without_git_no_request_is_created(
    demo_server: tuple[RunningServer, AsyncClient, DemoRun], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    folder, thread = await finish_run(demo_server)
    assert approvals(thread) == []
    assert texts_of(thread)[-2] == "There is no git on this machine, so the folder is just a folder."
    assert not (folder / ".git").exists()


async def test_nothing_of_the_machine_runs_along(
    demo_server: tuple[RunningServer, AsyncClient, DemoRun], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its hooks, its template and its signing would run with a command that nobody was shown."""
    hooks, template = tmp_path / "hooks", tmp_path / "template" / "hooks"
    for git_folder in (hooks, template):
        git_folder.mkdir(parents=True)
        for name in ("pre-commit", "post-commit", "post-index-change", "reference-transaction"):
            (git_folder / name).write_text(f"#!/bin/sh\ntouch {tmp_path}/it-ran\n")
            (git_folder / name).chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(
        f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = {hooks}/pre-commit\n"
        f"[init]\n\ttemplateDir = {template.parent}\n[commit]\n\tgpgsign = true\n"
        f"[gpg]\n\tprogram = {hooks}/pre-commit\n"
        f'[hook "own"]\n\tevent = pre-commit\n\tcommand = {hooks}/pre-commit\n'  # since git 2.54
    )
    monkeypatch.setenv("HOME", str(tmp_path))
    config.rename(tmp_path / ".gitconfig")
    folder, _ = await finish_run(demo_server)
    assert (folder / ".git" / "HEAD").is_file()
    assert not (folder / ".git" / "hooks").exists()
    assert not (tmp_path / "it-ran").exists()


@requirement("B15")
@pytest.mark.fault
async def test_a_command_that_an_agent_died_in_does_not_run_again(
    demo_server: tuple[RunningServer, AsyncClient, DemoRun], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    programs, gate = tmp_path / "bin", tmp_path / "gate"
    programs.mkdir()
    os.mkfifo(gate)
    (programs / "git").write_text(f"#!/bin/sh\necho $1 >> {tmp_path}/runs\nread line < {gate}\n")
    (programs / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")

    process_ids: list[int] = []

    async def it_runs() -> None:
        process_ids.append(
            await anyio.to_thread.run_sync(os.open, gate, os.O_WRONLY)
        )  # opens when both ends do

    await kill_run(demo_server, it_runs)
    os.close(process_ids[0])  # and lets the orphan come to its end
    folder, thread = await finish_run(demo_server)
    assert (tmp_path / "runs").read_text() == "init\n"
    assert "That failed, so I leave it there. The files are as they were." in texts_of(thread)
    assert [title_of(request) for request in approvals(thread)] == [INIT]
    assert (folder / "README.md").is_file()


@requirement("B24")
async def test_a_rule_added_after_the_approval_stops_the_command(
    demo_server: tuple[RunningServer, AsyncClient, DemoRun],
) -> None:
    _, client, _ = demo_server
    shown_approvals: list[dict[str, Any]] = []
    opened_event = anyio.Event()

    async def leave(_: AsyncClient, request: dict[str, Any]) -> None:
        shown_approvals.append(request)
        opened_event.set()

    await kill_run(demo_server, opened_event.wait, leave)
    await client.requests.decide(shown_approvals[0]["id"], "approve")
    await client.rules.create("bash(git init:*)", effect="deny")
    folder, thread = await finish_run(demo_server)
    assert not (folder / ".git").exists()
    assert texts_of(thread)[-2].startswith("I may no longer run git init. The policy no longer allows this: ")
