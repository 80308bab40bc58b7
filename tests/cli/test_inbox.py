"""`askback inbox`: the same forms and rules as on the pages, line by line."""

from __future__ import annotations

import anyio
import pytest

from askback import AsyncClient
from askback.domain.fields import (
    Boolean,
    Checkbox,
    Date,
    Datetime,
    Form,
    Multiselect,
    Number,
    Radio,
    Row,
    Rows,
    Section,
    Select,
    Text,
    Textarea,
    Time,
)
from askback.domain.options import Option
from tests.cli.conftest import Server
from tests.cli.scripts import run_inbox_from_pipe
from tests.cli.terminals import run_on_terminal
from tests.requirements import requirement

EVERY_TYPE = Form(
    title="Everything",
    description="One of each.",
    fields=[
        Text(id="text", label="Text", required=True, pattern="[A-Z]{2}", pattern_message="Like AB."),
        Textarea(id="textarea", label="Textarea"),
        Number(id="number", label="Number", min=1, max=5),
        Boolean(id="boolean", label="Boolean"),
        Select(id="select", label="Select", options=["A", "B"], allow_other=True),
        Multiselect(id="multiselect", label="Multiselect", options=["A", "B", "C"], min_choices=2),
        Checkbox(id="checkbox", label="Checkbox", required=True),
        Radio(id="radio", label="Radio", options=["2", "1"], default="1"),
        Date(id="date", label="Date"),
        Time(id="time", label="Time"),
        Datetime(id="datetime", label="Datetime"),
    ],
)


@requirement("F1")
async def test_all_eleven_types_are_answered_through_a_pipe(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(EVERY_TYPE, thread_id=thread)
    out = await run_inbox_from_pipe(
        server, thread,
        "lower", "AB",
        "first line", "", "..dots", ".",
        "9", "x", "2,5",
        "y",
        "mine",
        "1", "3,1",
        "n", "y",
        "",
        "2026-02-30", "2026-02-28",
        "09:30",
        "2026-02-28T09:00:00+01:00[Europe/Berlin]",
        "",
    )  # fmt: skip
    settled_request = await agent.requests.get(request.id)
    assert settled_request.status == "answered", out
    assert settled_request.answer is not None
    assert settled_request.answer.values == {
        "text": "AB",
        "textarea": "first line\n\n.dots",
        "number": 2.5,
        "boolean": True,
        "select": "mine",
        "multiselect": ["A", "C"],
        "checkbox": True,
        "radio": "1",
        "date": "2026-02-28",
        "time": "09:30",
        "datetime": "2026-02-28T09:00:00+01:00[Europe/Berlin]",
    }
    assert settled_request.answer.other == {"select": True}
    for sentence in ("Like AB.", "Must be at most 5.", "Enter a valid number.", "This field is required."):
        assert sentence in out
    assert "Enter a valid date/time value." in out


@requirement("F12")
async def test_initial_values_and_defaults_are_taken_by_an_empty_line(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    fields = [
        Text(id="a", label="A", default="default"),
        Text(id="b", label="B", default="default"),
        Number(id="c", label="C", default=0),
        Boolean(id="d", label="D", default=False),
        Text(id="e", label="E", default="default"),
    ]
    request = await agent.requests.create(
        Form(fields=fields, initial_values={"b": "initial"}), thread_id=thread
    )
    await run_inbox_from_pipe(server, thread, "", "", "", "", ":empty", "")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {"a": "default", "b": "initial", "c": 0, "d": False}


@requirement("F18")
async def test_an_optional_section_is_skipped_as_a_whole_or_checked(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    def form() -> Form:
        part = [
            Text(id="street", label="Street", required=True),
            Text(id="town", label="Town", required=True),
        ]
        section = Section(id="who", title="Who", fields=[Text(id="name", label="Name", required=True)])
        return Form(sections=[section, Section(id="where", title="Where", optional=True, fields=part)])

    skipped = await agent.requests.create(form(), thread_id=thread)
    await run_inbox_from_pipe(server, thread, "Ada", "n", "")
    settled_request = await agent.requests.get(skipped.id)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {"name": "Ada"}

    partly = await agent.requests.create(form(), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "Ada", "y", "Main", "", "", "Rome")
    settled_request = await agent.requests.get(partly.id)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {"name": "Ada", "street": "Main", "town": "Rome"}
    assert "This field is required." in out


@requirement("C10", "D7")
async def test_choices_are_typed_shown_and_skipped_as_on_the_page(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    large = [Option(value=1, label="Small"), Option(value=2, label="Large"), Option(value="2", label="Large")]
    fields = [
        Text(id="fixed", label="Fixed", readonly=True, default="as it is"),
        Select(id="size", label="Size", options=[*large, Option(value="", label="None")], required=True),
        Select(id="again", label="Again", options=[*large, Option(value="", label="None")]),
        Text(id="why", label="Why", required=True, allow_skip=True),
        Datetime(id="meet", label="Meet", floating=True),
    ]
    request = await agent.requests.create(Form(fields=fields), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "Large", "b", "None", ":pass", "2026-01-02 11:30", "")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {
        "fixed": "as it is",
        "size": 2,
        "again": "",
        "meet": "2026-01-02T11:30",
    }
    assert settled_request.answer.skipped == {"why": True}
    assert "as it is" in out
    assert "Select a valid option." in out  # two options are called Large


@requirement("A11")
async def test_one_field_answers_a_form_that_says_so(server: Server, agent: AsyncClient, thread: str) -> None:
    fields = [Radio(id="when", label="When", options=["Now", "Later"]), Text(id="why", label="Why")]
    request = await agent.requests.create(Form(submit="first", fields=fields), thread_id=thread)
    await run_inbox_from_pipe(server, thread, "Why", "no time")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert (settled_request.answer.values, settled_request.answer.control) == ({"why": "no time"}, "why")


@requirement("A22")
async def test_rows_are_decided_one_by_one(server: Server, agent: AsyncClient, thread: str) -> None:
    salary = Number(id="salary", label="Salary", required=True, min=1000)
    anna, bob = Row(id="anna", label="Anna", fields=[salary]), Row(id="bob", label="Bob", fields=[salary])
    form = Form(fields=[Rows(id="hires", label="Candidates", required=True, rows=[anna, bob])])
    request = await agent.requests.create(form, thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "Accept", "1", "4500", "Decline", "y")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {
        "hires": {"anna": {"decision": "accept", "values": {"salary": 4500}}, "bob": {"decision": "decline"}}
    }
    assert "Candidates" in out
    assert "Must be at least 1000." in out


@requirement("F33")
async def test_a_field_hidden_by_a_condition_is_not_asked(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    post = {"field": "how", "is": "Post"}
    radio = Radio(id="how", label="How", options=["Post", "Pick up"])
    street = Text.model_validate({"id": "street", "label": "Street", "required": True, "visible_if": post})
    request = await agent.requests.create(Form(fields=[radio, street]), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "Post", "Main", "n", "Pick up", "")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {"how": "Pick up"}
    assert out.count("Street") == 2  # the question and the summary of the first time


@requirement("D8")
@pytest.mark.parametrize(("most", "expected_text"), [(50, 1), (51, 0)])
async def test_a_small_limit_of_questions_is_shown(
    server: Server, agent: AsyncClient, thread: str, most: int, expected_text: int
) -> None:
    async with server.client("admin") as admin:
        await admin.policy.update(thread_id=thread, max_questions=most)
    await agent.requests.create(Form(fields=[Text(id="a", label="A")]), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "", "")
    assert out.count(f"Question 1 of {most}") == expected_text


@requirement("N18")
async def test_an_untouched_form_is_submitted_where_every_field_is_optional(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    form = Form(fields=[Text(id="a", label="A"), Text(id="b", label="B")])
    request = await agent.requests.create(form, thread_id=thread)
    await run_inbox_from_pipe(server, thread, "", "", "")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert (settled_request.status, settled_request.answer.values) == ("answered", {})


async def test_back_goes_to_the_field_before_and_keeps_its_value(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    form = Form(fields=[Text(id="a", label="A"), Text(id="b", label="B")])
    request = await agent.requests.create(form, thread_id=thread)
    await run_inbox_from_pipe(server, thread, "first", ":back", "better", "::colon", "n", "", "", "y")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {"a": "better", "b": ":colon"}


@requirement("D17")
async def test_skip_only_where_the_form_allows_it(server: Server, agent: AsyncClient, thread: str) -> None:
    fixed = await agent.requests.create(Form(fields=[Text(id="a", label="A")]), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, ":skip", ":dismiss")
    assert "cannot be skipped" in out
    assert (await agent.requests.get(fixed.id)).reason == "dismissed"

    loose = await agent.requests.create(
        Form(allow_skip=True, fields=[Text(id="a", label="A")]), thread_id=thread
    )
    await run_inbox_from_pipe(server, thread, ":skip")
    assert (await agent.requests.get(loose.id)).reason == "skipped"


@requirement("A15")
async def test_a_dangerous_choice_is_asked_twice(server: Server, agent: AsyncClient, thread: str) -> None:
    options = [
        Option(value="keep", label="Keep", recommended=True),
        Option(value="drop", label="Drop", style="danger"),
    ]
    form = Form(fields=[Select(id="go", label="Go?", required=True, options=options)])
    request = await agent.requests.create(form, thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "2", "n", "1")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {"go": "keep"}
    assert "Really" in out
    assert "(recommended)" in out


async def test_the_end_of_the_input_leaves_the_request_open(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(EVERY_TYPE, thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "AB", once=False)
    assert "Nothing else was answered" in out
    assert (await agent.requests.get(request.id)).status == "pending"


async def test_the_end_of_the_input_exits_even_if_nothing_is_pending(server: Server, thread: str) -> None:
    out = await run_inbox_from_pipe(server, thread, once=False)
    assert "Waiting for a question" in out
    assert "Nothing else was answered" in out


async def test_skipped_requests_are_not_offered_again(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    first_request = await agent.requests.create(
        Form(title="First", fields=[Text(id="a", label="A")]), thread_id=thread
    )
    second_request = await agent.requests.create(
        Form(title="Second", fields=[Text(id="a", label="A")]), thread_id=thread
    )
    out = await run_inbox_from_pipe(server, thread, "1", ":later", "done")
    assert out.index("1  First") < out.index("2  Second")
    assert [(await agent.requests.get(item.id)).status for item in (first_request, second_request)] == [
        "pending",
        "answered",
    ]


async def test_an_empty_inbox_is_reported(server: Server, thread: str) -> None:
    assert "Nothing is pending." in await run_inbox_from_pipe(server, thread)


async def test_a_question_that_arrives_later_is_shown_and_answered(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    async with run_on_terminal(server.data, "inbox", "--thread", thread) as (screen, _):
        await screen.shows("Waiting for a question")
        screen.type("typed too early\n")
        await screen.shows("typed too early")
        request = await agent.requests.create(Form(fields=[Text(id="a", label="Name?")]), thread_id=thread)
        await screen.shows("Name?")
        screen.type("Ada\n")
        with anyio.fail_after(120):
            settled_request = await agent.wait(request)
        assert settled_request.answer is not None
        assert settled_request.answer.values == {"a": "Ada"}


@requirement("M3")
async def test_an_answer_from_another_screen_is_reported_and_the_next_form_is_shown(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    first_request = await agent.requests.create(
        Form(title="Race", fields=[Text(id="a", label="First?")]), thread_id=thread
    )
    async with run_on_terminal(server.data, "inbox", "--thread", thread) as (screen, _):
        await screen.shows("First?")
        screen.type("half typ")
        await person.requests.answer(first_request.id, {"a": "elsewhere"}, revision=1)
        await screen.shows("answered by owner meanwhile")
        await screen.shows("Press Enter")
        second_request = await agent.requests.create(
            Form(fields=[Text(id="a", label="Second?")]), thread_id=thread
        )
        screen.type("\n")
        await screen.shows("Second?")
        screen.type("mine\n")
        with anyio.fail_after(120):
            settled_request = await agent.wait(second_request)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {"a": "mine"}


@requirement("F14", "F16")
async def test_a_form_that_changed_is_asked_again_with_the_typed_values(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    form = Form(fields=[Text(id="a", label="First?"), Text(id="b", label="Second?")])
    request = await agent.requests.create(form, thread_id=thread, errors={"b": "Too short before."})
    async with run_on_terminal(server.data, "inbox", "--thread", thread) as (screen, _):
        await screen.shows("First?")
        screen.type("one\n")
        await screen.shows("Too short before.")
        changed_form = Form(fields=[Text(id="a", label="First?"), Text(id="c", label="Third?")])
        await agent.requests.update(request, form=changed_form)
        screen.type("two\n\n")
        await screen.shows("The question has changed. Check your answers.")
        screen.type("\n")
        await screen.shows("Third?")
        screen.type("three\n\n")
        with anyio.fail_after(120):
            settled_request = await agent.wait(request)
    assert settled_request.answer is not None
    assert settled_request.answer.values == {"a": "one", "c": "three"}


@pytest.mark.parametrize("key", ["\x03", "\x04"])
async def test_ctrl_c_and_ctrl_d_leave_without_answering(
    server: Server, agent: AsyncClient, thread: str, key: str
) -> None:
    request = await agent.requests.create(Form(fields=[Text(id="a", label="Name?")]), thread_id=thread)
    async with run_on_terminal(server.data, "inbox", "--request", request.id) as (screen, process):
        await screen.shows("Name?")
        screen.type(key)
        await screen.shows("Nothing else was answered")
        with anyio.fail_after(120):
            assert await anyio.to_thread.run_sync(process.wait) == 0
    assert (await agent.requests.get(request.id)).status == "pending"


async def test_agent_texts_cannot_steer_the_terminal(server: Server, agent: AsyncClient, thread: str) -> None:
    field = Text(id="a", label="Tag [red]\u00ad", description="Safe\rEvil", pattern="[A-Z]+")
    await agent.requests.create(Form(fields=[field]), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "AB")
    assert "Tag [red]\\u{ad}" in out
    assert "Safe\\u{d}Evil" in out
    assert "\r" not in out
