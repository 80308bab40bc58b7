"""The page about curl is correct: its blocks run in order against `askback serve`, and the replies are those shown."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.examples.server import ENVIRONMENT
from tests.forks.process import fork

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/how-to/ask-with-curl.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(sh|json|text)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


class Server:
    """The server of the first block, and what the calls so far have returned."""

    def __init__(self, url: str, receiver_port: int) -> None:
        self._addresses = {"http://127.0.0.1:8787": url, "9000": str(receiver_port)}
        self._ids: dict[str, str] = {}
        self._variables = ""
        self.receiver: subprocess.Popen[str] | None = None

    def fill_in(self, block: str) -> str:
        """Return a block with the addresses of this test and the newest ids."""
        for shown, actual in {**self._addresses, **self._ids, ".venv/bin/python": sys.executable}.items():
            block = block.replace(shown, actual)
        return block

    def set_variables(self, block: str) -> None:
        self._variables = self.fill_in(block)

    def call(self, block: str) -> Any:
        """Run a block that calls the server; return the reply."""
        script = self._variables + self.fill_in(block)
        ended = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True, timeout=120)
        reply = json.loads(ended.stdout)
        if str(reply.get("id", "")).startswith("req_"):
            self._ids["req_…"] = reply["id"]
        if "secret" in reply:
            self._ids["whsec_…"] = reply["secret"]
        return reply

    def start_receiver(self, block: str) -> None:
        """Run the block that receives webhooks."""
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        command = ["sh", "-c", f"exec env {self.fill_in(block)}"]
        self.receiver = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment
        )

    def received(self) -> str:
        """Wait for the next sentence for a model that the receiver prints."""
        assert self.receiver is not None
        assert self.receiver.stdout is not None
        return next(line for line in self.receiver.stdout if line.startswith("About"))


def has_members(reply: Any, shown: Any) -> bool:
    """Return whether a reply has at least the shown members; `…` stands for any text."""
    if isinstance(shown, dict):
        members: dict[str, Any] = shown
        return all(name in reply and has_members(reply[name], value) for name, value in members.items())
    if isinstance(shown, str):
        return bool(re.fullmatch(re.escape(shown).replace("…", ".+"), str(reply)))
    return reply == shown


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    (_, start), (_, variables), *_ = BLOCKS
    settings = dict(re.findall(r"^export (\w+)=(\S+)$", start, re.MULTILINE))
    (command,) = re.findall(r"^\.venv/bin/askback (serve .*) /tmp/askback-curl$", start, re.MULTILINE)
    arguments = (*command.split(), str(tmp_path), "--port", "0", "--ready-json")
    process = fork(*arguments, environment={**ENVIRONMENT, **settings}, stdin=0, stderr=2)
    assert process.stdout is not None
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        running = Server(json.loads(process.stdout.readline())["url"], free.getsockname()[1])
    running.set_variables(variables)
    yield running
    if running.receiver:
        running.receiver.terminate()
        running.receiver.communicate(timeout=120)
    process.terminate()
    process.communicate(timeout=120)


def test_every_block_of_the_page_about_curl_does_what_the_page_says(server: Server) -> None:
    reply: Any = None
    for language, block in BLOCKS[2:]:
        if "uvicorn" in block:
            server.start_receiver(block)
        elif language == "sh":
            reply = server.call(block)
        else:
            shown = json.loads(block) if language == "json" else server.fill_in(block)
            assert has_members(reply if language == "json" else server.received(), shown), (block, reply)
