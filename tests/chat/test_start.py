"""Which agent `askback chat` talks with, and the server that it starts."""

from __future__ import annotations

import re
from pathlib import Path

import anyio
import pytest

from askback import AsyncClient
from askback.chat.model_agent import ModelAgent
from askback.chat.scripted import ScriptedAgent
from askback.cli.chat import choose_agent
from askback.errors import AskbackError
from askback.server import server_file
from tests.demo.scene import ENVIRONMENT
from tests.forks.process import fork


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


async def test_it_starts_a_server_prints_a_link_and_the_script_asks_its_first_question(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    arguments = (
        "chat",
        "--agent",
        "scripted",
        "--data-dir",
        str(data),
        "--folder",
        str(tmp_path),
        "--no-browser",
    )
    with fork(*arguments, environment=ENVIRONMENT, stdin=0, stderr=2) as chat:
        assert chat.stdout is not None
        with anyio.fail_after(120):
            while b"login" not in (line := await anyio.to_thread.run_sync(chat.stdout.readline)):
                assert line
            address = server_file.read(data / "server.json")
            assert re.fullmatch(rf"{address['url']}/login\S+next=/t/chat", line.decode().strip())
            async with AsyncClient(address["url"], address["responder_token"]) as eva:
                await eva.say("Hello", thread_id="chat")
                async for event in eva.events("chat", cursor=0):
                    if event["type"] == "request.created":
                        break
        chat.terminate()
