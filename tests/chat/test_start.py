"""Which agent `askback chat` talks with, and the server that it and `askback demo` start."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import psutil
import pytest

from askback import AsyncClient, InputRequest
from askback.chat.model_agent import ModelAgent
from askback.chat.scripted import ScriptedAgent
from askback.cli.chat import choose_agent
from askback.errors import AskbackError
from askback.server import server_file
from tests.demo.harness import ENVIRONMENT, served
from tests.forks.process import Process, fork

LIMIT_S = 120


@pytest.mark.parametrize(
    ("variables", "base_url", "expected"),
    [
        ({}, None, ScriptedAgent),
        ({"OPENAI_API_KEY": "a-key"}, None, ModelAgent),
        ({}, "http://127.0.0.1:9/v1", ModelAgent),
    ],
)
def test_the_settings_choose_the_agent(
    variables: dict[str, str],
    base_url: str | None,
    expected: type,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert isinstance(choose_agent("auto", tmp_path, base_url=base_url, model="m"), expected)


def test_an_endpoint_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AskbackError, match="--model"):
        choose_agent("openai", tmp_path, base_url=None, model=None)


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_folder_that_does_not_exist_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    arguments = ("--data-dir", str(tmp_path / "data"), "--folder", str(tmp_path / name), "--no-browser")
    with fork("chat", *arguments, environment=ENVIRONMENT, stdin=0) as chat:
        _, error = chat.communicate(timeout=LIMIT_S)
    assert chat.returncode == 2
    assert b"--folder" in error
    assert not (tmp_path / "data").exists()


@contextmanager
def scripted_chat(data: Path) -> Iterator[Process]:
    """Run a chat with the script, in the folder of its data, until the block ends."""
    arguments = ("--agent", "scripted", "--data-dir", str(data), "--folder", str(data), "--no-browser")
    with fork("chat", *arguments, environment=ENVIRONMENT, stdin=0, stderr=2) as chat:
        yield chat
        chat.terminate()


async def link_of(chat: Process) -> str:
    """Wait for the link that a chat prints."""
    assert chat.stdout is not None
    with anyio.fail_after(LIMIT_S):
        while b"login" not in (line := await anyio.to_thread.run_sync(chat.stdout.readline)):
            assert line
    return line.decode().strip()


async def next_question(person: AsyncClient, *, after: str = "") -> InputRequest:
    """Wait for an open question of the script, other than the one before."""
    with anyio.fail_after(LIMIT_S):
        async for event in person.events("chat", cursor=0):
            if event["type"] == "request.created" and event["request"]["id"] != after:
                return await person.requests.get(event["request"]["id"])
    raise AssertionError


async def test_it_starts_a_server_prints_a_link_and_the_script_asks_its_first_question(
    tmp_path: Path,
) -> None:
    with scripted_chat(tmp_path) as chat:
        link = await link_of(chat)
        address = server_file.read(tmp_path / "server.json")
        assert re.fullmatch(rf"{address['url']}/login\S+next=/t/chat", link)
        async with AsyncClient(address["url"], address["responder_token"]) as eva:
            await eva.say("Hello", thread_id="chat")
            assert (await next_question(eva)).status == "pending"


async def test_the_address_stays_the_same_if_the_server_is_killed_or_the_chat_starts_again(
    tmp_path: Path,
) -> None:
    with scripted_chat(tmp_path) as chat:
        await link_of(chat)
        address = server_file.read(tmp_path / "server.json")
        async with AsyncClient(address["url"], address["responder_token"]) as eva:
            await eva.say("Hello", thread_id="chat")
            first_request = await next_question(eva)
            (server,) = psutil.Process(chat.pid).children()
            server.kill()
            await eva.requests.answer(first_request, {"name": "shop", "language": "python"})
            assert (await next_question(eva, after=first_request.id)).run_id == first_request.run_id
    with scripted_chat(tmp_path) as chat:
        assert (await link_of(chat)).startswith(f"{address['url']}/login")


@pytest.mark.parametrize("command", ["chat", "demo"])
async def test_it_ends_with_a_message_if_its_server_is_stopped(command: str, tmp_path: Path) -> None:
    options = {"chat": ("--agent", "scripted"), "demo": ("--output", str(tmp_path / "out"))}[command]
    arguments = (command, *options, "--data-dir", str(tmp_path / "data"), "--no-browser")
    environment = {**ENVIRONMENT, "ASKBACK_DATA_DIR": str(tmp_path / "home"), "COLUMNS": "300"}
    with fork(*arguments, environment=environment, stdin=0) as program:
        await link_of(program)
        children = psutil.Process(program.pid).children()
        (server,) = [child for child in children if "serve" in child.cmdline()]
        server.terminate()
        with anyio.fail_after(LIMIT_S):
            _, errors = await anyio.to_thread.run_sync(program.communicate, abandon_on_cancel=True)
        assert program.returncode == 1
        assert "The server was stopped, so this command has ended too. Run it again" in errors.decode()
        assert not [child for child in children if child.is_running()]


async def test_it_prints_that_the_connection_to_a_server_that_it_did_not_start_is_lost_and_back(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(LIMIT_S):
        async with served(tmp_path) as first:
            arguments = ("chat", "--agent", "scripted", "--data-dir", str(tmp_path), "--no-browser")
            chat = fork(*arguments, environment=ENVIRONMENT, stdin=0)
            await link_of(chat)
            async with AsyncClient(first.url, first.responder_token) as eva:
                await anext(eva.events("chat", cursor=0))  # the greeting: the chat is connected
        with chat:
            assert chat.stderr is not None
            line = await anyio.to_thread.run_sync(chat.stderr.readline)
            assert (
                line
                == f"The connection to {first.url} is lost. Trying again; start the server if it was stopped.\n".encode()
            )
            async with served(tmp_path, port=first.url.rpartition(":")[2]):
                line = await anyio.to_thread.run_sync(chat.stderr.readline)
                assert line == f"Connected to {first.url} again.\n".encode()
                chat.terminate()
                await anyio.to_thread.run_sync(chat.wait)
