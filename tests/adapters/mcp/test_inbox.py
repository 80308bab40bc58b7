"""What a client that shows nothing gets: the person answers in the inbox, while the call waits or later."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from askback import AsyncClient, InputRequest, Multiselect, Option
from tests.adapters.mcp.conftest import KINDS, MODERN, Connect, Kind, card, text_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

FORM = {
    "title": "Report",
    "fields": [{"id": "pages", "type": "number", "label": "Pages", "max": 9, "required": True}],
}
QUESTIONS = [
    {
        "question": "Which store?",
        "header": "Store",
        "options": [
            {"label": "SQLite", "description": "one file"},
            {"label": "Postgres", "description": "a server"},
        ],
        "multiSelect": False,
    },
    {
        "question": "Which parts?",
        "header": "Parts",
        "options": [{"label": "A, B", "description": "x"}, {"label": "C", "description": "y"}],
        "multiSelect": True,
    },
]


async def test_an_answer_in_the_inbox_ends_the_call(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    findings: list[dict[str, Any]] = []
    with anyio.fail_after(120):
        async with connect(kind) as tools, anyio.create_task_group() as tasks:

            async def asking() -> None:
                findings.append(
                    await tools.content("ask_user", question="Which?", options=["A", "B"], thread_id=thread)
                )

            tasks.start_soon(asking)
            id_ = await card(person, thread)
            await person.requests.answer(id_, {"answer": "B"})
    assert findings == [{"status": "answered", "request_id": id_, "answers": {"answer": "B"}}]


@requirement("G9")
async def test_a_call_returns_pending_in_time_and_the_answer_comes_later(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    async with connect(kind) as tools:
        reply = await tools.call("ask_user", question="Which?", wait_s=0, thread_id=thread)
        content = reply.structured_content or {}
        id_ = content["request_id"]
        assert content == {
            "status": "pending",
            "request_id": id_,
            "url": content["url"],
            "message": text_of(reply),
        }
        assert content["url"].endswith(f"/r/{id_}")
        text = text_of(reply)
        assert "get_answer" in text
        assert id_ in text
        assert "Do not make up an answer" in text
        assert (await tools.content("get_answer", request_id=id_, wait_s=0))["status"] == "pending"
        await person.requests.answer(id_, {"answer": "late"})
        assert await tools.content("get_answer", request_id=id_) == {
            "status": "answered",
            "request_id": id_,
            "answers": {"answer": "late"},
        }


async def test_every_end_of_a_request_has_its_own_status_and_text(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    async with connect(KINDS[0]) as tools:
        ends = {}
        for end in ("declined", "cancelled", "expired"):
            extra = {"timeout_s": 1} if end == "expired" else {}
            id_ = (await tools.content("ask_user", question=end, wait_s=0, thread_id=thread, **extra))[
                "request_id"
            ]
            if end == "declined":
                await person.requests.decline(id_, reason="refused", note="no")
            if end == "cancelled":
                assert await tools.content("cancel_request", request_id=id_, reason="not needed") == {
                    "status": "cancelled",
                    "request_id": id_,
                }
            result = await tools.call("get_answer", request_id=id_)
            assert (result.structured_content or {})["status"] == end
            ends[end] = text_of(result)
    assert len(set(ends.values())) == 3
    assert "Their note: no" in ends["declined"]


async def test_questions_of_claude_are_answered_by_their_text(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    async with connect(KINDS[0]) as tools:
        id_ = (await tools.content("ask_user", questions=QUESTIONS, wait_s=0, thread_id=thread))["request_id"]
        await person.requests.answer(id_, {"q1": "my own", "q2": ["A, B", "C"]})
        content = await tools.content("get_answer", request_id=id_)
    assert content["answers"] == {"Which store?": "my own", "Which parts?": "A, B, C"}
    assert content["other"] == {"Which store?": "my own"}


async def test_answers_have_field_ids_and_free_text_is_marked(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    options = [{"label": "Red", "value": "r", "recommended": True}, "Blue"]
    async with connect(KINDS[0]) as tools:
        id_ = (await tools.content("ask_user", form=FORM, wait_s=0, thread_id=thread))["request_id"]
        await person.requests.answer(id_, {"pages": 3})
        assert (await tools.content("get_answer", request_id=id_))["answers"] == {"pages": 3}
        many = {"options": options, "multiple": True, "allow_other": True}
        id_ = (await tools.content("ask_user", question="Colours?", **many, wait_s=0, thread_id=thread))[
            "request_id"
        ]
        shown_request = await person.requests.get(id_)
        assert shown_request.form is not None
        [field] = shown_request.form.all_fields
        assert isinstance(field, Multiselect)
        assert field.options == [
            Option(value="r", label="Red", recommended=True),
            Option(value="Blue", label="Blue"),
        ]
        await person.requests.answer(id_, {"answer": ["r", "green"]})
        content = await tools.content("get_answer", request_id=id_)
    assert (content["answers"], content["other"]) == ({"answer": ["r", "green"]}, {"answer": "green"})


async def test_an_approval_returns_the_input_that_was_approved(
    kind: Kind, connect: Connect, person: AsyncClient, thread: str
) -> None:
    async with connect(kind) as tools:
        call = {"tool": "deploy", "input": {"to": "prod"}, "reason": "done", "wait_s": 0, "thread_id": thread}
        content = await tools.content("request_approval", **call)
        assert (content["status"], "decision" in content) == ("pending", False)
        request = await person.requests.get(content["request_id"])
        await person.requests.decide(request, "approve", edited_input={"to": "stage"}, note="not prod")
        assert await tools.content("get_answer", request_id=request.id) == {
            "status": "answered",
            "request_id": request.id,
            "decision": "approve",
            "input": {"to": "stage"},
            "note": "not prod",
        }


async def test_a_denied_call_has_no_input(connect: Connect, person: AsyncClient, thread: str) -> None:
    async with connect(KINDS[0]) as tools:
        call = {"tool": "deploy", "input": {"to": "prod"}, "wait_s": 0, "thread_id": thread}
        id_ = (await tools.content("request_approval", **call))["request_id"]
        await person.requests.decide(await person.requests.get(id_), "deny")
        result = await tools.call("get_answer", request_id=id_)
    assert result.structured_content == {
        "status": "answered",
        "request_id": id_,
        "decision": "deny",
        "message": text_of(result),
    }
    assert "it was not run" in text_of(result)


async def test_a_repeated_call_finds_its_request_over_another_connection(
    connect: Connect, thread: str
) -> None:
    meta = {"claudecode/toolUseId": f"{thread} Ä" * 50}  # longer than a key of the server, and not ASCII
    async with connect(KINDS[0]) as tools:
        first_content = await tools.content("ask_user", question="Once?", wait_s=0, meta=meta)
        second_content = await tools.content("ask_user", question="Once?", wait_s=0, meta=meta)
    async with connect(KINDS[0]) as tools:  # another process, and so another thread
        third_content = await tools.content("ask_user", question="Once?", wait_s=0, meta=meta)
        other = await tools.call("ask_user", question="Another?", wait_s=0, meta=meta)
    assert first_content["request_id"] == second_content["request_id"] == third_content["request_id"]
    assert other.is_error
    assert "An earlier call with the same id had other arguments" in text_of(other)


async def test_requests_are_listed(connect: Connect, thread: str) -> None:
    async with connect(KINDS[0]) as tools:
        id_ = (await tools.content("ask_user", question="Which?", wait_s=0, thread_id=thread))["request_id"]
        content = await tools.content("list_requests", thread_id=thread, status="pending")
    [request] = content["requests"]
    assert {name: request[name] for name in ("request_id", "kind", "status", "title")} == {
        "request_id": id_,
        "kind": "form",
        "status": "pending",
        "title": '"Which?"',
    }


WRONG = [
    ("ask_user", {}, "question: Pass exactly one"),
    ("ask_user", {"question": "x", "form": {}}, "form: Pass exactly one"),
    ("ask_user", {"form": {}, "multiple": True}, "multiple: This belongs to question only"),
    ("ask_user", {"questions": []}, "questions: Use at least 1"),
    ("ask_user", {"questions": QUESTIONS * 3}, "questions: Use at most 4"),
    (
        "ask_user",
        {"questions": [QUESTIONS[0] | {"question": ""}]},
        "questions[0].question: Must not be empty",
    ),
    ("ask_user", {"form": {"fields": []}}, "form.fields: Add at least one field"),
    ("ask_user", {"question": "x" * 2001}, "question: Must be at most 2000"),
    ("ask_user", {"question": "x", "options": ["a", "a"]}, "options[1]: This option appears twice"),
    ("ask_user", {"question": "x", "options": ["a", "\u202e"]}, "options[1]: Remove control"),
    ("ask_user", {"question": "x", "options": [5]}, "options[0]: Must be a string or an object"),
    ("ask_user", {"question": "x", "options": [{}]}, "options[0].label: This key is required"),
    ("ask_user", {"question": "x", "wait_s": -1}, "wait_s: Must be at least 0"),
    ("ask_user", {"question": "x", "timeout_s": 0}, "timeout_s: Must be greater than 0"),
    ("ask_user", {"question": "x", "colour": 1}, "colour: Unknown key"),
    ("ask_user", {f"k{n}": n for n in range(900)}, "k0: Unknown key"),
    ("request_approval", {"tool": "x"}, "input: This key is required"),
    ("request_approval", {"tool": "x" * 201, "input": {}}, "- tool: Must be at most 200"),
    ("request_env_vars", {"names": ["lower"], "reason": "r"}, "- names[0]: Use capital letters"),
    ("request_env_vars", {"names": [], "reason": "r"}, "names: Use at least 1"),
    ("request_env_vars", {"names": [f"K{n}" for n in range(11)], "reason": "r"}, "names: Use at most 10"),
    (
        "request_approval",
        {"tool": "x", "input": "x" * 300_000},
        "Nobody was asked. Call the tool again with less.",
    ),
    ("get_answer", {"request_id": "req_no"}, "There is no such request"),
    ("get_answer", {"request_id": 5}, "Nothing was done. Correct this"),
    ("list_requests", {"limit": 1000}, "limit: Must be at most 100"),
]


@pytest.mark.parametrize("mode", [1, 3], ids=["stdio", "http"])
async def test_invalid_arguments_return_a_sentence_and_create_no_request(mode: int, connect: Connect) -> None:
    async with connect(KINDS[mode]) as tools:
        for tool, arguments, expected in WRONG:
            result = await tools.call(tool, **arguments)
            text = text_of(result)
            assert result.is_error, (tool, arguments)
            assert expected in text, text
            assert len(text) < 2_000
            assert "Error executing" not in text
            assert "Traceback" not in text
        with pytest.raises(MCPError, match="There is no tool 'no_such_tool'. There are ask_user"):
            await tools.call("no_such_tool")


async def test_a_withdrawal_with_too_long_a_reason_names_the_argument(connect: Connect, thread: str) -> None:
    async with connect(KINDS[1]) as tools:
        open_request = await tools.content("ask_user", question="Which?", thread_id=thread, wait_s=0)
        result = await tools.call("cancel_request", request_id=open_request["request_id"], reason="x" * 2_001)
    assert result.is_error
    assert text_of(result).startswith(
        "Nothing was done. Correct this and call the tool again:\n- reason: Must be at most 2000"
    )


async def test_a_call_that_cannot_be_read_gets_an_error_and_the_next_one_is_answered(
    kind: Kind, connect: Connect
) -> None:
    nested: Any = "1"
    for _ in range(250):
        nested = [nested]
    with anyio.fail_after(60):
        async with connect(kind) as tools:
            try:
                error_text = text_of(
                    await tools.call("request_approval", tool="x", input={"id": "x", "deep": nested})
                )
            except MCPError as error:
                error_text = error.message
            assert "Nobody was asked" in error_text or "Parse error" in error_text
            assert await tools.content("list_requests", thread_id="none") == {"requests": []}


async def test_the_tools_are_those_of_the_table_and_say_what_to_do_next(kind: Kind, connect: Connect) -> None:
    async with connect(kind) as tools:
        listed = {tool.name: tool for tool in (await tools.client.list_tools()).tools}
        assert kind.mode == MODERN or "get_answer" in (tools.client.instructions or "")
    assert list(listed) == [
        "ask_user",
        "request_approval",
        "request_env_vars",
        "get_answer",
        "cancel_request",
        "list_requests",
        "approval_prompt",
    ]
    for tool in listed.values():
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.description
    for name in ("ask_user", "request_approval", "request_env_vars"):
        assert "connection was lost" in (listed[name].description or "")
    assert set(listed["request_env_vars"].input_schema["required"]) == {"names", "reason"}
    assert listed["get_answer"].annotations is not None
    assert listed["get_answer"].annotations.read_only_hint


async def test_a_permission_prompt_is_answered_in_the_format_of_claude(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    replies: list[dict[str, Any]] = []
    request_members = {"questions": QUESTIONS}
    prompts: list[tuple[str, dict[str, Any], Callable[[InputRequest], Awaitable[Any]]]] = [
        ("Deploy", {"to": "a"}, lambda r: person.requests.decide(r, "approve")),
        ("Deploy", {"to": "b"}, lambda r: person.requests.decide(r, "deny", note="no")),
        (
            "AskUserQuestion",
            request_members,
            lambda r: person.requests.answer(r, {"q1": "SQLite", "q2": ["C"]}),
        ),
        ("AskUserQuestion", request_members, lambda r: person.requests.decline(r, reason="refused")),
    ]
    with anyio.fail_after(120):
        async with connect(KINDS[0], ASKBACK_THREAD=thread) as tools:
            for number, (tool, tool_input, answer) in enumerate(prompts, 1):

                async def prompt(
                    use: str = f"toolu_{thread}_{number}", tool: str = tool, given: Any = tool_input
                ) -> None:
                    result = await tools.call("approval_prompt", tool_name=tool, input=given, tool_use_id=use)
                    assert result.structured_content is None
                    [block] = result.content
                    replies.append(json.loads(block.text))  # pyright: ignore[reportAttributeAccessIssue]

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(prompt)
                    await answer(await person.requests.get(await card(person, thread, number=number)))
    allowed, denied, noted_reply, declined = replies
    assert allowed == {"behavior": "allow", "updatedInput": {"to": "a"}}
    assert (denied["behavior"], "Their note: no" in denied["message"]) == ("deny", True)
    answers = {"Which store?": "SQLite", "Which parts?": "C"}
    assert noted_reply == {"behavior": "allow", "updatedInput": {**request_members, "answers": answers}}
    assert (declined["behavior"], "will not answer" in declined["message"]) == ("deny", True)
