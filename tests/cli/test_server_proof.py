"""No token and no session goes to another program that has the port of this user's server."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import pytest

from askback import AsyncClient, ConnectionLost
from askback.client.server_proof import is_running
from tests.cli.conftest import Server, start

pytestmark = pytest.mark.anyio

ROLES = ("admin", "operator", "responder", "requester", "run")


class OtherProgram:
    """A program that listens at the port of a server that has stopped, and answers everything."""

    def __init__(self) -> None:
        self.received = bytearray()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                with suppress(OSError):
                    self.received += connection.recv(65536)
                    connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def other_program() -> Iterator[OtherProgram]:
    """Another program."""
    program = OtherProgram()
    yield program
    program.close()


@pytest.fixture
def data_dir(tmp_path: Path, other_program: OtherProgram) -> Path:
    """The folder of a server that has stopped, whose port the other program has."""
    tokens = {f"{role}_token": f"secret-token-of-{role}" for role in ROLES}
    content = {"url": f"http://127.0.0.1:{other_program.port}", "key": "k" * 32, **tokens}
    (tmp_path / "server.json").write_text(json.dumps(content))
    return tmp_path


@pytest.mark.parametrize(
    "arguments", [("inbox", "--once"), ("login",), ("token", "list"), ("run", "--secret", "A", "--", "true")]
)
def test_no_command_sends_a_token_to_another_program(
    data_dir: Path, other_program: OtherProgram, arguments: tuple[str, ...]
) -> None:
    process = start(*arguments, ASKBACK_DATA_DIR=str(data_dir))
    process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"GET /.well-known/askback-server/" in other_program.received
    assert b"secret-token" not in other_program.received


@pytest.mark.parametrize("transport", ["auto", "http"])
async def test_no_client_sends_a_token_to_another_program(
    data_dir: Path, other_program: OtherProgram, monkeypatch: pytest.MonkeyPatch, transport: Any
) -> None:
    monkeypatch.setenv("ASKBACK_DATA_DIR", str(data_dir))
    monkeypatch.delenv("ASKBACK_URL", raising=False)
    async with AsyncClient(transport=transport, retry_for=0.5) as ask:
        for call in (lambda: ask.requests.get("req_1"), lambda: ask.tokens.list()):
            with pytest.raises(ConnectionLost, match="another program has its port"):
                await call()
    assert b"GET /.well-known/askback-server/" in other_program.received
    assert b"secret-token" not in other_program.received


def test_a_server_proves_that_it_is_the_one_of_its_file_and_only_at_its_port(
    server: Server, other_program: OtherProgram
) -> None:
    recorded = json.loads((server.data / "server.json").read_text())
    assert is_running(recorded)
    assert not is_running({**recorded, "key": "another"})
    assert not is_running({**recorded, "url": f"http://127.0.0.1:{other_program.port}"})
    assert is_running({**recorded, "key": ""})  # of an older version
    assert not is_running({})


async def test_a_page_that_is_opened_as_localhost_moves_to_the_address_of_the_server(server: Server) -> None:
    """Another program may have the port on `::1`."""
    async with httpx2.AsyncClient(base_url=server.url) as http:
        host = {"host": f"localhost:{urlsplit(server.url).port}"}
        moved = await http.get("/inbox/req_1?tab=2", headers=host)
        assert (moved.status_code, moved.headers["location"]) == (307, f"{server.url}/inbox/req_1?tab=2")
        assert (await http.get("/inbox/req_1")).status_code == 200
        assert (
            await http.get("/inbox", headers={"host": "localhost:1"})
        ).status_code == 200  # behind a proxy
        assert (await http.get("/healthz", headers=host)).status_code == 200
