"""Groups A, C, D, F, L and M: some 1,700 bad calls are refused with their paths and codes; valid ones are not.

The cases are in `vectors/native_bad_inputs.json`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any

import pytest

from tests.journeys.people import Person
from tests.requirements import requirement
from tests.vectors.cases import VECTORS, expand

pytestmark = pytest.mark.anyio

CASES: dict[str, list[dict[str, Any]]] = json.loads((VECTORS / "native_bad_inputs.json").read_text("utf-8"))
TEXT = {"id": "q", "type": "text", "label": "Q"}
MESSAGE = {"content": [{"type": "text", "text": "Hi"}]}
PLACES = {
    "form.fields[0]": lambda field: {"fields": [field]},
    "form.sections[0].fields[0]": lambda field: {"sections": [{"id": "s", "fields": [field]}]},
}
Faults = list[tuple[str, str]]


def cases_for_place(place: str, cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cases for a place: all for a plain form, and one with each code for a section, which only adds to the path."""
    if place == "form.fields[0]":
        return cases
    return list({str([code for _, code in case["faults"]]): case for case in cases}.values())


@asynccontextmanager
async def agent(server: Any) -> AsyncIterator[Person]:
    """Connect as an agent, with plain HTTP."""
    async with server.person("requester") as person:
        yield person


def text_of(case: dict[str, Any]) -> bytes:
    """Return the body of a case with a text or bytes."""
    if "raw_hex" in case:
        return bytes.fromhex(case["raw_hex"])
    raw = case["raw"]
    parts = raw["$join"] if isinstance(raw, dict) and "$join" in raw else [raw]
    return "".join(expand(parts)).encode()


def body_of(case: dict[str, Any], usual: dict[str, Any]) -> bytes:
    """Return the body of a call, which changes the usual one."""
    if "body" not in case:
        return text_of(case)
    changes = dict(case["body"])
    dropped = changes.pop("$drop", [])
    body = {**usual, **expand(changes)}
    return json.dumps({key: value for key, value in body.items() if key not in dropped}).encode()


def usual_body(thread: str) -> dict[str, Any]:
    """Return the usual body of a call that asks."""
    return {"kind": "form", "thread_id": thread, "form": {"fields": [TEXT]}}


def faults_of_reply(reply: Any) -> Faults | str:
    """Return the faults of a refusal, or the other reply."""
    if reply.status_code != 422:
        return f"{reply.status_code} {reply.text[:200]}"
    error = reply.json()["error"]
    if error["code"] != "invalid" or not all(item["message"] for item in error["field_errors"]):
        return str(error)
    return sorted((item["path"], item["code"]) for item in error["field_errors"])


def expected_faults(case: dict[str, Any], prefix: str = "") -> Faults:
    """Return the expected faults of a case; a lone surrogate is found before any path is known."""
    return sorted(("" if code == "lone_surrogate" else prefix + path, code) for path, code in case["faults"])


async def is_unwritten(person: Person, thread: str) -> bool:
    """Return whether nothing was ever written to a thread."""
    snapshot = (await person.http.get(f"/v1/threads/{thread}")).json()
    return (snapshot["seq"], snapshot["requests"]) == (0, [])


def differences(cases: list[tuple[str, Any, Any]]) -> str:
    """Return the cases with unexpected faults."""
    return "\n".join(
        f"{shows}\n  meant {right}\n  found {got}" for shows, right, got in cases if right != got
    )


@requirement("A4", "A12", "D11", "D13", "F2", "F3", "M1", "M2")
@pytest.mark.parametrize("part_name", PLACES)
async def test_a_bad_field_is_refused_with_its_path_and_nothing_is_stored(
    server: Any, ada: Person, part_name: str
) -> None:
    thread, cases = f"bad-fields-{part_name[5]}", []
    async with agent(server) as asking:
        for case in cases_for_place(part_name, CASES["fields"]):
            reply = await asking.http.post(
                "/v1/requests",
                content=json.dumps(
                    {"kind": "form", "thread_id": thread, "form": PLACES[part_name](expand(case["field"]))}
                ),
            )
            cases.append((case["shows"], expected_faults(case, part_name), faults_of_reply(reply)))
    assert differences(cases) == ""
    assert await is_unwritten(ada, thread)


@requirement("A12", "D11", "F2", "F3", "L3", "L4", "M1", "M2")
async def test_a_bad_request_is_refused_with_every_path_and_nothing_is_stored(
    server: Any, ada: Person
) -> None:
    thread, cases = "bad-asks", []
    async with agent(server) as asking:
        for case in CASES["asks"]:
            reply = await asking.http.post("/v1/requests", content=body_of(case, usual_body(thread)))
            cases.append((case["shows"], expected_faults(case), faults_of_reply(reply)))
    assert differences(cases) == ""
    assert await is_unwritten(ada, thread)


@requirement("C16", "D14", "D15", "D16", "F4", "F7", "F8", "F9", "F10", "M1")
@pytest.mark.parametrize("part_name", PLACES)
async def test_a_bad_answer_is_refused_with_its_path_and_the_request_stays_open(
    server: Any, ada: Person, part_name: str
) -> None:
    thread, results, question_count = f"bad-answers-{part_name[5]}", [], 0
    for field, cases in groupby(cases_for_place(part_name, CASES["answers"]), key=lambda case: case["field"]):
        async with agent(server) as asking:
            request_id = (await asking.ask(thread, PLACES[part_name](field))).json()["id"]
        question_count += 1
        for case in cases:
            # Without other values an empty one would be an empty answer, which is another fault.
            reply = await ada.answer(request_id, {"q": expand(case["value"])})
            results.append((case["shows"], expected_faults(case, "values.q"), faults_of_reply(reply)))
    assert differences(results) == ""
    assert len(await ada.pending(thread)) == min(question_count, 50)
    snapshot = (await ada.http.get(f"/v1/threads/{thread}")).json()
    assert {request["status"] for request in snapshot["requests"]} == {"pending"}
    assert snapshot["seq"] == question_count


@requirement("C16", "D15", "F3", "F10", "M1", "M2")
async def test_a_bad_body_of_an_answer_is_refused_and_the_request_stays_open(
    server: Any, ada: Person, thread: str
) -> None:
    seen_items = []
    number = {"id": "n", "type": "number", "label": "N"}
    async with agent(server) as asking:
        form = {"fields": [{**TEXT, "required": True}, number]}
        request_id = (await asking.ask(thread, form)).json()["id"]
    for case in CASES["answer_bodies"]:
        content = json.dumps(case["body"]).encode() if "body" in case else text_of(case)
        reply = await ada.http.post(f"/v1/requests/{request_id}/answer", content=content)
        seen_items.append((case["shows"], expected_faults(case), faults_of_reply(reply)))
    assert differences(seen_items) == ""
    assert (await ada.get(request_id))["status"] == "pending"


@requirement("F1", "F3", "L3")
async def test_good_requests_beside_them_are_accepted(server: Any) -> None:
    async with agent(server) as asking:
        replies = {
            case["shows"]: await asking.http.post(
                "/v1/requests", content=body_of(case, usual_body("good-asks"))
            )
            for case in CASES["good_asks"]
        }
    assert {shows: r.text for shows, r in replies.items() if r.status_code != 201} == {}


@requirement("M1", "M2")
async def test_a_bad_message_is_refused_with_its_path_and_nothing_is_stored(
    server: Any, ada: Person, thread: str
) -> None:
    cases, url = [], f"/v1/threads/{thread}/messages"
    async with agent(server) as asking:
        for case in CASES["messages"]:
            reply = await asking.http.post(url, content=body_of(case, MESSAGE))
            cases.append((case["shows"], expected_faults(case), faults_of_reply(reply)))
    assert differences(cases) == ""
    assert await is_unwritten(ada, thread)


@requirement("M1", "M2")
async def test_a_bad_update_of_a_message_is_refused_with_its_path_and_changes_nothing(
    server: Any, ada: Person, thread: str
) -> None:
    cases, url = [], f"/v1/threads/{thread}/messages"
    call = {"type": "tool", "tool_call_id": "c", "name": "n", "status": "calling"}
    async with agent(server) as asking:
        assert (await asking.http.post(url, json={"id": "m1", "content": [call]})).status_code == 201
        for case in CASES["message_updates"]:
            body = body_of(case, {"tool_call_id": "c", "status": "done"})
            cases.append(
                (
                    case["shows"],
                    expected_faults(case),
                    faults_of_reply(await asking.http.patch(f"{url}/m1", content=body)),
                )
            )
    assert differences(cases) == ""
    snapshot = (await ada.http.get(f"/v1/threads/{thread}")).json()
    assert ([message["content"] for message in snapshot["messages"]], snapshot["seq"]) == ([[call]], 1)


@requirement("C17")
async def test_good_messages_beside_them_are_accepted(server: Any, thread: str) -> None:
    async with agent(server) as asking:
        replies = {
            case["shows"]: await asking.http.post(
                f"/v1/threads/{thread}/messages", content=body_of(case, MESSAGE)
            )
            for case in CASES["good_messages"]
        }
    assert {shows: r.text for shows, r in replies.items() if r.status_code != 201} == {}


@requirement("D15", "F1", "F9")
@pytest.mark.parametrize("part_name", PLACES)
async def test_good_answers_beside_them_are_accepted_and_come_back_typed(
    server: Any, ada: Person, thread: str, part_name: str
) -> None:
    seen_items = []
    for case in CASES["good_answers"]:
        id_ = case["field"]["id"]
        for value, stored_value in case["values"]:
            async with agent(server) as asking:
                asked_reply = await asking.ask(thread, PLACES[part_name](case["field"]))
            reply = await ada.answer(asked_reply.json()["id"], {id_: value})
            got = reply.json().get("answer", {}).get("values", reply.text)
            seen_items.append((json.dumps(case["field"]), {id_: stored_value}, got))
    assert differences(seen_items) == ""
