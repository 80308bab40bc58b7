"""`requires_approval`: a function runs only when the call was approved, and then with the approved input."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

import askback
from askback import (
    AsyncClient,
    Conflict,
    ConnectionLost,
    Denied,
    Invalid,
    requires_approval,
)
from askback.domain.request import InputRequest
from tests.client.conftest import Connect, clients_of_app
from tests.client.deciding import deciding, wait_for_request
from tests.client.servers import TOKENS, ServerProcess

YES = {"decision": "approve"}


@pytest.fixture
async def connect() -> AsyncIterator[Connect]:
    async with clients_of_app() as make:
        yield make


@pytest.fixture
def wrapped_calls() -> list[Any]:
    """The arguments of the wrapped functions."""
    return []


async def test_an_approved_call_is_asked_with_all_its_arguments_and_runs_once(
    agent: AsyncClient, person: AsyncClient, wrapped_calls: list[Any]
):
    @requires_approval(client=agent, thread_id="t1", reason="it is ready", scopes=["once"])
    async def publish(version: str, *files: str, dry: bool = True, **more: int) -> str:
        """Publish a version.

        To everybody.
        """
        wrapped_calls.append((version, files, dry, more))
        return f"published {version}"

    async with deciding(person, "t1", YES) as requests:
        assert await publish("1.0", "a", "b", force=1) == "published 1.0"
    assert wrapped_calls == [("1.0", ("a", "b"), True, {"force": 1})]
    shown_approval = requests[0].approval
    assert shown_approval is not None
    assert (shown_approval.tool, shown_approval.title, shown_approval.reason) == (
        "publish",
        "Publish a version.",
        "it is ready",
    )
    assert shown_approval.input == {"version": "1.0", "files": ["a", "b"], "dry": True, "more": {"force": 1}}
    with pytest.raises(Conflict) as exc_info:
        await agent.consume(requests[0], "another")
    assert exc_info.value.code == "already_consumed"


@pytest.mark.requirement("B18")
async def test_a_call_that_is_not_approved_does_not_run_and_raises_the_text_for_the_model(
    agent: AsyncClient, person: AsyncClient, wrapped_calls: list[Any]
):
    @requires_approval(client=agent, thread_id="t1")
    async def publish(version: str) -> None:
        wrapped_calls.append(version)

    async with deciding(person, "t1", {"decision": "deny", "note": "not today"}, "dismissed"):
        with pytest.raises(Denied, match="not today") as exc_info:
            await publish("1.0")
        with pytest.raises(Denied) as dismissed:
            await publish("1.1")
    assert str(exc_info.value) == exc_info.value.decision.text
    assert (exc_info.value.decision.status, dismissed.value.decision.status) == ("deny", "declined")
    assert wrapped_calls == []


@pytest.mark.requirement("B16")
async def test_an_approved_call_runs_with_the_edited_arguments(
    agent: AsyncClient, person: AsyncClient, wrapped_calls: list[Any]
):
    @requires_approval(client=agent, thread_id="t1", allow_edit=True)
    async def publish(version: str, dry: bool = False) -> None:
        wrapped_calls.append((version, dry))

    async with deciding(person, "t1", {**YES, "edited_input": {"version": "1.0", "dry": True}}):
        await publish("1.0")
    assert wrapped_calls == [("1.0", True)]


@pytest.mark.parametrize(
    "edited", [{}, {"version": "1.0", "force": True}, {"version": "1.0", "files": "all"}, {"dry": True}]
)
async def test_arguments_that_the_function_does_not_take_do_not_run(
    agent: AsyncClient, person: AsyncClient, wrapped_calls: list[Any], edited: dict[str, Any]
):
    @requires_approval(client=agent, thread_id="t1", allow_edit=True)
    async def publish(version: str, *files: str, dry: bool = False) -> None:
        wrapped_calls.append(version)

    async with deciding(person, "t1", {**YES, "edited_input": edited}):
        with pytest.raises(Invalid) as exc_info:
            await publish("1.0")
    assert exc_info.value.field_errors[0]["path"] == "edited_input"
    assert wrapped_calls == []


@pytest.mark.requirement("B15")
async def test_arguments_changed_during_the_wait_do_not_run(
    agent: AsyncClient, person: AsyncClient, wrapped_calls: list[Any]
):
    @requires_approval(client=agent, thread_id="t1")
    async def remove(paths: list[str]) -> None:
        wrapped_calls.append(paths)

    paths = ["build"]
    asking = asyncio.create_task(remove(paths))
    request = await wait_for_request(person, "t1")
    paths.append("/")
    await person.requests.decide(request, "approve")
    with anyio.fail_after(120):
        await asking
    assert wrapped_calls == [["build"]]


class Changing(AsyncClient):
    """A client whose approved input is changed in transit, as by a bug in between."""

    async def approve(self, *args: Any, **kwargs: Any) -> askback.Decision:
        decision = await super().approve(*args, **kwargs)
        decision.input["paths"].append("/")  # type: ignore[union-attr]
        return decision


@pytest.mark.requirement("B15")
async def test_an_input_that_is_not_the_approved_one_does_not_run(
    person: AsyncClient, wrapped_calls: list[Any]
):
    app = person._link._transport.app  # type: ignore[attr-defined]
    async with Changing(app=app, token=TOKENS["requester"]) as agent:

        @requires_approval(client=agent, thread_id="t1")
        async def remove(paths: list[str]) -> None:
            wrapped_calls.append(paths)

        async with deciding(person, "t1", YES):
            with pytest.raises(Conflict) as exc_info:
                await remove(["build"])
    assert exc_info.value.code == "digest_mismatch"
    assert wrapped_calls == []


@pytest.mark.requirement("C5")
async def test_a_check_that_refuses_wins_over_the_person(
    agent: AsyncClient, person: AsyncClient, wrapped_calls: list[Any]
):
    def never_all(tool: str, call: dict[str, Any]) -> str | None:
        return "All is too much." if call["paths"] == ["*"] else None

    @requires_approval(client=agent, thread_id="t1", hooks=[never_all], allow_edit=True)
    async def remove(paths: list[str]) -> None:
        wrapped_calls.append(paths)

    async with deciding(person, "t1", {**YES, "edited_input": {"paths": ["*"]}}):
        with pytest.raises(Denied, match="All is too much"):
            await remove(["build"])
    assert wrapped_calls == []


async def test_how_it_went_is_reported_without_the_text_of_the_error(
    connect: Connect, agent: AsyncClient, person: AsyncClient
):
    @requires_approval(client=agent, thread_id="t1")
    async def fetch(path: str) -> str:
        if path == "b":
            raise LookupError("a secret")
        return path

    async with deciding(person, "t1", YES, YES):
        assert await fetch("a") == "a"
        with pytest.raises(LookupError, match="a secret"):
            await fetch("b")
    async with connect("admin") as admin:
        log = [entry for entry in await admin.audit.list() if entry["action"] == "report"]
    assert [entry["outcome"] for entry in log] == ["succeeded", "failed"]
    assert "secret" not in str(log)


@pytest.mark.requirement("C20")
async def test_a_call_whose_task_is_cancelled_is_withdrawn_or_reported_as_failed(
    connect: Connect, agent: AsyncClient, person: AsyncClient
):
    started_event = asyncio.Event()

    @requires_approval(client=agent, thread_id="t1")
    async def work(task: str) -> None:
        started_event.set()
        await asyncio.Event().wait()

    waiting = asyncio.create_task(work("a"))
    request = await wait_for_request(person, "t1")
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError), anyio.fail_after(120):
        await waiting
    assert (await person.requests.get(request.id)).status == "cancelled"
    running = asyncio.create_task(work("b"))
    with anyio.fail_after(120):
        async for event in person.events("t1", cursor=2):
            await person.requests.decide(InputRequest.model_validate(event["request"]), "approve")
            break
        await started_event.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    async with connect("admin") as admin:
        (report,) = [entry for entry in await admin.audit.list() if entry["action"] == "report"]
    assert report["outcome"] == "failed"


@pytest.mark.fault
@pytest.mark.requirement("B29")
async def test_a_result_is_not_lost_with_the_server_and_without_one_nothing_runs(
    own_server: ServerProcess, wrapped_calls: list[Any]
):
    async with own_server.client(retry_for=0.2) as agent, own_server.client("responder") as person:

        @requires_approval(client=agent, thread_id="t1")
        async def work(task: str) -> str:
            wrapped_calls.append(task)
            own_server.kill()
            return task

        async with deciding(person, "t1", YES):
            assert await work("a") == "a"
        with anyio.fail_after(120), pytest.raises(Denied) as exc_info:
            await work("b")
    assert exc_info.value.decision.status == "unavailable"
    assert wrapped_calls == ["a"]


@pytest.mark.requirement("B29")
async def test_an_approved_call_that_cannot_be_consumed_does_not_run(
    person: AsyncClient, wrapped_calls: list[Any]
):
    """The connection is lost between the approval and its use."""

    class Losing(AsyncClient):
        async def consume(self, *args: Any, **kwargs: Any) -> askback.Execution:
            raise ConnectionLost("lost by the test")

    app = person._link._transport.app  # type: ignore[attr-defined]
    async with Losing(app=app, token=TOKENS["requester"]) as agent:

        @requires_approval(client=agent, thread_id="t1")
        async def work(what: str) -> None:
            wrapped_calls.append(what)

        async with deciding(person, "t1", YES):
            with pytest.raises(ConnectionLost):
                await work("a")
    assert wrapped_calls == []
