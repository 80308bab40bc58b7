"""What a client shows: forms that fit, pages for the rest; its answers are checked, and the first answer wins."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from mcp.client import ClientRequestContext
from mcp_types import (
    CallToolResult,
    ElicitRequestFormParams,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
)

from askback import AsyncClient
from tests.adapters.conftest import Server
from tests.adapters.mcp.conftest import (
    CANCEL,
    DECLINE,
    KINDS,
    MODERN,
    Connect,
    Kind,
    accept,
    card,
    connect_client,
)
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FORM = {
    "title": "Report",
    "fields": [
        {
            "id": "format",
            "type": "radio",
            "label": "Format",
            "options": ["PDF", "Word"],
            "allow_other": True,
            "required": True,
        },
        {
            "id": "parts",
            "type": "multiselect",
            "label": "Parts",
            "options": [{"value": "s", "label": "Summary"}, {"value": "d", "label": "Details"}],
            "max_choices": 1,
        },
        {"id": "pages", "type": "number", "label": "Pages", "min": 1, "max": 20, "step": 1},
        {"id": "code", "type": "text", "label": "Code", "pattern": "[A-Z]{3}"},
        {"id": "draft", "type": "boolean", "label": "Draft"},
    ],
}
WITH_FILE = {
    "fields": [
        {"id": "topic", "type": "text", "label": "Topic"},
        {"id": "plan", "type": "file", "label": "Plan"},
    ]
}


@requirement("C19")
async def test_a_form_is_shown_by_the_client_and_its_answer_is_the_result(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    answer_reply = accept(format__other="EPUB", parts=["d"], pages=3, code="ABC", draft=False)
    async with connect(kind, lambda _: answer_reply) as tools:
        content = await tools.content("ask_user", form=FORM, thread_id=thread)
    values = {"format": "EPUB", "parts": ["d"], "pages": 3, "code": "ABC", "draft": False}
    assert (content["status"], content["answers"], content["other"]) == (
        "answered",
        values,
        {"format": "EPUB"},
    )
    [dialog] = tools.dialogs
    assert isinstance(dialog, ElicitRequestFormParams)
    assert list(dialog.requested_schema["properties"]) == [
        "format",
        "format__other",
        "parts",
        "pages",
        "code",
        "draft",
    ]
    settled_request = await person.requests.get(content["request_id"])
    assert (settled_request.source, settled_request.settled_by and settled_request.settled_by.name) == (
        "client",
        "requester",
    )


WRONG: list[tuple[dict[str, Any], str]] = [
    ({}, "- The answer is empty."),
    ({"pages": 3}, '- "Format": This field is required.'),
    ({"format": "PDF", "code": "abc"}, '- "Code": Invalid format.'),
    ({"format": "PDF", "pages": 99}, '- "Pages": Must be at most 20.'),
    ({"format": "PDF", "parts": ["s", "d"]}, '- "Parts": Select at most 1.'),
    ({"format": "PDF", "parts": ["nope"]}, '- "Parts": Select valid options.'),
    ({"format": "PDF", "draft": "maybe"}, '- "Draft": Answer with yes or no.'),
]


async def test_an_answer_that_the_form_refuses_is_asked_again_with_the_reason(
    kind: Kind, connect: Connect, thread: str
) -> None:
    rest = iter([*(content for content, _ in WRONG), {"format": "PDF"}])
    async with connect(kind, lambda _: accept(**next(rest))) as tools:
        found_content = await tools.content("ask_user", form=FORM, thread_id=thread)
    assert found_content["answers"] == {"format": "PDF"}
    assert tools.dialogs[0].message == "Report"
    for (_, reason), dialog in zip(WRONG, tools.dialogs[1:], strict=True):
        assert dialog.message.startswith(
            f"The answer was not accepted. Correct it and send it again:\n{reason}"
        )
        assert dialog.message.endswith("\n\nReport")


async def test_a_refused_answer_stays_in_the_form(kind: Kind, connect: Connect, thread: str) -> None:
    fields = [
        {"id": "name", "type": "text", "label": "Name", "max_length": 9},
        {"id": "text", "type": "textarea", "label": "Text", "default": "old"},
        {"id": "count", "type": "number", "label": "Count"},
        {"id": "day", "type": "date", "label": "Day", "min": "2026-12-01"},
        {"id": "now", "type": "boolean", "label": "Now", "default": True},
        {"id": "lake", "type": "select", "label": "Lake", "options": ["Ahorn", "Birke"]},
        {"id": "town", "type": "select", "label": "Town", "options": ["Cham", "Davos"]},
        {"id": "parts", "type": "multiselect", "label": "Parts", "options": [{"value": "a", "label": "A"}]},
        {"id": "empty", "type": "text", "label": "Empty"},
    ]
    entered: dict[str, Any] = {
        "name": "Ada",
        "text": "x" * 2_001,
        "count": 3,
        "day": "2026-11-30",
        "now": False,
        "lake": "Birke",
        "town": "Bern",
        "parts": ["a"],
        "empty": "",
    }
    rest = iter([accept(**entered), accept(name="Ada")])
    async with connect(kind, lambda _: next(rest)) as tools:
        await tools.content("ask_user", form={"fields": fields}, thread_id=thread)
    _, dialog = tools.dialogs
    parts = dialog.model_dump(by_alias=True)["requestedSchema"]["properties"]
    assert {name: part["default"] for name, part in parts.items() if "default" in part} == {
        **{name: value for name, value in entered.items() if name not in {"town", "empty"}},
        "text": "old",
    }


async def test_a_giant_answer_is_asked_again_with_a_short_reason(
    kind: Kind, connect: Connect, thread: str
) -> None:
    many = {f"k{n}": n for n in range(5_000)}
    rest = iter([{"format": "PDF", "code": "A" * 3_000_000}, many, {"format": "PDF"}])
    async with connect(kind, lambda _: accept(**next(rest))) as tools:
        found = await tools.content("ask_user", form=FORM, thread_id=thread)
    assert found["answers"] == {"format": "PDF"}
    assert "larger than" in tools.dialogs[1].message
    assert len(tools.dialogs[2].message) < 2_000


@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
async def test_an_answer_that_breaks_the_protocol_leaves_the_question_to_the_inbox(
    kind: Kind, connect: Connect, thread: str
) -> None:
    nested = ElicitResult.model_construct(action="accept", content={"format": {"a": [["PDF"]]}})
    async with connect(kind, lambda _: nested) as tools:
        found = await tools.content("ask_user", form=FORM, thread_id=thread, wait_s=0.5)
    assert (found["status"], len(tools.dialogs)) == ("pending", 1)


async def test_after_eight_corrections_the_request_stays_open(
    kind: Kind, connect: Connect, thread: str
) -> None:
    async with connect(kind, lambda _: accept(format="PDF", pages=99)) as tools:
        content = await tools.content("ask_user", form=FORM, thread_id=thread)
    assert (content["status"], len(tools.dialogs)) == ("pending", 9)


async def test_a_decline_in_the_client_is_a_refusal(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    async with connect(kind, lambda _: DECLINE) as tools:
        content = await tools.content("ask_user", question="Which?", thread_id=thread)
    assert content["status"] == "declined"
    assert (await person.requests.get(content["request_id"])).reason == "refused"


async def test_a_client_that_shows_nothing_leaves_the_question_to_the_inbox(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    findings: list[dict[str, Any]] = []
    with anyio.fail_after(120):
        async with connect(kind, lambda _: CANCEL) as tools, anyio.create_task_group() as tasks:

            async def asking() -> None:
                findings.append(await tools.content("ask_user", question="Which?", thread_id=thread))

            tasks.start_soon(asking)
            await person.requests.answer(await card(person, thread), {"answer": "from the inbox"})
    assert (findings[0]["status"], findings[0]["answers"]) == ("answered", {"answer": "from the inbox"})


async def test_the_answer_in_the_inbox_wins_over_a_later_one_in_the_client(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    answered_event = anyio.Event()
    closed_event = anyio.Event()

    async def slow(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG001 - mcp names them
        if kind.mode == MODERN:
            await answered_event.wait()
        else:
            try:
                await anyio.sleep_forever()
            finally:
                closed_event.set()
        return accept(answer="too late")

    findings: list[dict[str, Any]] = []
    with anyio.fail_after(120):
        async with connect(kind, lambda _: CANCEL) as tools, anyio.create_task_group() as tasks:
            tools.client.session._elicitation_callback = slow  # pyright: ignore[reportPrivateUsage]

            async def asking() -> None:
                findings.append(await tools.content("ask_user", question="Which?", thread_id=thread))

            tasks.start_soon(asking)
            await person.requests.answer(await card(person, thread), {"answer": "first"})
            answered_event.set()
        if kind.mode != MODERN:
            await closed_event.wait()  # the client was told to close its form
    assert findings[0]["answers"] == {"answer": "first"}


async def test_a_call_with_no_wait_shows_nothing(kind: Kind, connect: Connect, thread: str) -> None:
    async with connect(kind, lambda _: CANCEL) as tools:
        content = await tools.content("ask_user", question="Which?", wait_s=0, thread_id=thread)
    assert (content["status"], tools.dialogs) == ("pending", [])


@pytest.mark.parametrize("action", ["accept", "decline"])
async def test_a_form_that_elicitation_cannot_express_is_answered_on_a_page(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str, action: str
) -> None:
    async with connect(kind, lambda _: ElicitResult(action=action)) as tools:  # pyright: ignore[reportArgumentType]
        content = await tools.content("ask_user", form=WITH_FILE, wait_s=1, thread_id=thread)
    [dialog] = tools.dialogs
    assert isinstance(dialog, ElicitRequestURLParams)
    assert dialog.url.endswith(f"/r/{content['request_id']}?private")
    assert content["status"] == ("pending" if action == "accept" else "declined")


async def test_a_form_that_its_first_control_answers_is_answered_on_a_page(
    connect: Connect, thread: str
) -> None:
    flight = {"id": "flight", "type": "radio", "label": "Flight", "options": ["Early", "Late"]}
    form = {"title": "T", "submit": "first", "fields": [flight, {**flight, "id": "back"}]}
    async with connect(KINDS[0], lambda _: ElicitResult(action="accept")) as tools:
        await tools.content("ask_user", form=form, wait_s=1, thread_id=thread)
    assert [dialog.mode for dialog in tools.dialogs] == ["url"]


async def test_a_question_that_may_be_skipped_is_skipped_when_it_is_left_empty(
    kind: Kind, connect: Connect, thread: str
) -> None:
    skippable = {"type": "text", "required": True, "allow_skip": True}
    form = {
        "fields": [
            {**skippable, "id": "why", "label": "Why"},
            {**skippable, "id": "when", "label": "When"},
            {**skippable, "id": "where", "label": "Where", "readonly": True, "default": "Rome"},
            {"id": "name", "type": "text", "label": "Name"},
        ]
    }
    async with connect(kind, lambda _: accept(name="Ada", when="  ")) as tools:
        content = await tools.content("ask_user", form=form, thread_id=thread)
    assert (content["status"], len(tools.dialogs)) == ("answered", 1)
    assert content["answers"] == {"name": "Ada", "where": "Rome"}


async def test_an_approval_is_decided_on_a_page(kind: Kind, connect: Connect, thread: str) -> None:
    async with connect(kind, lambda _: accept(decision="approve")) as tools:
        call = {"tool": "deploy", "input": {"to": "prod"}, "wait_s": 1, "thread_id": thread}
        content = await tools.content("request_approval", **call)
    [dialog] = tools.dialogs
    assert (dialog.mode, "Only" in dialog.message) == ("url", False)  # everybody who may decide can open it
    assert (content["status"], "decision" in content) == ("pending", False)


@pytest.mark.parametrize(
    ("answer_reply", "decision"),
    [
        (accept(decision="approve"), {"decision": "approve", "input": {"to": "prod"}}),
        (accept(decision="deny", note="no"), {"decision": "deny", "note": "no"}),
        (DECLINE, {"decision": "deny"}),
    ],
    ids=["approve", "deny", "decline"],
)
async def test_an_approval_is_decided_in_the_client_where_the_operator_allows_it(
    kind: Kind, trusting_server: Server, thread: str, answer_reply: ElicitResult, decision: dict[str, Any]
) -> None:
    async with connect_client(trusting_server, kind, lambda _: answer_reply) as tools:
        call = {"tool": "deploy", "input": {"to": "prod"}, "reason": "done", "thread_id": thread}
        content = await tools.content("request_approval", **call)
    assert content == {"status": "answered", "request_id": content["request_id"], **decision}
    [dialog] = tools.dialogs
    assert dialog.message == 'May the tool "deploy" run?\n{"to": "prod"}\nThe agent says: "done"'


async def test_a_call_that_a_form_cannot_show_whole_is_decided_on_a_page(
    trusting_server: Server, thread: str
) -> None:
    async with connect_client(trusting_server, KINDS[1], lambda _: accept(decision="approve")) as tools:
        for tool_input in ({"text": "x" * 3000}, {"command": "rm -rf /"}):
            call = {"tool": "bash", "input": tool_input, "wait_s": 0.1, "thread_id": thread}
            assert (await tools.content("request_approval", **call))["status"] in {"pending", "answered"}
    assert {dialog.mode for dialog in tools.dialogs} <= {"url"}


async def test_a_foreign_state_is_refused_with_a_sentence(connect: Connect) -> None:
    async with connect(KINDS[1], lambda _: CANCEL) as tools:
        for state in (
            "rubbish",
            "[]",
            "[" * 100_000,
            '{"request_id": 1}',
            json.dumps({"request_id": "req_x", "rounds": 0}),
        ):
            result = await tools.client.session.call_tool(
                "ask_user", {"question": "x"}, request_state=state, allow_input_required=True
            )
            assert result.is_error, result  # pyright: ignore[reportAttributeAccessIssue]


async def test_the_state_of_one_call_answers_no_other_call(connect: Connect, thread: str) -> None:
    async with connect(KINDS[1], lambda _: CANCEL) as tools:
        call_tool = tools.client.session.call_tool
        question = {"question": "Which day?", "thread_id": thread}
        first = await call_tool("ask_user", question, allow_input_required=True)
        assert isinstance(first, InputRequiredResult)
        given = {"input_responses": {"answer": accept(answer="Friday")}, "request_state": first.request_state}
        others = {
            "ask_user": {**question, "question": "Who?"},
            "request_approval": {"tool": "pay", "input": {}},
        }
        for tool, arguments in others.items():
            refused = await call_tool(tool, arguments, allow_input_required=True, **given)
            assert isinstance(refused, CallToolResult)
            assert refused.is_error
        answered = await call_tool("ask_user", question, allow_input_required=True, **given)
    assert isinstance(answered, CallToolResult)
    assert answered.structured_content is not None
    assert answered.structured_content["answers"] == {"answer": "Friday"}
