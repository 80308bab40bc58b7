"""`askback serve` as a separate process: its output, its files, its end."""

from __future__ import annotations

import json
import re
import socket
import stat
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.cli.conftest import Server, start, start_new_process
from tests.cli.scripts import complete
from tests.fault.full_disk import full_disk
from tests.forks.process import Process
from tests.requirements import requirement
from tests.signing_in import sign_in_now

ASK = {"kind": "form", "thread_id": "t1", "form": {"fields": [{"id": "a", "type": "text", "label": "A"}]}}


@contextmanager
def run_server(
    data: Path, *flags: str, begin: Callable[..., Any] = start, **env: str
) -> Iterator[tuple[Process, dict[str, Any]]]:
    """Start a server on a free port, and end it."""
    with begin("serve", "--port", "0", "--data-dir", str(data), "--ready-json", *flags, **env) as process:
        try:
            line = process.stdout.readline()
            assert line, complete(process)
            yield process, json.loads(line)
        finally:
            process.kill()


def start_on_full_disk(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    """Start a server whose files cannot grow."""
    with full_disk():
        return start_new_process(*arguments, **environment)


def caller(ready: dict[str, Any], role: str) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {ready[f'{role}_token']}"}
    return httpx2.Client(base_url=ready["url"], headers=headers, trust_env=False, timeout=120)


def test_one_line_says_how_to_reach_the_server_once_it_accepts_requests(tmp_path: Path) -> None:
    with run_server(tmp_path, begin=start_new_process) as (_, ready):
        assert set(ready) == {"url", "requester_token", "responder_token", "admin_token", "login_url"}
        users: dict[str, str] = {}
        for role in ("requester", "responder", "admin"):
            with caller(ready, role) as http:
                principal = http.get("/v1/session").json()["principal"]
            assert principal["role"] == role
            users[role] = principal["user"]
        with httpx2.Client(trust_env=False) as browser:
            assert sign_in_now(browser, ready["login_url"]).status_code == 201
            signed_in = browser.get(f"{ready['url']}/v1/session").json()["principal"]
            assert (signed_in["role"], signed_in["user"]) == ("responder", users["responder"])


def test_a_restart_keeps_tokens_requests_and_idempotency_keys(tmp_path: Path) -> None:
    with run_server(tmp_path) as (_, first), caller(first, "requester") as http:
        reply = http.post("/v1/requests", json=ASK, headers={"Idempotency-Key": "k"})
    with run_server(tmp_path) as (_, second):
        assert {k: v for k, v in second.items() if k.endswith("_token")} == {
            k: v for k, v in first.items() if k.endswith("_token")
        }
        assert second["login_url"] != first["login_url"]
        with caller(second, "requester") as http:
            second_reply = http.post("/v1/requests", json=ASK, headers={"Idempotency-Key": "k"})
    assert (reply.status_code, second_reply.status_code) == (201, 201)
    assert second_reply.json()["id"] == reply.json()["id"]


@requirement("I1")
@pytest.mark.parametrize("left", ["missing", "empty"])
def test_a_database_that_is_gone_is_not_replaced_by_a_new_one(tmp_path: Path, left: str) -> None:
    with run_server(tmp_path):
        pass
    for file in tmp_path.glob("askback.db*"):
        file.unlink()
    database, known = tmp_path / "askback.db", tmp_path / "server.json"
    if left == "empty":
        database.touch(mode=0o600)
    for command in (("serve", "--port", "0"), ("rules", "add", "bash(make)"), ("rules", "list")):
        status, out, err = complete(start(*command, ASKBACK_DATA_DIR=str(tmp_path)))
        assert (status, out) == (1, "")
        assert str(database) in err
        assert not database.exists() or not database.stat().st_size
    known.rename(tmp_path / "old.json")
    with run_server(tmp_path) as (process, ready):
        assert ready["url"]
        process.terminate()
        assert b"beside the master keys of an older one" in process.communicate(timeout=120)[1]


@pytest.mark.parametrize("text", ["", "{", '["url"]', "\x00\x00"])
def test_a_damaged_server_json_is_reported_and_not_replaced_beside_a_new_database(
    tmp_path: Path, text: str
) -> None:
    known = tmp_path / "server.json"
    with run_server(tmp_path) as (_, first):
        pass
    known.write_text(text)
    with run_server(tmp_path) as (process, second):
        assert second["requester_token"] != first["requester_token"]
        with caller(first | {"url": second["url"]}, "requester") as http:
            assert http.get("/v1/requests").status_code == 200
        process.terminate()
        assert (
            f"{known} is damaged and is replaced, with new tokens".encode()
            in process.communicate(timeout=120)[1]
        )
    known.write_text(text)
    for file in tmp_path.glob("askback.db*"):
        file.unlink()
    status, out, err = complete(start("serve", "--port", "0", ASKBACK_DATA_DIR=str(tmp_path)))
    assert (status, out) == (1, "")
    assert f"{known} is damaged" in err
    assert known.read_text() == text


@requirement("I1")
@pytest.mark.parametrize("stored_tokens", [True, False])
def test_a_start_on_a_full_disk_says_so_and_which_tokens_are_known(
    tmp_path: Path, stored_tokens: bool
) -> None:
    with run_server(tmp_path) as (_, first), caller(first, "requester") as http:
        body = http.post("/v1/requests", json=ASK).json()
    if not stored_tokens:
        (tmp_path / "server.json").unlink()
    with run_server(tmp_path, begin=start_on_full_disk) as (process, ready):
        tokens = {f"{role}_token" for role in ("requester", "responder", "admin")}
        assert ready == {"url": ready["url"], "read_only": "File too large"} | {
            name: first[name] for name in tokens if stored_tokens
        }
        with caller(first | {"url": ready["url"]}, "requester") as http:
            assert http.get(f"/v1/requests/{body['id']}").json() == body
            assert http.get("/readyz").json()["error"]["code"] == "read_only"
            assert http.post("/v1/requests", json=ASK).status_code == 503
        process.terminate()
        _, output = process.communicate(timeout=120)
        assert output.count(b"started read-only: File too large.") == 1
        assert (b"ASKBACK_BOOTSTRAP_TOKENS" in output) is not stored_tokens
        assert b"Traceback" not in output


def test_the_address_and_tokens_are_readable_only_by_their_owner(tmp_path: Path) -> None:
    data = tmp_path / "deep" / "data"
    with run_server(data) as (_, ready):
        file = data / "server.json"
        left = json.loads(file.read_text())
        # Only commands on this machine use these; the server never prints them.
        for name in ("operator_token", "run_token", "key"):
            assert left.pop(name) not in ready.values()
        assert left.pop("database") == str(data / "askback.db")
        assert left == {k: v for k, v in ready.items() if k != "login_url"}
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert [p.name for p in data.iterdir() if p.name.startswith(".server")] == []


def test_chosen_tokens_are_used_and_missing_ones_are_created(tmp_path: Path) -> None:
    tokens = "requester/ci:tok-agent-1,requester@acme:tok-acme-1,responder:tok-person"
    with run_server(tmp_path, ASKBACK_BOOTSTRAP_TOKENS=tokens) as (_, ready):
        assert (ready["requester_token"], ready["responder_token"]) == ("tok-agent-1", "tok-person")
        assert len(ready["admin_token"]) >= 43
        with caller({**ready, "requester_token": "tok-acme-1"}, "requester") as acme:
            body = acme.post("/v1/requests", json=ASK).json()
        with caller(ready, "responder") as person:
            assert person.get(f"/v1/requests/{body['id']}").status_code == 404


def test_behind_a_proxy_links_and_cookies_are_those_of_the_public_address(tmp_path: Path) -> None:
    with run_server(tmp_path, ASKBACK_PUBLIC_URL="https://askback.example") as (_, ready):
        assert ready["login_url"].startswith("https://askback.example/login#")
        # Without X-Forwarded-Proto: some proxies do not send it.
        headers = {"Host": "askback.example", "Origin": "https://askback.example"}
        with httpx2.Client(base_url=ready["url"], headers=headers, trust_env=False) as browser:
            entered = sign_in_now(browser, ready["login_url"])
            assert entered.status_code == 201
            cookie = entered.headers["set-cookie"]
            assert re.fullmatch(r"__Host-askback_session_[0-9a-f]{16}=.+; Path=/; .+; Secure", cookie)
            sent = {"Cookie": cookie.partition(";")[0]}
            assert browser.get("/v1/session", headers=sent).status_code == 200
        with caller(ready, "admin") as admin:
            link = admin.post("/v1/login-links", json={}).json()["url"]
        assert link.startswith("https://askback.example/login#")


@pytest.mark.parametrize("head", [b"X-A: ", b"X-A: 1\r\n", b""])
def test_a_request_head_without_end_is_cut_before_it_fills_the_memory(server: Server, head: bytes) -> None:
    with socket.create_connection(address(server.url), timeout=120) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\r\n" if head else b"GET /")
        sent = 0
        with suppress(ConnectionError):
            while sent < 16 * 1024 * 1024:
                sent += stranger.send((head or b"a") * 8192)
        assert sent < 16 * 1024 * 1024
    with caller({"url": server.url, "requester_token": server.tokens["requester"]}, "requester") as agent:
        body = {**ASK, "form": {"title": "x" * 400, **ASK["form"]}}
        assert agent.post("/v1/requests", json=body, headers={"X-Long": "a" * 60_000}).status_code == 201


def address(url: str) -> tuple[str, int]:
    host, _, port = url.removeprefix("http://").partition(":")
    return host, int(port)


def test_a_second_server_of_the_same_folder_says_which_file_is_in_use(tmp_path: Path) -> None:
    with run_server(tmp_path) as (_, first):
        status, _, err = complete(start("serve", "--port", "0", "--data-dir", str(tmp_path)))
        assert status == 1
        assert str(tmp_path / "askback.db") in err
        assert "Traceback" not in err
        assert json.loads((tmp_path / "server.json").read_text())["url"] == first["url"]


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, _, err = complete(start("serve", "--port", str(port), "--data-dir", str(tmp_path)))
    assert status == 1
    assert f"127.0.0.1:{port} cannot be bound" in err
    assert "Traceback" not in err


def test_a_person_sees_the_link_the_address_and_the_line_for_the_agent(tmp_path: Path) -> None:
    process = start("serve", "--host", "0.0.0.0", "--port", "0", "--data-dir", str(tmp_path))
    assert process.stdout is not None
    output = ""
    while "Ctrl+C" not in output:
        line = process.stdout.readline()
        assert line, complete(process)
        output += line.decode()
    server_record = json.loads((tmp_path / "server.json").read_text())
    assert (
        f"export ASKBACK_URL={server_record['url']} ASKBACK_TOKEN={server_record['requester_token']}"
        in output
    )
    assert f"{server_record['url']}/login#" in output
    process.terminate()
    assert "TLS" in complete(process)[2]


def test_a_refused_or_abandoned_handshake_logs_no_error(tmp_path: Path) -> None:
    with run_server(tmp_path) as (process, ready):
        port = int(ready["url"].rpartition(":")[2])
        for path, origin, waits in (
            ("/v1/ws", "http://evil.example", True),
            ("/v1/nowhere", ready["url"], True),
            ("/v1/ws", ready["url"], True),
            ("/v1/ws", "http://evil.example", False),
            ("/v1/ws", ready["url"], False),
        ) * 5:
            with socket.create_connection(("127.0.0.1", port), timeout=120) as client:
                client.sendall(handshake(path, port, origin))
                if waits:
                    assert client.recv(64).startswith(b"HTTP/1.1 ")
                else:
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        with caller(ready, "responder") as http:
            assert http.get("/v1/limits").status_code == 200
        process.terminate()
        assert "ERROR" not in complete(process)[2]


def handshake(path: str, port: int, origin: str) -> bytes:
    """The head with which a WebSocket begins."""
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Origin: {origin}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: askback.v1",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def test_a_new_link_and_a_new_token_come_from_the_running_server(tmp_path: Path) -> None:
    with run_server(tmp_path) as (_, ready):
        link = run("login", "--name", "Bo", data=tmp_path)
        with httpx2.Client(trust_env=False) as browser:
            assert sign_in_now(browser, link).status_code == 201
            assert browser.get(f"{ready['url']}/v1/session").json()["principal"]["name"] == "Bo"
            [listed] = run("session", "list", data=tmp_path).splitlines()
            session_id = listed.partition(" ")[0]
            assert f"{session_id}  Bo  used " in listed
            assert run("session", "end", session_id, data=tmp_path) == "Ended 1 session."
            assert browser.get(f"{ready['url']}/v1/session").status_code == 401
            assert run("session", "end", "--all", data=tmp_path) == "Ended 0 sessions."
        token = run("token", "create", "--role", "requester", "--name", "ci", data=tmp_path)
        with caller({**ready, "requester_token": token}, "requester") as http:
            assert http.get("/v1/session").json()["principal"]["name"] == "ci"


def test_a_token_made_while_no_server_runs_works_in_the_next_one(tmp_path: Path) -> None:
    assert run("rules", "add", "bash(make)", data=tmp_path)
    token = run("token", "create", "--role", "responder", "--tenant", "acme", data=tmp_path)
    with run_server(tmp_path) as (_, ready), caller({**ready, "responder_token": token}, "responder") as http:
        assert http.get("/v1/session").json()["principal"]["role"] == "responder"


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("login",), 1, "askback serve"),
        (("token", "create", "--role", "root"), 2, "requester, responder, admin"),
        (("serve", "--port", "99999"), 1, "--port"),
        (("serve", "--database-url", "mysql://x/y"), 1, "--database-url"),
        (("nonsense",), 2, "nonsense"),
    ],
)
def test_an_impossible_action_is_reported_in_a_sentence(
    tmp_path: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    ended, _, err = complete(start(*arguments, ASKBACK_DATA_DIR=str(tmp_path)))
    assert ended == status
    assert message in err
    assert "Traceback" not in err


def run(*arguments: str, data: Path) -> str:
    """Run a command that must succeed and return what it printed."""
    status, out, err = complete(start(*arguments, ASKBACK_DATA_DIR=str(data)))
    assert status == 0, err
    return out.strip()
