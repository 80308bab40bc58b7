"""A client that `askback install` has connected starts the server of its person when none runs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import psutil
import pytest
from mcp import Client, StdioServerParameters

from askback import AsyncClient, InputRequest
from askback.cli import background
from askback.cli.background import LOG, PID, ServerNotStarted, ensure_server, stop_server
from askback.client.server_proof import is_running
from askback.errors import Unauthorized
from askback.server import server_file
from tests.adapters.mcp.conftest import MODERN, Tools

pytestmark = pytest.mark.anyio


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """The home of a person, whose server is stopped at the end."""
    yield tmp_path
    stop_server(tmp_path / "data")


async def askback(home: Path, *words: str) -> str:
    """Run a command of askback, and return what it printed."""
    done = await anyio.run_process((sys.executable, "-m", "askback", *words), env=environment(home))
    return done.stdout.decode()


def environment(home: Path) -> dict[str, str]:
    inherited = {name: text for name, text in os.environ.items() if not name.startswith("ASKBACK_")}
    return {**inherited, "HOME": str(home), "ASKBACK_DATA_DIR": str(home / "data"), "ASKBACK_PORT": "0"}


def installed_client(home: Path, folder: Mapping[str, str] | None = None) -> Client:
    """The MCP client as the configuration of Cursor describes it, with the variables of the folder it starts in."""
    server = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["askback"]
    env = {**environment(home), **(folder or {}), **server["env"]}
    target = StdioServerParameters(command=server["command"], args=server["args"], env=env)
    return Client(target, mode=MODERN)


async def permission_prompt(home: Path) -> subprocess.CompletedProcess[bytes]:
    """Run the hook that `askback install claude-code` has written."""
    credentials = home / "data" / "clients" / "claude-code.json"
    call = {"session_id": "s1", "tool_name": "deploy", "tool_input": {"to": "staging"}}
    words = (sys.executable, "-m", "askback", "hook", "--credentials", str(credentials))
    return await anyio.run_process(words, input=json.dumps(call).encode(), env=environment(home))


def known(home: Path) -> dict[str, str]:
    """Return the address and the tokens of the server; empty before its first start."""
    return server_file.read(home / "data" / "server.json")


@pytest.mark.timeout(180)
async def test_one_command_leads_to_the_first_answer(home: Path) -> None:
    assert "Cursor starts it in the background" in await askback(home, "install", "cursor", "--yes")
    with anyio.fail_after(120):
        async with installed_client(home) as client:
            reply = await Tools(client).content("ask_user", question="Which?", wait_s=0)
            async with AsyncClient(known(home)["url"], known(home)["responder_token"]) as person:
                await person.requests.answer(
                    await person.requests.get(reply["request_id"]), {"answer": "this"}
                )
            found = await Tools(client).content("get_answer", request_id=reply["request_id"])
            typed = await Tools(client).content("request_env_vars", names=["A_KEY"], reason="to try it")
            async with AsyncClient(known(home)["url"], known(home)["responder_token"]) as person:
                await person.requests.submit(typed["request_id"], {"A_KEY": "canary-2f6a-c3d8"})
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            command = (listed["request_env_vars"].description or "").rpartition("is: ")[2]
            command = command.replace("NAME", "A_KEY").replace("COMMAND", "printenv A_KEY")
            ran = await anyio.run_process(command, env=environment(home))
    assert found["answers"] == {"answer": "this"}
    assert ran.stdout == b"[secret:A_KEY]\n"  # nobody is asked again: it is the same agent and conversation
    assert psutil.pid_exists(int((home / "data" / PID).read_text()))  # for other clients, and for the page
    assert await askback(home, "stop") == f"Stopped the server of {home / 'data'}.\n"
    with pytest.raises(subprocess.CalledProcessError) as exc_info:
        await askback(home, "stop")
    assert b"runs in the background" in exc_info.value.stderr


@pytest.mark.timeout(180)
async def test_the_server_has_no_settings_of_the_folder_where_a_client_starts(home: Path) -> None:
    """Gemini CLI, for one, gives its MCP servers the variables in `.env` of a cloned repository."""
    await askback(home, "install", "cursor", "--yes")
    known_token, elsewhere = "known-to-the-author-of-the-folder", home / "elsewhere.db"
    cloned = {
        "ASKBACK_BOOTSTRAP_TOKENS": f"admin:{known_token}",
        "ASKBACK_REPORTED_APPROVALS": "on",
        "ASKBACK_DATABASE_URL": f"sqlite:///{elsewhere}",
        "ASKBACK_MASTER_KEYS": "off",
        "ASKBACK_HOST": "0.0.0.0",
    }
    async with installed_client(home, cloned) as client:
        await Tools(client).content("list_requests")
        async with AsyncClient(known(home)["url"], known(home)["responder_token"]) as person:
            session = await person.sessions.current()
        async with AsyncClient(known(home)["url"], known_token) as author:
            with pytest.raises(Unauthorized):
                await author.requests.list()
    assert not session.reported_approvals
    assert known(home)["url"].startswith("http://127.0.0.1:")
    assert (home / "data" / "master.key").exists()
    assert not elsewhere.exists()


@pytest.mark.timeout(180)
async def test_the_settings_that_the_server_will_not_have_are_named(home: Path) -> None:
    environ = {**environment(home), "ASKBACK_LOG": "json", "ASKBACK_THREAD": "t"}
    words = (sys.executable, "-m", "askback", "install", "cursor", "--yes")
    done = await anyio.run_process(words, env=environ)
    assert "It will not have the settings of ASKBACK_LOG. " in done.stdout.decode()


@pytest.mark.timeout(180)
async def test_claude_code_speaks_the_version_in_which_its_dialogs_can_be_closed(home: Path) -> None:
    await askback(home, "install", "claude-code", "--yes")
    server = json.loads((home / ".claude.json").read_text())["mcpServers"]["askback"]
    env = {**environment(home), **server["env"]}
    target = StdioServerParameters(command=server["command"], args=server["args"], env=env)
    async with Client(target) as client:
        assert client.session.protocol_version == "2025-11-25"


@pytest.mark.timeout(180)
async def test_the_first_permission_prompt_starts_the_server(home: Path) -> None:
    await askback(home, "install", "claude-code", "--yes")
    await askback(home, "rules", "add", "deploy")
    done = await permission_prompt(home)
    assert json.loads(done.stdout)["hookSpecificOutput"]["decision"]["behavior"] == "allow"
    assert psutil.pid_exists(int((home / "data" / PID).read_text()))


async def kill_server(home: Path) -> None:
    """Kill the background server, and return when its successor accepts requests at the same address."""
    data = home / "data"
    killed_id, url = (data / PID).read_text(), known(home)["url"]
    psutil.Process(int(killed_id)).kill()
    with anyio.fail_after(60):
        while (data / PID).read_text() in {"", killed_id} or not is_running({"url": url}):
            await anyio.sleep(0.05)


async def open_request(home: Path) -> InputRequest:
    """Wait for the server, and for the first request."""
    with anyio.fail_after(60):
        while "url" not in known(home):
            await anyio.sleep(0.05)
        async with AsyncClient(known(home)["url"], known(home)["responder_token"]) as person:
            async for event in person.events(cursor=0):
                if event["type"] == "request.created":
                    return await person.requests.get(event["request"]["id"])
    raise AssertionError


@pytest.mark.timeout(180)
async def test_a_server_that_is_killed_during_a_call_is_started_again(home: Path) -> None:
    await askback(home, "install", "cursor", "--yes")
    replies: list[dict[str, Any]] = []

    async def ask(tools: Tools) -> None:
        replies.append(await tools.content("ask_user", question="Which?"))

    async with installed_client(home) as client, anyio.create_task_group() as tasks:
        tasks.start_soon(ask, Tools(client))
        request = await open_request(home)
        await kill_server(home)
        async with AsyncClient(known(home)["url"], known(home)["responder_token"]) as person:
            await person.requests.answer(request, {"answer": "this"})
    assert replies[0]["answers"] == {"answer": "this"}


@pytest.mark.timeout(180)
async def test_a_server_that_is_killed_during_a_permission_prompt_is_started_again(home: Path) -> None:
    await askback(home, "install", "claude-code", "--yes")
    decisions: list[bytes] = []

    async def prompt() -> None:
        decisions.append((await permission_prompt(home)).stdout)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(prompt)
        request = await open_request(home)
        await kill_server(home)
        async with AsyncClient(known(home)["url"], known(home)["responder_token"]) as person:
            await person.requests.decide(request, "approve")
    assert json.loads(decisions[0])["hookSpecificOutput"]["decision"]["behavior"] == "allow"


@pytest.mark.timeout(180)
def test_a_server_is_started_once_and_again_when_it_was_killed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = home / "data"
    monkeypatch.setenv("ASKBACK_PORT", "0")
    with ThreadPoolExecutor() as both:
        list(both.map(ensure_server, (data, data)))
    first = psutil.Process(int((data / PID).read_text()))
    assert first.ppid() != os.getpid()  # Claude Code kills the children of a hook that it ends
    ensure_server(data)
    assert (data / PID).read_text() == f"{first.pid}\n"
    assert (data / LOG).stat().st_mode & 0o777 == 0o600
    first.kill()
    first.wait(10)
    ensure_server(data)
    assert (data / PID).read_text() != f"{first.pid}\n"


def test_a_server_that_cannot_start_is_named_with_its_log(tmp_path: Path) -> None:
    (tmp_path / "server.json").write_text("{")
    (tmp_path / "askback.db").write_text("rubbish")
    with pytest.raises(ServerNotStarted, match=r"did not start; .*server\.log says why"):
        ensure_server(tmp_path)
    assert (tmp_path / LOG).read_text()


def test_a_server_that_hangs_at_its_start_is_not_awaited_forever(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, code = home / "data", home / "code"
    code.mkdir()
    (code / "sitecustomize.py").write_text("import signal\nsignal.pause()")
    monkeypatch.setenv("PYTHONPATH", str(code))
    with pytest.raises(
        ServerNotStarted, match=r"not ready after 0\.1 seconds; .*server\.log .*`askback stop`"
    ):
        ensure_server(data, start_s=0.1)
    first = (data / PID).read_text()
    with pytest.raises(ServerNotStarted, match="not ready after"):
        ensure_server(data, start_s=0.1)
    assert (data / PID).read_text() == first  # it may still become ready, so no second one is started
    assert stop_server(data)


def test_a_server_outlives_the_program_that_started_it_and_the_next_one_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKBACK_PORT", "0")
    impatient = "import pathlib, sys; from askback.cli.background import *; ensure_server(pathlib.Path(sys.argv[1]), start_s=0)"
    ended = subprocess.run([sys.executable, "-c", impatient, tmp_path], capture_output=True, check=False)
    assert b"ServerNotStarted: " in ended.stderr
    process_id = (tmp_path / PID).read_text()
    ensure_server(tmp_path)
    assert (tmp_path / PID).read_text() == process_id
    assert stop_server(tmp_path)


def test_a_server_that_something_else_started_meanwhile_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other server is a socket, and becomes known while the own one fails to start."""
    file = tmp_path / "server.json"
    with socket.create_server(("127.0.0.1", 0)) as other:
        recorded = json.dumps({"url": f"http://127.0.0.1:{other.getsockname()[1]}"})
        record = f"open({str(file)!r}, 'w').write({recorded!r})"
        monkeypatch.setattr(background, "program", lambda *_: (sys.executable, "-c", record))
        ensure_server(tmp_path)
