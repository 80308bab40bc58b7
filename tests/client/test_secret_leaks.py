"""A value in the client appears in no error, in no variable of a traceback, and in no log."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import traceback
from collections.abc import Awaitable, Callable

import anyio
import pytest
from rich.console import Console
from rich.traceback import Traceback

from askback import (
    AskbackError,
    AsyncClient,
    Client,
    ConnectionLost,
    Form,
    InputRequest,
    Invalid,
    Refused,
    Text,
)
from tests.client.canned import answering, http
from tests.client.conftest import Connect
from tests.client.servers import TOKENS, ServerProcess
from tests.client.submitting import submit_secrets
from tests.requirements import requirement

CANARY = "canary-4b7d-91ce"
TOO_LONG = CANARY * 1_000


def report_texts(error: BaseException) -> str:
    """Return everything that a report of an error could contain: its texts, its data, and the variables of every frame."""
    plain = traceback.TracebackException.from_exception(error, capture_locals=True)
    out = io.StringIO()
    rich = Traceback.from_exception(
        type(error),
        error,
        error.__traceback__,
        show_locals=True,
        locals_max_length=None,  # type: ignore[arg-type]
        locals_max_string=None,  # type: ignore[arg-type]
    )
    Console(file=out, width=1_000).print(rich)
    data = [repr(error), str(error), repr(vars(error)), repr(error.args)]
    return "".join([*plain.format(), out.getvalue(), *data])


def assert_no_value(error: BaseException) -> None:
    """Fail if a value is in an error, its cause or its context."""
    exception: BaseException | None = error
    while exception is not None:
        assert CANARY not in report_texts(exception)
        exception = exception.__cause__ or exception.__context__


def test_a_value_in_a_variable_of_a_frame_is_found() -> None:
    def fails(value: str) -> None:
        raise RuntimeError(len(value))

    with pytest.raises(RuntimeError) as planted:
        fails(CANARY)
    with pytest.raises(AssertionError, match=CANARY):
        assert_no_value(planted.value)


async def create_request(agent: AsyncClient, thread: str) -> InputRequest:
    pending = await agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread, wait=False)
    assert pending.request is not None
    return pending.request


@requirement("E5")
async def test_a_value_that_is_refused_is_not_in_the_error(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    request = await create_request(agent, thread)
    with pytest.raises(Invalid) as exc_info:
        await person.requests.submit(request, {"A_KEY": TOO_LONG})
    assert [fault["path"] for fault in exc_info.value.field_errors] == ["secrets.A_KEY"]
    assert_no_value(exc_info.value)
    with pytest.raises(Invalid) as unknown:
        await person.requests.submit(request, {CANARY: "x"})
    assert CANARY not in str(unknown.value)
    with pytest.raises(Invalid) as no_text:
        await person.requests.submit(request, {"A_KEY": [CANARY]})  # type: ignore[dict-item]
    assert_no_value(no_text.value)
    with pytest.raises(Invalid) as kept_exc_info:
        await person.secrets.set("A_KEY", TOO_LONG, scope="session", thread_id=thread)
    assert_no_value(kept_exc_info.value)


@requirement("E5")
async def test_the_value_of_a_sensitive_field_is_not_in_the_error(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    form = Form(fields=[Text(id="token", label="Token", sensitive=True, max_length=9)])
    request = await agent.requests.create(form, thread_id=thread)
    with pytest.raises(Invalid) as exc_info:
        await person.requests.answer(request, {"token": CANARY})
    assert_no_value(exc_info.value)
    with pytest.raises(Invalid) as no_json:
        await person.requests.answer(request, {"token": {CANARY}})
    assert_no_value(no_json.value)


def submit(client: AsyncClient) -> Awaitable[object]:
    return client.requests.submit("req_1", {"A_KEY": CANARY})


def store(client: AsyncClient) -> Awaitable[object]:
    return client.secrets.set("A_KEY", CANARY, scope="global")


@requirement("E5")
@pytest.mark.parametrize(
    ("use", "reply"),
    [
        (submit, b""),
        (store, b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"),
        (submit, b"no HTTP"),
        (store, http("<html>Bad gateway</html>", "502 Bad Gateway")),
        (submit, http("", "307 Temporary Redirect")),
    ],
)
async def test_a_failed_call_keeps_no_value(
    use: Callable[[AsyncClient], Awaitable[object]], reply: bytes
) -> None:
    async with answering(reply) as url, AsyncClient(url, "t", retry_for=0.1) as client:
        with pytest.raises((ConnectionLost, Refused)) as exc_info:
            await use(client)
    assert_no_value(exc_info.value)


@requirement("E5")
async def test_an_abandoned_call_keeps_no_value() -> None:
    async with answering(None) as url, AsyncClient(url, "t") as client:
        with pytest.raises(TimeoutError) as given_up:
            async with asyncio.timeout(0.3):
                await client.requests.submit("req_1", {"A_KEY": CANARY})
        assert_no_value(given_up.value)
        with anyio.move_on_after(0.3) as scope:
            await client.requests.submit("req_1", {"A_KEY": CANARY})
        assert scope.cancelled_caught


UNREADABLE = [
    "{}",
    json.dumps({"secrets": {"A_KEY": {"value": CANARY}}}),
    json.dumps({"secrets": {"A_KEY": {"value": CANARY}}, "expires_at": "soon"}),
    json.dumps({"secrets": {"A_KEY": {"value": [CANARY]}}, "expires_at": "2026-11-20T09:00:00Z"}),
    json.dumps({"secrets": {"A_KEY": {"value": CANARY}}, "expires_at": "2026-11-20T09:00:00Z"})[:-3],
]


@requirement("E5")
@pytest.mark.parametrize("case", range(len(UNREADABLE)))
async def test_an_unreadable_lease_is_reported_without_its_content(case: int) -> None:
    async with answering(http(UNREADABLE[case])) as url, AsyncClient(url, "t") as client:
        with pytest.raises(AskbackError, match="cannot be read") as exc_info:
            async with client.secrets.lease("A_KEY", thread_id="t1"):
                pytest.fail("a lease was read out of this")
    assert_no_value(exc_info.value)


@requirement("E5")
async def test_an_error_of_the_code_that_uses_a_lease_shows_no_value(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await submit_secrets(agent, person, thread, {"A_KEY": CANARY})
    with pytest.raises(RuntimeError) as exc_info:
        async with agent.secrets.lease("A_KEY", thread_id=thread) as lease:
            value = lease["A_KEY"]
            raise RuntimeError(f"{lease} {value} {dict(lease)}")
    assert_no_value(exc_info.value)


@requirement("E5")
def test_the_blocking_client_keeps_no_value_either(server: ServerProcess, thread: str) -> None:
    with (
        Client(server.url, TOKENS["requester"]) as agent,
        Client(server.url, TOKENS["responder"]) as person,
    ):
        pending = agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread, wait=False)
        assert pending.request is not None
        with pytest.raises(Invalid) as exc_info:
            person.requests.submit(pending.request, {"A_KEY": TOO_LONG})
    assert_no_value(exc_info.value)


@requirement("E5")
async def test_debug_logs_contain_no_value(
    connect: Connect,
    thread: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.setattr("websockets.frames.Frame.MAX_LOG_SIZE", 100_000)  # its logs cut frames short
    asyncio.get_running_loop().set_debug(True)
    try:
        with caplog.at_level(logging.DEBUG):
            async with connect("requester") as agent, connect("responder") as person:
                await submit_secrets(agent, person, thread, {"A_KEY": CANARY})
                async with agent.secrets.lease("A_KEY", thread_id=thread) as lease:
                    assert lease["A_KEY"].reveal() == CANARY
                await person.secrets.set("A_KEY", CANARY, scope="session", thread_id=thread)
                await agent.secrets.request("A_KEY", reason="Again.", thread_id=thread)
    finally:
        asyncio.get_running_loop().set_debug(False)
    if request.node.callspec.params["client_transport"] == "websocket":
        assert "To try it." in caplog.text  # each frame is there, so a value in one would be
    assert CANARY not in caplog.text
