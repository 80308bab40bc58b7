"""Group A: the ask widgets (S000), in askback's own shape."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from askback import AsyncClient, Form, Select, Text
from askback.errors import Invalid
from tests.journeys.people import Person, faults
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

WIDGETS: dict[str, tuple[dict[str, Any], Any]] = {
    "buttons": ({"type": "select", "widget": "buttons", "options": ["A", "B"]}, "B"),
    "confirm": ({"type": "select", "widget": "confirm"}, "Yes"),
    "select": ({"type": "select", "options": ["A", "B"]}, "A"),
    "radio": ({"type": "radio", "options": ["A", "B"]}, "B"),
    "checkbox": ({"type": "multiselect", "widget": "checkboxes", "options": ["A", "B"]}, ["A", "B"]),
}


def one(**field: Any) -> dict[str, Any]:
    """A form of one field."""
    return {"title": "Pick", "fields": [{"id": "q", "label": "Pick one", **field}]}


@requirement("A1")
@pytest.mark.parametrize("widget", WIDGETS)
async def test_each_widget_yields_its_value_to_the_agent(
    agent: AsyncClient, ada: Person, thread: str, widget: str
) -> None:
    field, value = WIDGETS[widget]
    created = await create_as_agent(agent, thread, one(**field))
    assert (await ada.answer(created, {"q": value})).status_code == 200
    with anyio.fail_after(120):
        ended_request = await agent.wait(created)
    assert ended_request.answer is not None
    assert ended_request.answer.values == {"q": value}


async def create_as_agent(agent: AsyncClient, thread: str, form: dict[str, Any]) -> str:
    """Create through the client, from plain data."""
    return (await agent.requests.create(Form.model_validate(form), thread_id=thread)).id


@requirement("A2", "A12")
async def test_a_confirmation_is_yes_or_no(agent: AsyncClient, ada: Person, thread: str) -> None:
    lines: list[bool] = []

    async def ask() -> None:
        lines.append(await agent.confirm("Ship it?", thread_id=thread))

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            request = await first_pending(ada, thread)
            [field] = request["form"]["fields"]
            assert [o["label"] for o in field["options"]] == ["Yes", "No"]
            await ada.answer(request["id"], {field["id"]: "Yes"})
    assert lines == [True]


async def test_a_question_without_choices_is_answered_with_free_text(
    agent: AsyncClient, ada: Person, thread: str
) -> None:
    lines: list[str] = []

    async def ask() -> None:
        lines.append(await agent.ask("Which city?", thread_id=thread, default="Rome"))

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            request = await first_pending(ada, thread)
            [field] = request["form"]["fields"]
            assert (field["type"], field["label"], field["default"]) == ("text", "Which city?", "Rome")
            await ada.answer(request["id"], {field["id"]: "Reykjavík"})
    assert lines == ["Reykjavík"]


async def first_pending(person: Person, thread: str) -> dict[str, Any]:
    """Wait for a request in the thread, by its events instead of polling."""
    async for event in person.events(thread, until=1):
        if event["type"] == "request.created":
            return event["request"]
    raise AssertionError("the stream ended")


@requirement("A3")
async def test_confirm_keeps_custom_options_in_order(agent: AsyncClient, thread: str) -> None:
    form = Form(fields=[Select(id="q", label="Now?", widget="confirm", options=["Ship", "Hold"])])  # type: ignore[list-item]  # strings are options
    request = await agent.requests.create(form, thread_id=thread)
    assert request.form is not None
    [field] = request.form.all_fields
    assert isinstance(field, Select)
    assert [o.value for o in field.options] == ["Ship", "Hold"]


@requirement("A4")
@pytest.mark.parametrize(
    "field",
    [
        {"type": "select"},
        {"type": "select", "widget": "buttons", "options": []},
        {"type": "radio", "options": []},
        {"type": "multiselect", "options": []},
    ],
)
async def test_a_choice_without_options_is_refused_and_nothing_is_stored(
    server: Any, ada: Person, thread: str, field: dict[str, Any]
) -> None:
    async with server.person("requester") as agent:
        reply = await agent.ask(thread, one(**field))
    assert faults(reply) == [("form.fields[0].options", "option_required")]
    assert await ada.pending(thread) == []


@requirement("A8")
async def test_several_choices_come_in_the_order_of_the_options(
    server: Any, ada: Person, thread: str
) -> None:
    async with server.person("requester") as agent:
        reply = await agent.ask(thread, one(type="multiselect", options=["A", "B", "C"], required=True))
    request_id = reply.json()["id"]
    assert faults(await ada.answer(request_id, {"q": []})) == [("values.q", "required_missing")]
    settled_reply = await ada.answer(request_id, {"q": ["C", "A"]})
    assert settled_reply.json()["answer"]["values"] == {"q": ["A", "C"]}


@requirement("A9")
async def test_a_default_is_shown_but_is_not_an_answer(server: Any, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        reply = await agent.ask(thread, one(type="radio", options=["A", "B"], default="B"))
        wrong = await agent.ask(thread, one(type="radio", options=["A", "B"], default="C"))
    assert faults(wrong) == [("form.fields[0].default", "default_not_in_options")]
    [open_request] = await ada.pending(thread)
    assert open_request["id"] == reply.json()["id"]
    assert open_request["form"]["fields"][0]["default"] == "B"
    assert "answer" not in open_request


@requirement("A10", "D16")
async def test_own_words_are_marked_where_they_are_allowed(server: Any, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        free = (await agent.ask(thread, one(type="select", options=["A"], allow_other=True))).json()["id"]
        closed = (await agent.ask(thread, one(type="select", options=["A"]))).json()["id"]
    answer = (await ada.answer(free, {"q": "maybe"})).json()["answer"]
    assert answer == {"values": {"q": "maybe"}, "other": {"q": True}}
    assert faults(await ada.answer(closed, {"q": "zzz"})) == [("values.q", "value_not_in_options")]


@requirement("A12")
@pytest.mark.parametrize("question", ["", "  ", "\n\t"])
async def test_a_blank_question_is_refused_before_anything_is_stored(
    agent: AsyncClient, ada: Person, thread: str, question: str
) -> None:
    with pytest.raises((Invalid, ValueError)):
        await agent.ask(question, thread_id=thread)
    async with anyio.create_task_group():
        assert await ada.pending(thread) == []


@requirement("A14")
async def test_one_id_names_a_request_everywhere(agent: AsyncClient, ada: Person, thread: str) -> None:
    created = await agent.requests.create(Form(fields=[Text(id="a", label="A")]), thread_id=thread)
    seen_items = [event["request"]["id"] async for event in ada.events(thread, until=1)]
    assert seen_items == [created.id]
    assert (await ada.get(created.id))["id"] == created.id
    assert created.id.startswith("req_")


@requirement("A15")
async def test_options_may_be_strings_or_objects(server: Any, thread: str) -> None:
    rich = {"value": "b", "label": "Bee", "description": "buzzes", "recommended": True, "style": "danger"}
    async with server.person("requester") as agent:
        reply = await agent.ask(thread, one(type="select", options=["A", rich, {"label": "C"}]))
    options = reply.json()["form"]["fields"][0]["options"]
    assert [(o["value"], o["label"]) for o in options] == [("A", "A"), ("b", "Bee"), ("C", "C")]
    assert options[1] == rich


@requirement("A19")
async def test_a_request_stays_with_the_call_that_asked(server: Any, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        for run in ("r1", "r2"):
            body = {
                "content": [{"type": "tool", "tool_call_id": f"call-{run}", "name": "ask"}],
                "run_id": run,
            }
            assert (await agent.http.post(f"/v1/threads/{thread}/messages", json=body)).status_code == 201
        for run in ("r2", "r1"):
            await agent.ask(thread, one(type="text"), run_id=run, tool_call_id=f"call-{run}")
    snapshot = (await ada.http.get(f"/v1/threads/{thread}")).json()
    assert [(request["run_id"], request["tool_call_id"]) for request in snapshot["requests"]] == [
        ("r2", "call-r2"),
        ("r1", "call-r1"),
    ]


@requirement("A20", "C13")
async def test_parallel_questions_each_get_their_own_answer(
    agent: AsyncClient, ada: Person, thread: str
) -> None:
    form = Form(fields=[Text(id="a", label="A")])
    got: dict[int, Any] = {}

    async def ask(number: int) -> None:
        got[number] = (await agent.form(form, thread_id=thread, tool_call_id=str(number))).values["a"]

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            for number in range(3):
                tasks.start_soon(ask, number)
            requests = [event["request"] async for event in ada.events(thread, until=3)]
            for request in sorted(requests, key=lambda r: r["tool_call_id"], reverse=True):
                await ada.answer(request["id"], {"a": f"for {request['tool_call_id']}"})
    assert got == {0: "for 0", 1: "for 1", 2: "for 2"}
