"""Promises of the questionnaire's document that the source's own code breaks."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from askback.transports.compat import api as events
from tests.compat.test_kcosr_refusals import ASK, FIELD, INTERACT, RESPONSE, page
from tests.requirements import requirement
from tests.transports.conftest import Api, api

__all__ = ["api"]

pytestmark = pytest.mark.anyio
EVERY_TYPE: dict[str, tuple[dict[str, Any], Any]] = {
    "text": ({"pattern": "[0-9]{3}"}, "123"),
    "textarea": ({}, "a\nb"),
    "number": ({"min": 0, "step": 5}, 10),
    "boolean": ({}, False),
    "select": ({"options": [{"label": "A", "value": "a"}]}, "a"),
    "multiselect": ({"options": [{"label": "A", "value": "a"}, {"label": "B, C", "value": "b"}]}, ["a", "b"]),
    "checkbox": ({}, True),
    "radio": ({"options": [{"label": "A", "value": "a"}]}, "a"),
    "date": ({}, "2026-02-28"),
    "time": ({}, "10:30"),
    "datetime": ({}, "2026-02-28T10:30"),
}
WRONG: list[tuple[str, Any, str]] = [
    ("text", "x123y", "Invalid format."),
    ("text", "123\n", "Remove the control characters."),
    ("number", 7, "Must be a multiple of 5."),
    ("multiselect", ["a", "a"], "Select each option only once."),
    ("multiselect", "a", "Select one or more options."),
    ("select", "A", "Select a valid option."),
    ("date", "not a date", "Enter a valid date/time value."),
    ("date", "2026-02-30", "Enter a valid date/time value."),
    ("time", "25:00", "Enter a valid date/time value."),
    ("datetime", "2026-02-28", "Enter a valid date/time value."),
    ("text", 5, "Enter a valid text value."),
    ("number", "5", "Enter a valid number."),
    ("boolean", "yes", "Select a valid option."),
    ("checkbox", 1, "Select a valid option."),
    ("text", [], "Enter a valid text value."),
    ("select", [], "Select a valid option."),
    ("radio", [], "Select a valid option."),
    ("date", [], "Enter a valid date/time value."),
]


async def create_request(api: Api, **body: Any) -> tuple[dict[str, Any], Any]:
    """Ask without waiting; returns the message that answers it, and what askback stores."""
    agent = await api.as_("requester")
    reply = await agent.post(f"{INTERACT}?wait=0", json={"type": "input", "toolCallId": "tc", **body})
    assert reply.status_code == 200, reply.text
    id_ = reply.json()["result"]["interactionId"]
    stored_request = (await agent.get(f"/v1/requests/{id_.partition('.')[0]}")).json()
    return {**RESPONSE, "interactionId": id_, "action": "submit"}, stored_request


@requirement("F1", "F6", "F7", "F8", "F9")
async def test_every_type_comes_back_typed_and_a_wrong_value_is_refused(api: Api) -> None:
    fields = [{**FIELD, "id": type_, "type": type_, **rules} for type_, (rules, _) in EVERY_TYPE.items()]
    socket = await page(api)
    frame, _ = await create_request(api, inputSchema={"title": "All", "fields": fields})
    shown_payload = [await socket.frame() for _ in range(2)][1]["event"]["payload"]
    assert shown_payload["inputSchema"] == {"title": "All", "fields": fields}
    for field, value, message in WRONG:
        socket.raw(json.dumps({**frame, "input": {field: value}}))
        second_payload = (await socket.frame())["event"]["payload"]
        assert (second_payload["fieldErrors"], second_payload["inputSchema"]["initialValues"]) == (
            {field: message},
            {field: value},
        )
    values = {type_: value for type_, (_, value) in EVERY_TYPE.items()}
    socket.raw(json.dumps({**frame, "input": values}))
    assert (await socket.frame())["event"]["payload"]["input"] == values
    await socket.leave()


@requirement("F5")
@pytest.mark.parametrize(
    ("values", "kept_values"),
    [
        ({"text": " \u2003\ufeff", "number": [], "checkbox": [], "multiselect": []}, {}),
        ({"text": "\u200b"}, {"text": "\u200b"}),
    ],
)
async def test_values_that_the_source_treats_as_empty_are_left_out_of_the_answers(
    api: Api, values: dict[str, Any], kept_values: dict[str, Any]
) -> None:
    fields = [
        {**FIELD, "id": type_, "type": type_, **EVERY_TYPE[type_][0], "pattern": ""}
        for type_ in (*values, "date")
    ]
    socket = await page(api)
    frame, _ = await create_request(api, inputSchema={"fields": fields})
    socket.raw(json.dumps({**frame, "input": values}))
    assert [(await socket.frame())["event"]["payload"] for _ in range(3)][2]["input"] == kept_values
    await socket.leave()


@requirement("F17", "F18", "P15")
async def test_sections_are_steps_an_optional_one_is_skipped_and_the_completed_view_is_kept(api: Api) -> None:
    sections = [
        {"id": "who", "title": "Who", "fields": [FIELD], "submitLabel": "Next"},
        {
            "id": "more",
            "optional": True,
            "fields": [{**FIELD, "id": "b", "required": True}, {**FIELD, "id": "c"}],
        },
    ]
    view = {"showInputs": False, "summaryTemplate": "It is {a}."}
    socket = await page(api)
    frame, stored = await create_request(api, inputSchema={"sections": sections}, completedView=view)
    form = stored["form"]
    assert (form["layout"], form["sections"][0]["submit_label"], form["sections"][1]["optional"]) == (
        "steps",
        "Next",
        True,
    )
    assert form["completed_view"] == {"show_inputs": False, "summary_template": "It is {a}."}
    shown_payload = [await socket.frame() for _ in range(2)][1]["event"]["payload"]
    assert (shown_payload["inputSchema"]["sections"], shown_payload["completedView"]) == (sections, view)
    socket.raw(json.dumps({**frame, "input": {"a": "x", "c": "partly"}}))
    assert (await socket.frame())["event"]["payload"]["fieldErrors"] == {"b": "This field is required."}
    socket.raw(json.dumps({**frame, "input": {"a": "x", "b": "", "c": ""}}))
    assert (await socket.frame())["event"]["payload"]["input"] == {"a": "x"}
    await socket.leave()


@requirement("F21", "P17")
async def test_the_first_of_a_submission_and_a_cancellation_counts(api: Api) -> None:
    first, second = await page(api), await page(api)
    agent = await api.as_("requester", **{"x-session-id": "s1"})
    for i in range(20):
        body = {"schema": {"fields": [{**FIELD, "label": f"A {i}"}]}}
        id_ = (await agent.post(ASK, json=body)).json()["result"]["questionnaireRequestId"]
        about = {"sessionId": "s1", "questionnaireRequestId": id_}
        for socket in (first, second):
            assert (await socket.frame())["event"]["chatEventType"] == "questionnaire_request"
        messages = [
            (first, {"type": "questionnaire_submit", **about, "answers": {"a": "x"}}),
            (second, {"type": "questionnaire_cancel", **about}),
        ]
        for socket, message in messages if i % 2 else reversed(messages):
            socket.raw(json.dumps(message))
        got = [[await socket.frame()] for socket in (first, second)]
        loser = next(i for i, frames in enumerate(got) if frames[0]["type"] == "error")
        got[loser].append(await (first, second)[loser].frame())
        [ended] = {frame["event"]["chatEventType"] for frames in got for frame in frames if "event" in frame}
        assert ended == ("questionnaire_update" if loser == 0 else "questionnaire_submission")
        status = (await agent.get(f"/v1/requests/{id_}")).json()["status"]
        assert status == ("declined" if loser == 0 else "answered")
    await asyncio.gather(first.leave(), second.leave())


async def test_two_questionnaires_of_one_tool_call_are_both_shown_in_order(api: Api) -> None:
    agent = await api.as_("requester", **{"x-session-id": "s1", "x-tool-call-id": "tc"})
    ids = []
    for label in ("A", "B", "A"):
        reply = await agent.post(ASK, json={"schema": {"fields": [{**FIELD, "label": label}]}})
        ids.append(reply.json()["result"]["questionnaireRequestId"])
    assert (ids[0] == ids[2], ids[0] == ids[1]) == (True, False)
    events = "/compat/kcosr/api/plugins/sessions/operations/events"
    loaded = await (await api.as_("responder")).post(events, json={"sessionId": "s1"})
    request_ids = [event["payload"]["questionnaireRequestId"] for event in loaded.json()["result"]["events"]]
    assert request_ids == ids[:2]


async def test_an_invalid_cursor_returns_the_whole_transcript(api: Api) -> None:
    agent = await api.as_("requester", **{"x-session-id": "s1"})
    await agent.post(ASK, json={"schema": {"fields": [FIELD]}, "prompt": " Hello "})
    path = "/compat/kcosr/api/plugins/sessions/operations/events"
    person = await api.as_("responder")
    for cursor, reset in (
        ("0:0", False),
        (" 0:0 ", False),
        ("x", True),
        ("1:0", True),
        ("0:" + "9" * 5000, True),
    ):
        loaded = await person.post(path, json={"sessionId": "s1", "afterCursor": cursor})
        result = loaded.json()["result"]
        assert (result["reset"], len(result["events"]), result["nextCursor"]) == (reset, int(reset), "0:0")
    assert result["events"][0]["payload"]["prompt"] == "Hello"


async def test_a_form_that_a_questionnaire_cannot_ask_is_not_in_the_transcript(api: Api) -> None:
    agent, socket = await api.as_("requester"), await page(api)
    for field in ({"id": "f", "type": "file", "label": "F"}, {**FIELD, "sensitive": True}, FIELD):
        form = {"kind": "form", "thread_id": "s1", "form": {"fields": [field]}}
        assert (await agent.post("/v1/requests", json=form)).status_code in (201, 409)
    frames = [(await socket.frame())["event"] for _ in range(2)]
    assert [frame["chatEventType"] for frame in frames] == ["interaction_pending", "interaction_request"]
    assert frames[1]["payload"]["inputSchema"]["fields"] == [FIELD]
    await socket.leave()


async def test_an_odd_field_id_keeps_its_errors(api: Api) -> None:
    socket = await page(api)
    errors = {"a b": "Say more."}
    frame, _ = await create_request(api, inputSchema={"fields": [{**FIELD, "id": "a b"}]}, fieldErrors=errors)
    shown_payload = [await socket.frame() for _ in range(2)][1]["event"]["payload"]
    assert shown_payload["fieldErrors"] == errors
    socket.raw(json.dumps({**frame, "input": {"a b": 5}}))
    second_payload = (await socket.frame())["event"]["payload"]
    assert second_payload["fieldErrors"] == {"a b": "Enter a valid text value."}
    await socket.leave()


async def test_a_page_that_can_answer_again_is_counted_immediately_and_misses_nothing(api: Api) -> None:
    socket, agent = await page(api), await api.as_("requester")
    body = {"type": "input", "inputSchema": {"fields": [FIELD]}}
    for enabled, status in ((False, 503), (True, 200), (False, 503)):
        socket.raw(json.dumps({"type": "set_interaction_mode", "enabled": enabled}))
        socket.raw(json.dumps({"type": "ping"}))
        assert (await socket.frame())["type"] == "pong"
        assert (await agent.post(f"{INTERACT}?wait=0", json=body)).status_code == status
        event_names = [(await socket.frame())["event"] for _ in range(2)] if enabled else []
        assert [item["sequence"] for item in event_names] == ([0, 1] if enabled else [])
    await socket.leave()


async def test_a_page_that_is_too_far_behind_is_closed_so_that_it_subscribes_again(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "MAX_BEHIND", 3)
    socket, person = await page(api), await api.as_("responder")
    socket.reading.clear()
    for number in range(9):
        text = {"content": [{"type": "text", "text": f"{number}"}]}
        assert (await person.post("/v1/threads/s1/messages", json=text)).status_code == 201
    socket.reading.set()
    assert await socket.closed() == 1011
