"""Functions that `requires_approval` wraps, and the context of their requests."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from askback import AsyncClient, Client, Denied, Invalid, NoServer, ask_context, requires_approval
from askback.server.app import create_app
from tests.client.conftest import Connect, clients_of_app
from tests.client.deciding import deciding
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


@pytest.mark.parametrize("value", [{1, 2}, (1, 2), {1: "a"}, float("nan"), b"x", object(), [[{"a": (1,)}]]])
async def test_an_argument_that_cannot_be_shown_is_refused_before_asking(
    agent: AsyncClient, wrapped_calls: list[Any], value: Any
):
    @requires_approval(client=agent, thread_id="t1")
    async def work(what: Any) -> None:
        wrapped_calls.append(what)

    with pytest.raises(Invalid) as exc_info:
        await work(value)
    (fault,) = exc_info.value.field_errors
    assert (fault["path"], fault["code"]) == ("input.what", "not_json")
    assert wrapped_calls == []
    assert len(await agent.requests.list(thread_id="t1")) == 0


async def test_a_call_with_invalid_arguments_is_refused_before_asking(agent: AsyncClient):
    @requires_approval(client=agent, thread_id="t1")
    async def work(what: str) -> None: ...

    with pytest.raises(TypeError, match="what"):
        await work()  # type: ignore[call-arg]
    assert len(await agent.requests.list(thread_id="t1")) == 0


async def test_the_client_and_the_thread_may_come_from_around_the_call(
    agent: AsyncClient, person: AsyncClient, wrapped_calls: list[Any]
):
    @requires_approval
    async def work(what: str) -> None:
        wrapped_calls.append(what)

    async with deciding(person, "t1", YES) as requests:
        with (
            ask_context(client=agent, thread_id="t0", run_id="r1"),
            ask_context(thread_id="t1", tool_call_id="tc1"),
        ):
            await asyncio.create_task(work("a"))
    assert (requests[0].thread_id, requests[0].run_id, requests[0].tool_call_id) == ("t1", "r1", "tc1")
    with pytest.raises(Invalid) as exc_info, ask_context(client=agent):
        await work("b")
    assert exc_info.value.field_errors[0]["path"] == "thread_id"
    assert wrapped_calls == ["a"]


def test_without_a_client_it_is_that_of_the_environment(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch, thread: str
):
    monkeypatch.setenv("ASKBACK_URL", server.url)
    monkeypatch.setenv("ASKBACK_TOKEN", TOKENS["requester"])

    @requires_approval(tool="Read")
    async def read(file_path: str) -> str:
        return file_path

    @requires_approval(tool="Read", thread_id=thread)
    def read_now(file_path: str) -> str:
        return file_path

    async def converse() -> list[Any]:
        with ask_context(thread_id=thread):
            assert await read("a") == "a"
        assert await anyio.to_thread.run_sync(read_now, "b") == "b"
        async with server.client() as agent:
            return [*await agent.requests.list(thread_id=thread)]

    # A loop of its own: the default client belongs to the loop, which other tests of this process may share.
    approval = asyncio.run(converse())
    assert [(r.source, r.approval and r.approval.input) for r in approval] == [
        ("policy", {"file_path": "b"}),
        ("policy", {"file_path": "a"}),
    ]


def test_without_a_server_nothing_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, wrapped_calls: list[Any]
):
    monkeypatch.delenv("ASKBACK_URL", raising=False)
    monkeypatch.delenv("ASKBACK_TOKEN", raising=False)
    monkeypatch.setenv("ASKBACK_DATA_DIR", str(tmp_path))

    @requires_approval(thread_id="t1")
    async def work(what: str) -> None:
        wrapped_calls.append(what)

    with pytest.raises(NoServer):
        asyncio.run(work("a"))  # a loop of its own, as above
    assert wrapped_calls == []


def test_a_function_without_async_asks_with_a_blocking_client():
    app = create_app()
    ran: list[str] = []
    with Client(app=app) as agent:

        @requires_approval(client=agent, thread_id="t1", tool="Read")
        def read(file_path: str) -> str:
            ran.append(file_path)
            return file_path

        @requires_approval(client=agent, thread_id="t1", hooks=[lambda tool, call: "no"])
        def remove(path: str) -> None:
            ran.append(path)

        assert read("a") == "a"
        with pytest.raises(Denied):
            remove("b")
    assert ran == ["a"]


async def test_the_wrong_kind_of_client_is_named(agent: AsyncClient, wrapped_calls: list[Any]):
    @requires_approval(client=agent, thread_id="t1")
    def work(what: str) -> None:
        wrapped_calls.append(what)

    with pytest.raises(TypeError, match="needs Client, not AsyncClient"):
        work("a")
    assert wrapped_calls == []


def test_a_wrapped_function_keeps_its_name_signature_and_docstring():
    @requires_approval
    async def work(what: str, *, often: int = 1) -> bool:
        """Work."""
        return True

    @requires_approval(tool="x")
    def play(what: str) -> bool:
        return True

    assert (work.__name__, work.__doc__) == ("work", "Work.")
    assert str(inspect.signature(work)) == "(what: 'str', *, often: 'int' = 1) -> 'bool'"
    assert inspect.iscoroutinefunction(work)
    assert not inspect.iscoroutinefunction(play)


def test_generators_cannot_be_wrapped():
    with pytest.raises(TypeError, match="generator"):

        @requires_approval
        def numbers():
            yield 1

    with pytest.raises(TypeError, match="generator"):

        @requires_approval
        async def more_numbers():
            yield 1


class Shelf:
    """A class whose methods are tools."""

    def __init__(self) -> None:
        self.books: list[str] = []

    async def add(self, title: str) -> None:
        """Add a book."""
        self.books.append(title)


async def test_a_bound_method_can_be_wrapped(agent: AsyncClient, person: AsyncClient):
    shelf = Shelf()
    add = requires_approval(client=agent, thread_id="t1")(shelf.add)
    async with deciding(person, "t1", YES) as requests:
        await add("Emma")
    assert shelf.books == ["Emma"]
    assert requests[0].approval is not None
    assert requests[0].approval.input == {"title": "Emma"}
