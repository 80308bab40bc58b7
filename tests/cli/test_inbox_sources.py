"""Options of a source in `askback inbox`: listed, searched, walked as a tree, and chosen by keys."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from askback import AsyncClient, Form, InputRequest, Multiselect, OptionsFrom, Radio, Select, Text
from tests.cli.conftest import Server, start
from tests.cli.scripts import run_inbox_from_pipe
from tests.limits import ROOMY_SETTING
from tests.requirements import requirement
from tests.source_house import SourceHouse, source_house

pytestmark = pytest.mark.anyio

PLACES, FILES = OptionsFrom(source="places"), OptionsFrom(source="files", tree=True)


@pytest.fixture(scope="module")
def sources() -> Iterator[SourceHouse]:
    with source_house() as running_source_house:
        yield running_source_house


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, sources: SourceHouse) -> Iterator[Server]:
    """A server with the sources."""
    data = tmp_path_factory.mktemp("sources")
    options = {**ROOMY_SETTING, **sources.settings}
    process = start("serve", "--port", "0", "--data-dir", str(data), "--ready-json", **options)
    assert process.stdout is not None
    ready: dict[str, Any] = json.loads(process.stdout.readline())
    yield Server(ready["url"], data, {role: ready[f"{role}_token"] for role in ("requester", "responder")})
    process.terminate()
    process.communicate(timeout=120)


@pytest.fixture
async def agent(server: Server) -> AsyncIterator[AsyncClient]:
    async with server.client("requester") as client:
        yield client


async def answer_on_terminal(agent: AsyncClient, request: InputRequest, out: str) -> dict[str, Any]:
    ended_request = await agent.requests.get(request.id)
    assert ended_request.status == "answered", out
    assert ended_request.answer is not None
    return ended_request.answer.values


@requirement("F9", "D20")
async def test_an_option_is_searched_and_chosen(server: Server, agent: AsyncClient, thread: str) -> None:
    form = Form(
        title="Where?",
        fields=[
            Select(id="place", label="Place", options_from=PLACES, required=True),
            Text(id="note", label="Note"),
        ],
    )
    request = await agent.requests.create(form, thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "+", "99", "/place 117", "1", "Hi", "y")
    assert await answer_on_terminal(agent, request, out) == {"place": 117, "note": "Hi"}
    assert "20  Place 39" in out
    assert "Type the key of an option in the list" in out
    assert "Place: Place 117" in out


@requirement("F9")
async def test_several_options_of_several_searches(server: Server, agent: AsyncClient, thread: str) -> None:
    field = Multiselect(id="places", label="Places", options_from=PLACES, default=[3])
    request = await agent.requests.create(Form(title="Where?", fields=[field]), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "1, 2", "/place 118", "Place 118", "/", "1", "")
    assert await answer_on_terminal(agent, request, out) == {"places": [3, 1, 118]}
    assert "[Place 3, Place 0, Place 1]" in out


@requirement("F9")
async def test_a_tree_of_options_is_opened_level_by_level(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    field = Radio(id="file", label="File", options_from=FILES)
    request = await agent.requests.create(Form(title="Which?", fields=[field]), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "1", "1/", "..", "src/", "1")
    assert await answer_on_terminal(agent, request, out) == {"file": "/src/b.py"}
    assert "in src" in out


@requirement("F9", "N3")
async def test_a_source_that_fails_is_asked_again(
    server: Server, agent: AsyncClient, thread: str, sources: SourceHouse
) -> None:
    field = Select(id="place", label="Place", options_from=PLACES)
    request = await agent.requests.create(Form(title="Where?", fields=[field]), thread_id=thread)
    sources.is_down = True
    out = await run_inbox_from_pipe(server, thread, "/x", ":later")
    sources.is_down = False
    assert out.count("The options cannot be loaded right now. Try again in a moment.") == 2
    out = await run_inbox_from_pipe(server, thread, "5")
    assert await answer_on_terminal(agent, request, out) == {"place": 4}
