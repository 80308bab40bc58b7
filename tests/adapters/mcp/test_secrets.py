"""Secrets: the client and its model get names, and never a value."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
from typing import Any

import anyio
import pytest
from mcp_types import ElicitRequestURLParams, ElicitResult

from askback import AsyncClient
from tests.adapters.conftest import TOKENS, Server
from tests.adapters.mcp.conftest import KINDS, MODERN, Connect, Kind, card
from tests.journeys.people import Person
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

CANARY = "canary-7f3a9c51-do-not-show"


@requirement("E1")
async def test_a_request_for_secrets_returns_immediately_without_a_value(
    kind: Kind, connect: Connect, thread: str
) -> None:
    request_members = {"names": ["API_KEY", "OTHER_KEY"], "reason": "to deploy", "thread_id": thread}
    async with connect(kind) as tools:
        content = await tools.content("request_env_vars", **request_members)
    assert content == {
        "status": "requested",
        "request_id": content["request_id"],
        "names": ["API_KEY", "OTHER_KEY"],
        "url": content["url"],
    }


async def test_a_suggested_project_is_no_error_although_no_project_has_a_name(
    connect: Connect, thread: str
) -> None:
    request_body = {
        "names": ["API_KEY"],
        "reason": "to deploy",
        "default_scope": "project",
        "thread_id": thread,
    }
    async with connect(KINDS[0]) as tools:
        assert (await tools.content("request_env_vars", **request_body))["status"] == "requested"


async def test_secrets_are_typed_on_a_page_that_the_client_opens(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    request_members = {"names": ["API_KEY"], "reason": "to deploy", "wait_s": 30, "thread_id": thread}
    findings: list[dict[str, Any]] = []
    with anyio.fail_after(120):
        async with connect(kind, lambda _: ElicitResult(action="accept")) as tools:
            async with anyio.create_task_group() as tasks:

                async def asking() -> None:
                    findings.append(await tools.content("request_env_vars", **request_members))

                tasks.start_soon(asking)
                id_ = await card(person, thread)
                await person.requests.submit(id_, {"API_KEY": CANARY})
            [dialog] = tools.dialogs
    assert isinstance(dialog, ElicitRequestURLParams)
    assert dialog.url.endswith(f"/r/{id_}?private")
    assert (dialog.elicitation_id is None) == (kind.mode == MODERN)
    assert findings == [{"status": "answered", "request_id": id_, "names": ["API_KEY"], "scope": "session"}]


@pytest.mark.parametrize("shows_pages", [True, False])
async def test_only_the_named_person_may_answer(
    server: Server, connect: Connect, thread: str, *, shows_pages: bool
) -> None:
    async with server.person("admin") as admin:
        reply = await admin.http.post(
            "/v1/tokens", json={"role": "requester", "name": "coder", "user": "ada"}
        )
        token = reply.json()["token"]
        others = {}
        for name in ("ada", "bob"):
            body = {"role": "responder", "name": name, "user": name}
            others[name] = (await admin.http.post("/v1/tokens", json=body)).json()["token"]
    talk = (lambda _: ElicitResult(action="accept")) if shows_pages else None
    async with connect(KINDS[3], talk, token=token) as tools:
        request_members = {"names": ["API_KEY"], "reason": "to deploy", "thread_id": thread}
        id_ = (await tools.content("request_env_vars", **request_members))["request_id"]
        assert ["Only ada can answer" in dialog.message for dialog in tools.dialogs] == [True] * shows_pages
        async with Person(server.url, others["bob"]) as bob, Person(server.url, others["ada"]) as ada:
            refusal = await bob.hand_over(id_, {"API_KEY": CANARY})
            assert (refusal.status_code, refusal.json()["error"]["code"]) == (403, "not_assigned")
            assert (await ada.hand_over(id_, {"API_KEY": CANARY})).status_code == 200


class RawClient:
    """`askback mcp` with every byte that it writes, on standard output and standard error."""

    def __init__(self, server: Server, version: str, *words: str) -> None:
        own = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"], "ASKBACK_LOG_LEVEL": "debug"}
        self._version = version
        self._process = subprocess.Popen(
            (sys.executable, *(words or ("-m", "askback", "mcp"))),
            env={**os.environ, **own},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        self.output = b""
        if version == "2025-11-25":
            person = {
                "protocolVersion": version,
                "capabilities": {},
                "clientInfo": {"name": "raw", "version": "1"},
            }
            self.send(id=1, method="initialize", params=person)
            self.receive(1)
            self.send(method="notifications/initialized")

    def send(self, **message: Any) -> None:
        """Send a message, with the envelope that a request has since 2026-07-28."""
        assert self._process.stdin is not None
        if self._version == "2026-07-28":
            prefix = "io.modelcontextprotocol/"
            person = {
                f"{prefix}clientInfo": {"name": "raw", "version": "1"},
                f"{prefix}clientCapabilities": {},
            }
            envelope = {f"{prefix}protocolVersion": self._version, **person}
            message["params"] = {**message.get("params", {}), "_meta": envelope}
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def call(self, id_: int, tool: str, **arguments: Any) -> None:
        """Call a tool without waiting for the result."""
        self.send(id=id_, method="tools/call", params={"name": tool, "arguments": arguments})

    def kill(self, number: int) -> int:
        """Send a signal, and return the exit status."""
        self._process.send_signal(number)
        return self._process.wait(120)

    def interrupt(self, id_: int) -> int:
        """End as Claude Code does: SIGINT, a moment later it cancels the call, then SIGINT and SIGTERM."""
        self._process.send_signal(signal.SIGINT)
        self.send(
            method="notifications/cancelled", params={"requestId": id_, "reason": "AbortError: user-cancel"}
        )
        self._process.send_signal(signal.SIGINT)
        return self.kill(signal.SIGTERM)

    def receive(self, id_: int) -> dict[str, Any]:
        """Wait for the reply to a request."""
        assert self._process.stdout is not None
        while line := self._process.stdout.readline():
            self.output += line
            if line.startswith(b"{") and (message := json.loads(line)).get("id") == id_:
                return message
        raise AssertionError(self.output)

    def close(self) -> None:
        """End the process and read the rest."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self.output += self._process.stdout.read()
        self._process.wait(120)


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_no_byte_that_a_client_gets_has_the_value(
    server: Server, person: AsyncClient, thread: str, version: str
) -> None:
    raw = await anyio.to_thread.run_sync(RawClient, server, version)
    try:
        raw.call(2, "request_env_vars", names=["API_KEY"], reason="to deploy", wait_s=40, thread_id=thread)
        request_id = await card(person, thread)
        await person.requests.submit(request_id, {"API_KEY": CANARY})
        answered_run_result = await anyio.to_thread.run_sync(raw.receive, 2)
        assert answered_run_result["result"]["structuredContent"]["status"] == "answered"
        later: list[tuple[str, dict[str, Any]]] = [
            ("get_answer", {"request_id": request_id}),
            ("list_requests", {"thread_id": thread}),
            ("cancel_request", {"request_id": request_id}),
            ("request_env_vars", {"names": ["API_KEY"], "reason": "again", "thread_id": thread}),
        ]
        for number, (tool, arguments) in enumerate(later, 3):
            raw.call(number, tool, **arguments)
            await anyio.to_thread.run_sync(raw.receive, number)
    finally:
        await anyio.to_thread.run_sync(raw.close)
    assert b"already_present" in raw.output
    for spelling in (CANARY, CANARY[::-1], base64.b64encode(CANARY.encode()).decode()[4:-4]):
        assert spelling.encode() not in raw.output
