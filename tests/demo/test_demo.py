"""The demo end to end: real processes, a real folder, and an agent that may be killed at any point."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient
from askback.demo.person import ScriptedPerson
from askback.demo.processes import (
    DemoFailed,
    DemoRun,
    RunningServer,
    RunResult,
    run_registry,
    run_result,
)
from tests.demo.harness import ENVIRONMENT, answer, git, run_agent, served, texts_of, title_of
from tests.forks.process import Process, fork
from tests.requirements import requirement


def test_it_writes_a_project_beside_an_older_one_whose_tests_pass_and_leaves_no_data(tmp_path: Path) -> None:
    (tmp_path / "out" / "hello-askback").mkdir(parents=True)
    environment = {**ENVIRONMENT, "ASKBACK_DATA_DIR": str(tmp_path / "home"), "COLUMNS": "300"}
    process = fork("demo", "--auto", "--output", str(tmp_path / "out"), environment=environment)
    out, err = (text.decode() for text in process.communicate(timeout=120))
    assert process.returncode == 0, err
    assert "beginning with a letter" in out
    assert "approved, once: Run: git init" in out
    assert "typed DEMO_REGISTRY_TOKEN again: “The registry does not know this token.”" in out
    assert re.findall(r"demo_[\w-]{20}", out + err) == []
    folder = Path(out.rstrip().splitlines()[-1])
    assert folder == tmp_path / "out" / "hello-askback-2"
    assert re.search(rf"It is published at\nhttp://127\.0\.0\.1:\d+/packages/{folder.name}\n", out)
    assert git(folder, "log", "--format=%an: %s") == "Scaffolder: Begin hello-askback"
    assert git(folder, "status", "--short") == ""
    tests = subprocess.run([sys.executable, "-m", "unittest"], cwd=folder, capture_output=True, text=True)
    assert tests.returncode == 0, tests.stderr
    assert list((tmp_path / "home").iterdir()) == []


STOPS = (
    *("run1-intro", "What shall we build?", "And the details?", "run1-folder", "run1-file-3"),
    *("run1-git-init", "Put the files into it", "run1-git-add-succeeded"),
    *("DEMO_REGISTRY_TOKEN", "Publish the project", "run1-publish-run-output"),
)
"""Messages by their ids, and questions by their titles or the name of the secret."""
TOKEN = "demo_of-this-test"


@requirement("G8")
@pytest.mark.fault
async def test_an_agent_killed_again_and_again_asks_nothing_twice(tmp_path: Path) -> None:
    """It is killed at every kind of step: while asking, writing, waiting for a token, between commands and after."""
    async with (
        served(tmp_path / "data") as ready,
        run_registry(tmp_path / "registry", TOKEN) as registry,
        AsyncClient(ready.url, ready.responder_token) as client,
    ):
        run = DemoRun("run1", "demo-1", tmp_path / "out", date(2026, 11, 20), registry=registry)
        for stop in STOPS:
            await kill_at(stop, client, ready, run)
        person = asyncio.create_task(
            ScriptedPerson(client, run.thread_id, note=lambda _: None, token=TOKEN).run()
        )
        with anyio.fail_after(120):
            async with run_agent(ready, run) as agent:
                folder = (await run_result(agent)).folder
        person.cancel()
        thread = await client.threads.get(run.thread_id)

    assert folder
    assert folder == tmp_path / "out" / "hello-askback"
    assert (folder / "README.md").is_file()
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["hello-askback"]
    assert [title_of(request) for request in thread["requests"]] == [
        *("What shall we build?", "And the details?", "Ready to write"),
        *("Make the folder a git repository", "Put the files into it", "Make the first commit"),
        *("DEMO_REGISTRY_TOKEN", "Publish the project"),
    ]
    assert [path.name for path in (tmp_path / "registry").iterdir()] == ["hello-askback.json"]
    assert git(folder, "log", "--format=%s") == "Begin hello-askback"
    ids = [message["id"] for message in thread["messages"]]
    assert len(ids) == len(set(ids))
    assert ids[0] == "run1-intro"
    assert ids[-1] == "run1-done"
    assert thread["title"] == "Set up a small project"
    assert texts_of(thread)[0].startswith("Hello! I set up")
    assert texts_of(thread)[0].endswith("before you say so.")


async def kill_at(stop: str, client: AsyncClient, ready: RunningServer, run: DemoRun) -> None:
    """Run the agent, answer its questions, and kill it as soon as it has reached `stop`."""
    seen_event = asyncio.Event()

    async def follow() -> None:
        person = ScriptedPerson(client, run.thread_id, note=lambda _: None, token=TOKEN)
        async for event in client.events(run.thread_id, cursor=0):
            created = event["type"] == "request.created"
            if stop == (title_of(event["request"]) if created else event.get("message", {}).get("id")):
                seen_event.set()
                return
            if created or event["type"] == "request.reprompted":
                await person.answer(await client.requests.get(event["request"]["id"]))

    watching = asyncio.create_task(follow())
    with anyio.fail_after(120):
        async with run_agent(ready, run) as agent:
            await seen_event.wait()
            agent.send_signal(signal.SIGKILL)
            with pytest.raises(DemoFailed):
                await run_result(agent)
    await watching


@pytest.mark.parametrize(
    ("outcome", "stage", "says"),
    [
        ("declined", "name", "Come back whenever you like"),
        ("declined", "go", "Come back whenever you like"),
        ("cancelled", "name", "was withdrawn"),
    ],
)
async def test_a_person_who_declines_the_project_gets_a_closing_message(
    outcome: str, stage: str, says: str, tmp_path: Path
) -> None:
    run = DemoRun("run1", "demo-1", tmp_path / "out", date(2026, 11, 20))
    async with (
        served(tmp_path / "data") as ready,
        run_agent(ready, run) as agent,
        AsyncClient(ready.url, ready.responder_token) as client,
    ):
        with anyio.fail_after(120):
            async for event in client.events(run.thread_id, cursor=0):
                if event["type"] == "request.created":
                    request = event["request"]
                    if outcome == "cancelled":
                        await _cancel(ready, tmp_path, request["id"])
                    elif request["form"]["fields"][0]["id"] == stage:
                        await client.requests.decline(request["id"], reason="dismissed")
                    else:
                        await answer(client, request)
                if event.get("message", {}).get("id") == "run1-goodbye":
                    break
            assert await run_result(agent) == RunResult(folder=None, published=None)
        assert says in texts_of(await client.threads.get(run.thread_id))[-1]
    assert not (tmp_path / "out").exists()


async def test_change_something_asks_again_with_the_note(tmp_path: Path) -> None:
    run = DemoRun("run1", "demo-1", tmp_path / "out", date(2026, 11, 20))
    shown_requests: list[dict[str, Any]] = []
    async with (
        served(tmp_path / "data") as ready,
        run_agent(ready, run) as agent,
        AsyncClient(ready.url, ready.responder_token) as client,
    ):
        with anyio.fail_after(120):
            async for event in client.events(run.thread_id, cursor=0):
                if event.get("message", {}).get("id") == "run1-done":
                    break
                if event["type"] == "request.created" and "approval" in event["request"]:
                    await client.requests.decide(event["request"]["id"], "deny")
                elif event["type"] == "request.created":
                    shown_requests.append(event["request"]["form"])
                    rounds = {"go": "change" if len(shown_requests) == 3 else "write"}
                    if len(shown_requests) > 3:
                        rounds |= {"name": "second-name", "licence": "My own"}
                    await answer(client, event["request"], **rounds)
            folder = (await run_result(agent)).folder
    assert folder
    assert folder == tmp_path / "out" / "second-name"
    assert shown_requests[3]["initial_values"] == {"name": "hello-askback", "language": "python"}
    assert "My own" in (folder / "LICENSE").read_text()


async def test_ctrl_c_ends_the_server_and_the_agent_and_not_those_of_another_demo(tmp_path: Path) -> None:
    processes: list[Process] = []
    urls: list[str] = []
    for name in ("one", "two"):
        process = fork(
            *("demo", "--no-browser", "--output", str(tmp_path / "out")),
            environment={**ENVIRONMENT, "ASKBACK_DATA_DIR": str(tmp_path / name), "COLUMNS": "300"},
            stderr=2,
        )
        assert process.stdout is not None
        link = next(line for line in process.stdout if b"/login#" in line).decode().strip()
        url = json.loads((tmp_path / name / "demo.json").read_text())["url"]
        assert re.fullmatch(re.escape(url) + r"/login#[\w-]+&next=/t/demo-[0-9a-f]{8}", link)
        processes.append(process)
        urls.append(url)
    for process, url, others in zip(processes, urls, (urls[1:], []), strict=True):
        process.send_signal(signal.SIGINT)
        with anyio.fail_after(120):
            rest, _ = await anyio.to_thread.run_sync(process.communicate)
        assert process.returncode == 130
        assert b"have ended" in rest
        assert [accepts_connections(item) for item in (url, *others)] == [False] + [True] * len(others)
    assert not (tmp_path / "one" / "demo.json").exists()


def accepts_connections(url: str) -> bool:
    """Return whether a server accepts connections there."""
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", int(url.rpartition(":")[2]))) == 0


async def test_on_a_terminal_the_page_stays_until_enter(tmp_path: Path) -> None:
    primary, secondary = pty.openpty()
    process = fork(
        *("demo", "--no-browser", "--output", str(tmp_path / "out"), "--data-dir", str(tmp_path / "kept")),
        environment={**ENVIRONMENT, "ASKBACK_DATA_DIR": str(tmp_path / "home"), "COLUMNS": "300"},
        stdin=secondary,
        stderr=2,
    )
    os.close(secondary)
    assert process.stdout is not None
    link = next(line for line in process.stdout if b"/login#" in line).decode().strip()
    result = json.loads((tmp_path / "home" / "demo.json").read_text())
    thread = link.rpartition("/")[2]
    async with AsyncClient(result["url"], result["responder_token"]) as client:
        person = asyncio.create_task(ScriptedPerson(client, thread, note=lambda _: None).run())
        with anyio.fail_after(120):
            await anyio.to_thread.run_sync(
                lambda: next(line for line in process.stdout or () if b"stays" in line)
            )
        person.cancel()
        assert texts_of(await client.threads.get(thread))[-1].endswith("Have fun!")
    os.write(primary, b"\n")
    with anyio.fail_after(120):
        assert await anyio.to_thread.run_sync(process.wait) == 0
    assert (tmp_path / "kept" / "askback.db").exists()
    os.close(primary)
    process.stdout.close()


async def _cancel(ready: RunningServer, tmp_path: Path, request_id: str) -> None:
    admin = json.loads((tmp_path / "data" / "server.json").read_text())["admin_token"]
    async with AsyncClient(ready.url, admin) as client:
        await client.requests.cancel(request_id, reason="admin")
