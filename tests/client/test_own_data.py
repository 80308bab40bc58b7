"""The agent's own ids and data, with the client."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from askback import Conflict, Form, Invalid, Text
from tests.client.conftest import Connect
from tests.requirements import requirement

FORM = Form(title="Lunch", fields=[Text(id="dish", label="Dish")])


@requirement("A14")
async def test_a_request_is_found_by_the_ids_that_the_agent_gave_it(connect: Connect, thread: str) -> None:
    own = {"header": None, "preview": [1.5, {"unknown": ""}]}
    async with connect() as agent, connect("responder") as person:
        request = await agent.requests.create(
            FORM, thread_id=thread, external_id="x1", tool_call_id=f"call {thread}", metadata=own
        )
        second_request = await agent.requests.create(
            FORM, thread_id=thread, external_id="x1", tool_call_id=f"call {thread}", metadata=own
        )
        assert second_request == request
        assert (request.external_id, request.metadata) == ("x1", own)
        for found in (
            await agent.requests.list(thread_id=thread, external_id="x1"),
            await agent.requests.list(tool_call_id=f"call {thread}"),
            await person.requests.list(
                tool_call_id=f"call {thread}",
                agent=request.requester.id if request.requester else None,
                created_after="2020-01-01T00:00:00Z",
                created_before=datetime(2100, 1, 1, tzinfo=UTC),
            ),
        ):
            assert [item.id for item in found] == [request.id]
        with pytest.raises(Conflict) as exc_info:
            await agent.requests.create(FORM, thread_id=thread, external_id="x1", metadata="other")
        assert exc_info.value.request is not None
        assert (exc_info.value.code, exc_info.value.request["id"]) == ("external_id_taken", request.id)


async def test_a_thread_is_found_by_its_title_and_keeps_its_metadata(connect: Connect, thread: str) -> None:
    async with connect() as agent, connect("responder") as person:
        made_thread = await agent.threads.update(thread, title=f"Order {thread}", metadata={"id": None})
        assert (made_thread.id, made_thread.title, made_thread.metadata, made_thread.level) == (
            thread,
            f"Order {thread}",
            {"id": None},
            "prompt",
        )
        assert (await agent.threads.update(thread, title="Other")).metadata == {"id": None}
        (item,) = (await person.threads.list(thread, agent=(made_thread.agents or [""])[0])).items
        assert (item.id, item.title) == (thread, "Other")
        assert [listed_thread.id for listed_thread in await agent.threads.list(limit=1)] == [thread]
        snapshot = await person.threads.get(thread)
        assert (snapshot["title"], snapshot["metadata"]) == ("Other", {"id": None})
        assert (await agent.threads.update(thread, metadata=None)).metadata is None
        named_thread = await agent.threads.update(thread, title="Fix [the `build`](https://e.org) **now**")
        assert named_thread.title == "Fix the build now"
        renamed = await person.threads.update(thread, title="Split `a.py` into __init__.py")
        assert renamed.title == "Split `a.py` into __init__.py"


async def test_a_run_lasts_as_long_as_its_block(connect: Connect, thread: str) -> None:
    async with connect() as agent:
        async with agent.run(thread, metadata={"turn": 1}) as run:
            assert (run.status, run.metadata) == ("running", {"turn": 1})
            await agent.requests.create(FORM, thread_id=thread, run_id=run.id)
            assert (await agent.runs.renew(run.id, thread_id=thread)).status == "running"
            assert [item.id for item in await agent.runs.list(thread, running=True)] == [run.id]
        ended_run = await agent.runs.get(run.id, thread_id=thread)
        assert (ended_run.status, ended_run.reason) == ("ended", "finished")
        (remaining_request,) = await agent.requests.list(thread_id=thread, run_id=run.id, status="pending")
        assert await agent.runs.cancel(run.id, thread_id=thread) == [remaining_request.id]
        with pytest.raises(ZeroDivisionError):
            async with agent.run(thread, run_id="broken"):
                failing = await agent.requests.create(FORM, thread_id=thread, run_id="broken")
                raise ZeroDivisionError
        broken_run = await agent.runs.get("broken", thread_id=thread)
        assert (broken_run.status, broken_run.reason) == ("ended", "failed")
        assert (await agent.requests.get(failing.id)).status == "cancelled"
        with pytest.raises(Conflict):
            await agent.runs.start(thread, run_id="broken")


@pytest.mark.parametrize(
    "options", [{"metadata": {"when": datetime.now(UTC)}}, {"metadata": {1}}, {"run_id": b"r"}]
)
async def test_an_option_that_is_not_json_is_named(connect: Connect, thread: str, options: Any) -> None:
    async with connect() as agent:
        with pytest.raises(Invalid) as exc_info:
            await agent.form(FORM, thread_id=thread, **options)
        assert [(error["path"], error["code"]) for error in exc_info.value.field_errors] == [
            (*options, "not_json"),
        ]


async def test_values_of_other_calls_that_are_not_json_are_named(connect: Connect, thread: str) -> None:
    async with connect() as agent:
        with pytest.raises(Invalid) as message:
            await agent.threads.create_message("Hello", thread_id=thread, metadata={"tags": {"a"}})
        with pytest.raises(Invalid) as title:
            await agent.threads.update(thread, metadata=object())
    assert [item.value.field_errors[0]["path"] for item in (message, title)] == ["metadata", "metadata"]
