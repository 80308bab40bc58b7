"""Real MCP clients of both protocol versions, over stdio and HTTP, and a person at the other end."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ContentBlock, ElicitRequestParams, ElicitResult, TextContent

from askback import AsyncClient
from tests.adapters.conftest import TOKENS, Server

Talk = Callable[[ElicitRequestParams], ElicitResult]
LEGACY, MODERN = "legacy", "2026-07-28"


@dataclass
class Kind:
    """A transport and a protocol version."""

    transport: str
    mode: str


KINDS = [Kind(transport, mode) for transport in ("stdio", "http") for mode in (LEGACY, MODERN)]


@pytest.fixture(params=KINDS, ids=lambda kind: f"{kind.transport}-{kind.mode}")
def kind(request: pytest.FixtureRequest) -> Kind:
    """Each transport with each protocol version."""
    return request.param


@dataclass
class Tools:
    """An MCP client that is connected; `dialogs` is what it was asked to show."""

    client: Client
    dialogs: list[ElicitRequestParams] = field(default_factory=list)

    async def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """Call a tool and return its result, whether or not it is an error."""
        meta = arguments.pop("meta", None)
        return await self.client.call_tool(tool, arguments, meta=meta)

    async def content(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """Call a tool and return its structured content but the text, which it repeats; it must not be an error."""
        result = await self.call(tool, **arguments)
        assert not result.is_error, result.content
        content = dict(result.structured_content or {})
        assert content.pop("message", text_of(result)) == text_of(result)
        return content


Connect = Callable[..., AbstractAsyncContextManager[Tools]]


@asynccontextmanager
async def connect_client(
    server: Server,
    kind: Kind,
    talk: Talk | None = None,
    *,
    token: str = TOKENS["requester"],
    options: dict[str, Any] | None = None,
    **environment: str,
) -> AsyncIterator[Tools]:
    """Connect a client, which answers what it is asked with `talk`; without it, it cannot ask."""
    request_params: list[ElicitRequestParams] = []

    async def callback(_context: Any, params: ElicitRequestParams) -> ElicitResult:
        request_params.append(params)
        assert talk is not None
        return talk(params)

    options = {**(options or {}), **({"elicitation_callback": callback} if talk else {})}
    if kind.transport == "stdio":
        own = {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": token, **environment}
        target: Any = StdioServerParameters(
            command=sys.executable, args=["-m", "askback", "mcp"], env={**os.environ, **own}
        )
        async with Client(target, mode=kind.mode, **options) as client:
            yield Tools(client, request_params)
        return
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=120, verify=False) as http:
        target = streamable_http_client(f"{server.url}/mcp", http_client=http)
        async with Client(target, mode=kind.mode, **options) as client:
            yield Tools(client, request_params)


@pytest.fixture
def connect(server: Server) -> Connect:
    """Connect MCP clients to the shared server."""

    def to(kind: Kind, talk: Talk | None = None, **extra: Any) -> AbstractAsyncContextManager[Tools]:
        return connect_client(server, kind, talk, **extra)

    return to


@pytest.fixture(scope="module")
def trusting_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that takes decisions which agents report."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASKBACK_REPORTED_APPROVALS", "on")
        running_server = Server(tmp_path_factory.mktemp("trusting"))
    yield running_server
    running_server.stop()


@pytest.fixture
def thread() -> str:
    """A conversation of its own for each test."""
    return f"mcp-{uuid.uuid4()}"


@pytest.fixture
async def person(server: Server) -> AsyncIterator[AsyncClient]:
    """A person who may answer, with the Python client."""
    async with server.client("responder") as client:
        yield client


async def card(person: AsyncClient, thread: str, *, number: int = 1) -> str:
    """Wait until a thread has so many requests, and return the id of the last one."""
    findings: list[str] = []
    async for event in person.events(cursor=0):
        if event["type"] == "request.created" and event["thread_id"] == thread:
            findings.append(event["request"]["id"])
            if len(findings) == number:
                return findings[-1]
    raise AssertionError("the events ended")


class HasContent(Protocol):
    """The result of a call in any client."""

    @property
    def content(self) -> Sequence[ContentBlock]:
        """What the model reads."""
        ...


def text_of(found: HasContent) -> str:
    """Return the text for the model, the only block of a result."""
    (block,) = found.content
    assert isinstance(block, TextContent)
    return block.text


def accept(**content: Any) -> ElicitResult:
    return ElicitResult(action="accept", content=content)


DECLINE = ElicitResult(action="decline")
CANCEL = ElicitResult(action="cancel")
