"""iHub's `ask_user`: checked answers, refused bodies, and unusual arguments of models."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from askback.compat.ihub import tool
from askback.compat.ihub.people import field_of
from tests.compat.ihub_chat import CHAT, PICK, answer, call, pending
from tests.requirements import requirement
from tests.transports.conftest import Api, api

__all__ = ["api"]

pytestmark = pytest.mark.anyio


COUNT = {
    "question": "How many?",
    "input_type": "number",
    "validation": {"min": 1, "max": 5, "message": "1 to 5!"},
}
CODE = {"question": "Code?", "validation": {"pattern": "^[A-Z]{3}$"}}
SEVERAL = {**PICK, "input_type": "multiselect"}
WRONG = [
    (PICK, {"value": "PDF"}, "value", "value_not_in_options"),
    (PICK, {}, "value", "missing_required"),
    (PICK, {"value": ["pdf"]}, "value", "wrong_type"),
    (PICK, {"skipped": True}, "skipped", "skip_not_allowed"),
    (PICK, {"skipped": "true"}, "skipped", "wrong_type"),
    (PICK, {"value": "pdf", "more": 1}, "more", "unknown_field"),
    (PICK, {"other": "LaTeX"}, "other", "other_not_allowed"),
    ({**PICK, "allow_other": True}, {"other": " "}, "other", "empty"),
    ({**PICK, "allow_other": True}, {"other": 5}, "other", "wrong_type"),
    ({**PICK, "allow_other": True}, {"other": "x", "value": "pdf"}, "other", "contradiction"),
    ({**PICK, "allow_other": True}, {"other": "x" * 10_001}, "other", "too_long"),
    ({**SEVERAL, "allow_other": True}, {"other": "x", "value": "pdf"}, "value", "wrong_type"),
    ({**SEVERAL, "allow_other": True}, {"other": "x\x00"}, "other", "control_chars"),
    ({**PICK, "allow_skip": True}, {"value": "pdf", "skipped": True}, "skipped", "contradiction"),
    (SEVERAL, {"value": []}, "value", "too_few"),
    (SEVERAL, {"value": ["pdf", "pdf"]}, "value", "duplicate_selection"),
    (SEVERAL, {"value": ["pdf", 1]}, "value[1]", "wrong_type"),
    (SEVERAL, {"value": "pdf"}, "value", "wrong_type"),
    (COUNT, {"value": 0}, "value", "below_min"),
    (COUNT, {"value": 6}, "value", "above_max"),
    (COUNT, {"value": "0x10"}, "value", "wrong_type"),
    (COUNT, {"value": "3"}, "value", "wrong_type"),
    (COUNT, {"value": []}, "value", "required_missing"),
    (PICK, {"value": []}, "value", "required_missing"),
    ({"question": "When?", "input_type": "date"}, {"value": "20/11/2026"}, "value", "invalid_date"),
    (CODE, {"value": "abc"}, "value", "pattern_mismatch"),
    (CODE, {"value": "ABC\n"}, "value", "pattern_mismatch"),
    (CODE, {"value": ""}, "value", "required_missing"),
    ({"question": "Go?", "input_type": "confirm"}, {"value": "maybe"}, "value", "value_not_in_options"),
]  # fmt: skip


def places(faults: Any) -> list[tuple[str, str]]:
    """Return the path and the code of each fault of a refusal."""
    assert (faults.status_code, faults.json()["code"]) == (422, "invalid"), faults.text
    return [(detail["path"], detail["code"]) for detail in faults.json()["details"]]


@requirement("D15", "D16", "D17", "D18")
@pytest.mark.parametrize(("question", "reply_body", "path", "code"), WRONG)
async def test_a_wrong_answer_is_refused_and_the_question_stays(
    api: Api, question: dict[str, Any], reply_body: dict[str, Any], path: str, code: str
) -> None:
    await call(api, question)
    refusal = await answer(api, **reply_body)
    assert places(refusal) == [(path, code)]
    assert refusal.json()["error"] == refusal.json()["details"][0]["message"]
    assert len(await pending(api)) == 1


RIGHT = [
    (PICK, {"value": "pdf"}, "pdf", "pdf"),
    ({**PICK, "allow_other": True}, {"other": "LaTeX"}, "LaTeX", "LaTeX"),
    ({**PICK, "allow_other": True}, {"value": "LaTeX"}, "LaTeX", "LaTeX"),
    (SEVERAL, {"value": ["docx", "pdf"]}, ["pdf", "docx"], "pdf,docx"),
    ({**SEVERAL, "allow_other": True}, {"value": ["pdf"], "other": "LaTeX"}, ["pdf", "LaTeX"], "pdf,LaTeX"),
    (COUNT, {"value": 3}, 3, "3"),
    ({"question": "Price?", "input_type": "number"}, {"value": 2.5}, 2.5, "2.5"),
    ({"question": "Go?", "input_type": "confirm"}, {"value": "Yes"}, "Yes", "Yes"),
    ({"question": "Go?", "input_type": "confirm"}, {"value": False}, "No", "No"),
    ({"question": "When?", "input_type": "date"}, {"value": "2026-11-20"}, "2026-11-20", "2026-11-20"),
    ({"question": "Why?"}, {"value": "a\nb"}, "a\nb", "a\nb"),
    (CODE, {"value": "ABC", "answered": True, "displayText": "ABC", "skipped": False}, "ABC", "ABC"),
    ({**PICK, "validation": {"pattern": "^x$", "min": 9}}, {"value": "pdf"}, "pdf", "pdf"),
    ({**PICK, "allow_skip": True}, {"value": None, "skipped": True}, None, "[Skipped]"),
    ({**PICK, "allow_skip": True}, {"value": "", "skipped": True}, None, "[Skipped]"),
    ({**SEVERAL, "allow_skip": True}, {"value": [], "skipped": True}, None, "[Skipped]"),
]  # fmt: skip


async def test_a_question_with_options_of_a_source_is_not_shown() -> None:
    field = {"id": "answer", "type": "select", "options": []}
    assert field_of({"form": {"fields": [field]}}) == field
    assert field_of({"form": {"fields": [{**field, "options_from": {"source": "repositories"}}]}}) is None


@requirement("D7", "D16", "D17", "D18")
@pytest.mark.parametrize(("question", "reply_body", "value", "content"), RIGHT)
async def test_an_answer_is_the_next_message_with_its_typed_value(
    api: Api, question: dict[str, Any], reply_body: dict[str, Any], value: Any, content: str
) -> None:
    await call(api, question)
    taken = await answer(api, **reply_body)
    assert (taken.status_code, taken.json()) == (200, {"status": "streaming", "chatId": "c1"})
    read = await (await api.as_("requester")).get(f"{CHAT}/messages")
    response = {"questionId": "call_1", "value": value, "skipped": content == "[Skipped]"}
    assert read.json() == {
        "messages": [{"role": "user", "content": content, "clarificationResponse": response}]
    }
    thread = (await (await api.as_("requester")).get("/v1/threads/c1")).json()
    [message] = thread["messages"]
    assert (message["role"], message["request_id"]) == ("user", thread["requests"][0]["id"])


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ([], "", "wrong_type"),
        ({}, "tool_calls", "missing_required"),
        ({"tool_calls": []}, "tool_calls", "empty"),
        ({"tool_calls": {}}, "tool_calls", "wrong_type"),
        ({"tool_calls": [1]}, "tool_calls[0]", "wrong_type"),
        ({"tool_calls": [{"id": "a"}]}, "tool_calls[0].function", "missing_required"),
        (
            {"tool_calls": [{"id": "a", "type": "function", "function": {}}]},
            "tool_calls[0].function.name",
            "missing_required",
        ),
        (
            {"tool_calls": [{"id": "a", "type": "function", "function": {"name": 5}}]},
            "tool_calls[0].function.name",
            "wrong_type",
        ),
        ({"tool_calls": [{"function": {"name": "ask_user"}}]}, "tool_calls[0].id", "missing_required"),
        ({"tool_calls": [{"id": "", "function": {"name": "a"}}]}, "tool_calls[0].id", "empty"),
        ({"tool_calls": [{"id": 5, "function": {"name": "a"}}]}, "tool_calls[0].id", "wrong_type"),
        ({"tool_calls": [{"id": "a", "function": {"name": "a"}}] * 2}, "tool_calls[1].id", "duplicate_id"),
        ({"tool_calls": [{"id": "a", "function": {"name": "a"}}] * 101}, "tool_calls", "too_many"),
        ({"tool_calls": [{"id": "a", "function": {"name": "a"}}], "tools": 5}, "tools", "wrong_type"),
        (
            {"tool_calls": [{"id": "x" * 201, "function": {"name": "ask_user", "arguments": PICK}}]},
            "tool_calls[0].id",
            "too_long",
        ),
        (
            {
                "tool_calls": [
                    {"id": "a", "function": {"name": "search"}},
                    {"id": "b\x00", "function": {"name": "ask_user", "arguments": PICK}},
                ]
            },
            "tool_calls[1].id",
            "control_chars",
        ),
    ],
)
async def test_a_bad_batch_is_refused_as_a_whole(api: Api, body: Any, path: str, code: str) -> None:
    refusal = await (await api.as_("requester")).post(f"{CHAT}/tool-calls", json=body)
    assert places(refusal) == [(path, code)]


@pytest.mark.parametrize(
    ("body", "path", "code"),
    [
        ([], "", "wrong_type"),
        ({}, "messages", "missing_required"),
        ({"messages": []}, "messages", "empty"),
        ({"messages": "hi"}, "messages", "wrong_type"),
        ({"messages": [5]}, "messages[0]", "wrong_type"),
        ({"messages": [{"role": "assistant", "content": "hi"}]}, "messages[0].role", "unknown_value"),
        ({"messages": [{"role": "user"}]}, "messages[0].content", "missing_required"),
        ({"messages": [{"role": "user", "content": ["hi"]}]}, "messages[0].content", "wrong_type"),
        ({"messages": [{"role": "user", "content": "hi", "messageId": 5}]}, "messages[0].messageId", "wrong_type"),
        ({"messages": [{"content": "x", "clarificationResponse": 5}]}, "messages[0].clarificationResponse", "wrong_type"),
        ({"messages": [{"content": "x", "clarificationResponse": {}}]}, "questionId", "missing_required"),
        ({"messages": [{"content": "x"}], "params": {"clarificationResponse": {"questionId": 1}}}, "questionId", "wrong_type"),
        ({"messages": [{"content": "x"}], "params": {"clarificationResponse": 5}}, "params.clarificationResponse", "wrong_type"),
    ],
)  # fmt: skip
async def test_a_bad_message_is_refused(api: Api, body: Any, path: str, code: str) -> None:
    refusal = await (await api.as_("responder")).post(CHAT, json=body)
    assert places(refusal) == [(path, code)]


@requirement("D19")
async def test_a_tool_that_requires_user_input_pauses_the_turn_as_well(api: Api) -> None:
    calls = [
        {"id": "a", "function": {"name": "search", "arguments": "{}"}},
        {"id": "b", "function": {"name": "pick_colour", "arguments": json.dumps(PICK)}},
    ]
    agent = await api.as_("requester")
    body: dict[str, Any] = {"tool_calls": calls, "tools": [{"id": "pick_colour", "requiresUserInput": True}]}
    messages = (await agent.post(f"{CHAT}/tool-calls", json=body)).json()["messages"]
    contents = [json.loads(message["content"]) for message in messages]
    assert (contents[0]["message"], contents[1]["status"]) == (
        "not run: waiting for user",
        "awaiting_user_response",
    )
    none = (await agent.post(f"{CHAT}/tool-calls", json={"tool_calls": calls})).json()["messages"]
    assert {json.loads(item["content"])["status"] for item in none} == {"not_run"}


@requirement("D1", "D22")
async def test_the_record_of_the_tool_is_there_in_both_languages(api: Api) -> None:
    agent = await api.as_("requester")
    assert (await agent.get("/compat/ihub/api/tools")).json() == [tool()]
    record = (await agent.get("/compat/ihub/api/tools", params={"language": "de-AT"})).json()[0]
    assert record == tool("de") != tool("en")
    assert record["name"] == "Benutzer um Klärung bitten"
    assert (record["id"], record["script"], record["requiresUserInput"]) == ("ask_user", "askUser.js", True)
    parameters = record["parameters"]["properties"]
    limits = {name: schema.get("maxLength") for name, schema in parameters.items() if "maxLength" in schema}
    assert limits == {"question": 500, "placeholder": 200, "context": 500}
    assert parameters["validation"]["properties"]["pattern"]["maxLength"] == 200
    assert parameters["options"]["items"]["properties"]["value"]["maxLength"] == 100
    assert (parameters["options"]["maxItems"], parameters["input_type"]["default"]) == (20, "text")


@requirement("D22")
async def test_refusals_of_an_answer_are_in_the_language_of_the_person(api: Api) -> None:
    await call(api, {"question": "Why?"})
    sent = {"role": "user", "content": "", "clarificationResponse": {"questionId": "call_1", "skipped": True}}
    person = await api.as_("responder", **{"Accept-Language": "de"})
    assert "überspr" in (await person.post(CHAT, json={"messages": [sent]})).json()["error"].lower()


@requirement("D9")
async def test_a_withdrawn_question_does_not_count_if_so_configured(api: Api) -> None:
    agent, admin = await api.as_("requester"), await api.as_("admin")
    assert (await admin.post("/v1/policy", json={"refund_questions": True})).status_code == 200
    for n in range(10):
        await call(api, PICK, id_=f"call_{n}")
    assert (await call(api, PICK, id_="call_10"))[0]["code"] == "CLARIFICATION_LIMIT_REACHED"
    last = (await pending(api))[0]["id"]
    assert (await agent.post(f"/v1/requests/{last}/cancel", json={})).status_code == 200
    assert (await call(api, PICK, id_="call_10"))[0]["clarificationNumber"] == 10
    own = {"question_limits": [{"tool": "ask_user", "max": 11, "text": "Eleven."}]}
    assert (await admin.post("/v1/policy", json=own)).status_code == 200
    assert (await call(api, PICK, id_="call_11"))[0]["clarificationNumber"] == 11
    assert (await call(api, PICK, id_="call_12"))[0]["message"] == "Eleven."


async def test_a_question_that_was_dismissed_can_be_asked_again(api: Api) -> None:
    person = await api.as_("responder")
    for n in range(2):
        await call(api, PICK, id_=f"call_{n}")
        [open_one] = await pending(api)
        assert open_one["tool_call_id"] == f"call_{n}"
        url = f"/v1/requests/{open_one['id']}/decline"
        assert (await person.post(url, json={"reason": "dismissed"})).status_code == 200
    messages = (await (await api.as_("requester")).get(f"{CHAT}/messages")).json()["messages"]
    assert [(message["content"], message["clarificationResponse"]["skipped"]) for message in messages] == [
        ("[Skipped]", True)
    ] * 2


@pytest.mark.parametrize("further_members", [{"params": {}}, {}])
async def test_an_answer_may_stand_in_the_parameters_as_the_page_sends_them(
    api: Api, further_members: dict[str, Any]
) -> None:
    await call(api, PICK)
    response_body = {"clarificationResponse": {"questionId": "call_1", "value": "pdf", "skipped": False}}
    body = {
        "messages": [{"role": "user", "content": "pdf"}],
        **({"params": response_body} if further_members else response_body),
    }
    taken = await (await api.as_("responder")).post(CHAT.replace("/api", "/camel/api"), json=body)
    assert taken.status_code == 200, taken.text
    assert await pending(api) == []


async def test_roles_and_chats_are_separate(api: Api) -> None:
    agent, person = await api.as_("requester"), await api.as_("responder")
    for refused_reply in (
        await person.post(f"{CHAT}/tool-calls", json={}),
        await person.get(f"{CHAT}/messages"),
        await agent.post(CHAT, json={}),
        await agent.get(CHAT),
    ):
        assert (refused_reply.status_code, refused_reply.json()["code"]) == (403, "forbidden")
    await call(api, PICK)
    [request] = await pending(api)
    for question in ("call_2", request["id"]):
        sent = {"clarificationResponse": {"questionId": question, "value": "pdf"}}
        other_reply = await person.post(CHAT.replace("c1", "c2"), json={"messages": [sent]})
        assert other_reply.status_code == 404
    assert (await answer(api, request["id"], value="pdf")).status_code == 200
    assert (await answer(api, request["id"], value="docx")).status_code == 409


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["question", "input_type", "options", "label", "value", "validation", "min", "max", "pattern", "message",
             "placeholder", "context", "allow_skip", "allow_other", "id", "function", "name", "arguments",
             "questionId", "skipped", "other", "role", "content", "messageId", "clarificationResponse"]
        ),
        inner, max_size=6,
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=JSON, reply_body=JSON, kind=st.sampled_from(["text", "select", "number", "date", "confirm"]))
async def test_every_body_is_a_question_or_a_refusal(
    api: Api, arguments: Any, reply_body: Any, kind: str
) -> None:
    agent, person = await api.as_("requester"), await api.as_("responder")
    likely: Any = {"question": "Q?", "input_type": kind, **(arguments if isinstance(arguments, dict) else {})}
    for item in (arguments, likely, json.dumps(likely)):
        function = {"name": "ask_user", "arguments": item}
        body = json.dumps({"tool_calls": [{"id": "call_1", "function": function}]})
        reply = await agent.post(f"{CHAT}/tool-calls", content=body)
        assert reply.status_code in {200, 422, 429}, reply.text
    bodies = [
        {"messages": [reply_body]},
        {
            "messages": [
                {
                    "content": reply_body,
                    "clarificationResponse": {"questionId": "call_1", "value": reply_body},
                }
            ]
        },
    ]
    for message in bodies:
        reply = await person.post(CHAT, content=json.dumps(message))
        assert reply.status_code in {200, 404, 409, 422}, reply.text
