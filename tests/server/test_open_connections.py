"""The number of open connections is bounded, and those with a valid credential stay."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from askback.server import open_connections
from askback.server.open_connections import OpenConnections
from tests.cli.conftest import ENVIRONMENT
from tests.requirements import requirement

FILES = 128
"""The limit of open files of the server, of which it needs less than half itself."""
FLOOD = 200


class Connection:
    """A connection that records whether it was closed."""

    def __init__(self, connections: OpenConnections) -> None:
        self.transport = self
        self.closed = False
        connections.add(self)
        connections.make_room()

    def abort(self) -> None:
        self.closed = True


def test_the_oldest_connection_without_a_credential_is_closed_when_there_are_too_many() -> None:
    closed: list[None] = []
    connections = OpenConnections(limit=3, on_closed=lambda: closed.append(None))
    known, oldest, second = (Connection(connections) for _ in range(3))
    connections.keep(known)
    assert not closed
    third = Connection(connections)
    assert [item.closed for item in (known, oldest, second, third)] == [False, True, False, False]
    connections.discard(second)
    fourth = Connection(connections)
    assert (connections, len(closed)) == ({known, third, fourth}, 1)


def test_a_new_connection_is_closed_when_all_others_have_a_credential() -> None:
    connections = OpenConnections(limit=2, on_closed=lambda: None)
    known = [Connection(connections) for _ in range(2)]
    for connection in known:
        connections.keep(connection)
    assert Connection(connections).closed
    assert connections == set(known)
    connections.remove(known[0])
    assert not Connection(connections).closed


def test_connections_without_a_credential_are_bounded_also_by_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_connections, "MAX_UNIDENTIFIED", 2)
    connections = OpenConnections(limit=100, on_closed=lambda: None)
    connections.keep(Connection(connections))
    assert [item.closed for item in [Connection(connections) for _ in range(3)]] == [True, False, False]


def test_the_soft_limit_of_open_files_becomes_the_hard_limit() -> None:
    code = (
        "from askback.server.open_connections import connection_limit, raise_descriptor_limit; import resource; raise_descriptor_limit();"
        "print(*resource.getrlimit(resource.RLIMIT_NOFILE), connection_limit())"
    )
    words = (
        "/bin/sh",
        "-c",
        'ulimit -S -n 100; ulimit -H -n 512; exec "$@"',
        "sh",
        sys.executable,
        "-c",
        code,
    )
    soft, hard, limit = map(int, subprocess.run(words, capture_output=True, check=True).stdout.split())
    assert (soft, hard) == (512, 512)
    assert 512 - open_connections.RESERVE - 16 < limit < 512 - open_connections.RESERVE


@contextmanager
def server_with_few_files(data_dir: Path) -> Iterator[dict[str, Any]]:
    arguments = ("-m", "askback", "serve", "--port", "0", "--data-dir", str(data_dir), "--ready-json")
    words = ("/bin/sh", "-c", f'ulimit -n {FILES}; exec "$@"', "sh", sys.executable, *arguments)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, env=ENVIRONMENT)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=120)


class Caller:
    """A client with one connection, which it does not open again."""

    def __init__(self, ready: dict[str, Any], role: str) -> None:
        self._http = http.client.HTTPConnection(ready["url"].partition("://")[2], timeout=120)
        self._http.connect()
        self._http.auto_open = 0
        self._headers = {
            "Authorization": f"Bearer {ready[f'{role}_token']}",
            "Content-Type": "application/json",
        }

    def call(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        self._http.request(method, path, None if body is None else json.dumps(body), self._headers)
        reply = self._http.getresponse()
        assert reply.status in (200, 201), reply.read()
        return json.load(reply)

    def open_stream(self) -> http.client.HTTPResponse:
        self._http.request("GET", "/v1/events", headers=self._headers)
        return self._http.getresponse()


@requirement("N16")
def test_idle_connections_stop_neither_calls_nor_deadlines_nor_streams(tmp_path: Path) -> None:
    form = {"fields": [{"id": "a", "type": "text", "label": "A"}]}
    body = {"kind": "form", "thread_id": "t", "form": form, "timeout_s": 1}
    with server_with_few_files(tmp_path) as ready, ExitStack() as flood:
        early = Caller(ready, "requester")
        early.call("GET", "/v1/limits")
        stream = Caller(ready, "responder").open_stream()
        for _ in range(FLOOD):
            address = ready["url"].rpartition(":")[2]
            flood.enter_context(socket.create_connection(("127.0.0.1", int(address)), timeout=120))
        request = early.call("POST", "/v1/requests", body)
        waited = Caller(ready, "requester").call("GET", f"/v1/requests/{request['id']}?wait=60")
        assert waited["status"] == "expired"
        assert next(line for line in iter(stream.readline, b"") if line.startswith(b"event: "))
