"""`/mcp`: tokens, metadata, sessions of their owner, and rubbish."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.shared.auth import ProtectedResourceMetadata

from askback.server.app import create_app
from askback.server.settings import load
from tests.adapters.conftest import TOKENS, Server
from tests.adapters.mcp.conftest import KINDS, Connect, text_of

pytestmark = pytest.mark.anyio

HEADERS = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


@pytest.fixture
async def http(server: Server) -> AsyncIterator[httpx2.AsyncClient]:
    """An HTTP client without a token."""
    async with httpx2.AsyncClient(base_url=server.url, headers=HEADERS, verify=False) as client:
        yield client


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize(
    ("headers", "cause"),
    [
        ({}, ""),
        (bearer("wrong"), 'error="invalid_token", '),
        ({"Authorization": "Basic eDp5"}, ""),
    ],
)
async def test_a_call_without_a_known_token_names_the_metadata(
    http: httpx2.AsyncClient, server: Server, headers: dict[str, str], cause: str
) -> None:
    refusal = await http.post("/mcp", json=INITIALIZE, headers=headers)
    metadata = f"{server.url}/.well-known/oauth-protected-resource/mcp"
    assert refusal.status_code == 401
    assert refusal.headers["www-authenticate"] == f'Bearer {cause}resource_metadata="{metadata}"'
    result = (await http.get(metadata)).json()
    assert ProtectedResourceMetadata.model_validate(result).resource_name == "askback"
    assert result == {
        "resource": f"{server.url}/mcp",
        "authorization_servers": [server.url],
        "bearer_methods_supported": ["header"],
        "resource_name": "askback",
    }
    refusal = await http.post(metadata)
    assert (refusal.status_code, refusal.headers["allow"]) == (405, "GET, HEAD")


async def test_a_foreign_host_or_origin_is_refused(http: httpx2.AsyncClient) -> None:
    for odd in ({"Host": "evil.example"}, {"Origin": "https://evil.example"}):
        refusal = await http.post("/mcp", json=INITIALIZE, headers={**bearer(TOKENS["requester"]), **odd})
        assert refusal.status_code in {403, 421}


async def test_a_session_belongs_to_the_agent_that_began_it(http: httpx2.AsyncClient, server: Server) -> None:
    started_reply = await http.post("/mcp", json=INITIALIZE, headers=bearer(TOKENS["requester"]))
    session = {"Mcp-Session-Id": started_reply.headers["mcp-session-id"]}
    listed = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    own_reply = await http.post("/mcp", json=listed, headers={**bearer(TOKENS["requester"]), **session})
    other_reply = await http.post("/mcp", json=listed, headers={**bearer(TOKENS["admin"]), **session})
    assert (own_reply.status_code, other_reply.status_code) == (200, 404)


@pytest.mark.parametrize("role", ["responder", "admin"])
async def test_only_agents_can_ask(connect: Connect, role: str) -> None:
    async with connect(KINDS[3], token=TOKENS[role]) as tools:
        result = await tools.call("ask_user", question="Which?", wait_s=0)
    assert result.is_error
    assert "Use a token with the role requester" in text_of(result)


RUBBISH = [
    b"",
    b"{",
    b"\xff\xfe",
    b"[]",
    b"null",
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": 7}',
    json.dumps({**INITIALIZE, "params": {"protocolVersion": 7}}).encode(),
    b'{"a":' * 5000,
]


@pytest.mark.parametrize("version", [None, "2025-11-25", "2026-07-28", "1999-01-01"])
async def test_rubbish_is_refused_without_an_error_of_the_server(
    http: httpx2.AsyncClient, version: str | None
) -> None:
    headers = {**bearer(TOKENS["requester"]), **({"MCP-Protocol-Version": version} if version else {})}
    for body in RUBBISH:
        reply = await http.post("/mcp", content=body, headers=headers)
        as_message = reply.status_code == 200 and '"error":{"code":-32602' in reply.text
        assert as_message or 400 <= reply.status_code < 500, (body, reply.text)
    for method in ("GET", "DELETE", "PUT"):
        reply = await http.request(method, "/mcp", headers=headers)
        assert 400 <= reply.status_code < 500, (method, reply.text)


@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_a_client_that_disconnects_while_it_sends_is_no_error_of_the_server(
    version: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    app = create_app(
        load({"ASKBACK_BOOTSTRAP_TOKENS": f"requester:{TOKENS['requester']}"}, data_dir=tmp_path)
    )
    messages = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]
    sent: list[Any] = []
    headers = {**HEADERS, **bearer(TOKENS["requester"]), "Host": "127.0.0.1", "MCP-Protocol-Version": version}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "scheme": "http",
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "http_version": "1.1",
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
    }

    async def receive() -> Any:
        return messages.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    async with app.running(serves=False):
        await app(scope, receive, send)
    assert (sent, [record for record in caplog.records if record.levelno >= logging.ERROR]) == ([], [])
