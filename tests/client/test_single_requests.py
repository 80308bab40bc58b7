"""Single HTTP requests, which carry secret values: tried again while no server answers; other errors raise."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from askback import AskbackError, AsyncClient, ConnectionLost, Refused, Unauthorized, Unavailable
from askback.client import AppFailed
from tests.client.canned import answering, http
from tests.client.conftest import Connect
from tests.client.servers import ServerProcess
from tests.client.submitting import submit_secrets


async def test_a_lease_is_tried_again_until_the_server_is_back(
    own_server: ServerProcess, thread: str
) -> None:
    async with own_server.client() as agent, own_server.client("responder") as person:
        await submit_secrets(agent, person, thread, {"A_KEY": "value-of-a-key"})
        own_server.kill()

        async def lease() -> None:
            async with agent.secrets.lease("A_KEY", thread_id=thread) as leased_secret:
                assert leased_secret["A_KEY"].reveal() == "value-of-a-key"

        with anyio.fail_after(120):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(lease)
                await anyio.to_thread.run_sync(own_server.start)


async def test_an_unreachable_server_is_reported_after_the_timeout() -> None:
    async with answering(b"") as url, AsyncClient(url, "t", retry_for=0.2) as client:
        with anyio.fail_after(120), pytest.raises(ConnectionLost, match="askback serve"):
            async with client.secrets.lease("A_KEY", thread_id="t1"):
                pytest.fail("a lease came from nowhere")


@pytest.mark.parametrize(("status", "error"), [("502 Bad Gateway", Unavailable), ("302 Found", Refused)])
async def test_the_reply_of_a_proxy_is_not_a_lease(status: str, error: type[AskbackError]) -> None:
    async with answering(http("<html>", status)) as url, AsyncClient(url, "t", retry_for=0.2) as client:
        with pytest.raises(error, match=f"HTTP {status[:3]} from something in between"):
            async with client.secrets.lease("A_KEY", thread_id="t1"):
                pytest.fail("a lease was read out of this")


async def test_a_token_that_is_not_known_is_refused(connect: Connect, thread: str) -> None:
    async with connect("nobody") as nobody:
        with pytest.raises(Unauthorized):
            async with nobody.secrets.lease("A_KEY", thread_id=thread):
                pytest.fail("a stranger leased a value")


async def test_an_app_that_cannot_start_says_so() -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        raise RuntimeError("no disk")

    async with AsyncClient(app=app, token="t") as client:
        with pytest.raises(AppFailed, match="no disk"):
            await client.secrets.set("A_KEY", "value", scope="global")


async def test_an_app_that_is_leased_from_before_anything_else_is_started_once() -> None:
    from askback.server.app import create_app

    app, running = create_app(), asyncio.all_tasks()
    async with AsyncClient(app=app) as agent:

        async def lease() -> None:
            with pytest.raises(Refused, match="may not use all of these secrets"):
                async with agent.secrets.lease("A_KEY", thread_id="t1"):
                    pytest.fail("a value that nobody gave was leased")

        await asyncio.gather(lease(), agent.requests.list(), lease())
    assert not [task for task in asyncio.all_tasks() - running if "Lifespan" in repr(task)]
