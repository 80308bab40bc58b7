"""While a server can store nothing, calls are tried again: each is done once, or says so in time."""

from __future__ import annotations

import errno
import socket
from typing import Any

import anyio
import pytest

from askback import AsyncClient, ConnectionLost
from askback.client import frames
from askback.domain.fields import Form, Text
from askback.errors import Unavailable
from askback.ports.store import Change
from tests.client.linked import TRANSPORTS, linked
from tests.temporary_store import TemporaryStore

pytestmark = pytest.mark.anyio

ASK = frames.create_request(Form(fields=[Text(id="q", label="Q")]), thread_id="t1", options={}, key=None)


class LosesTheReply(TemporaryStore):
    """A store that stores the first request and then fails, so that the result is unknown."""

    first = True

    async def insert(self, *args: Any, **options: Any) -> Change:
        change = await super().insert(*args, **options)
        if self.first:
            self.first = False
            raise Unavailable("It is not known whether this was stored.", retry_after=1)
        return change


@TRANSPORTS
async def test_a_question_whose_fate_was_unknown_is_asked_once(transport: Any) -> None:
    async with linked(transport, LosesTheReply) as linked_agent:
        request = await linked_agent.link.call(ASK, retry_for=20)
        assert request["status"] == "pending"
        result = await linked_agent.link.call('"op":"list_requests"', retry_for=20)
        assert [item["id"] for item in result["requests"]] == [request["id"]]


@TRANSPORTS
async def test_a_call_without_retries_gets_the_time_to_retry(transport: Any) -> None:
    async with linked(transport) as linked_agent:
        await linked_agent.link.call('"op":"list_requests"', retry_for=20)
        linked_agent.store.disk.full = True
        with pytest.raises(Unavailable) as exc_info:
            await linked_agent.link.call(ASK, retry_for=0.5)
        assert exc_info.value.retry_after == 1


@pytest.mark.parametrize("transport", ["websocket", "http", "auto"])
async def test_a_sandbox_that_forbids_connections_is_named_at_once(
    transport: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbid(_self: socket.socket, _address: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(socket.socket, "connect", forbid)
    async with AsyncClient("http://127.0.0.1:9", "token", transport=transport) as ask:
        for call in (lambda: ask.requests.get("r1"), lambda: ask.tokens.list()):
            with anyio.fail_after(5), pytest.raises(ConnectionLost, match="sandbox that it runs in blocks"):
                await call()
