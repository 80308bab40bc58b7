"""Group E: a sensitive field of an ordinary form keeps its value as a secret, and the agent gets a reference."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from tests.journeys.people import Person, Team, faults, leased_values, refusal, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


def field(name: str, kind: str = "text", **extra: Any) -> dict[str, Any]:
    """A field of a form."""
    return {"id": name, "type": kind, "label": name, **extra}


def form(*fields: dict[str, Any], **extra: Any) -> dict[str, Any]:
    """A form with an open text field, and the fields that are given."""
    return {"fields": [field("user"), *fields], **extra}


PIN = field("pin", sensitive=True, required=True)


@requirement("E22")
async def test_the_agent_gets_the_text_and_a_reference_in_the_place_of_the_secret(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, form(PIN)))
    settled_request = (await team.ada.answer(request["id"], {"user": "eva", "pin": "4711-canary"})).json()
    ref = settled_request["answer"]["values"]["pin"]["ref"]
    assert ref.startswith("sec_")
    assert settled_request["answer"]["values"] == {"user": "eva", "pin": {"set": True, "ref": ref}}
    assert await team.agent.get(request["id"]) == settled_request
    events = [event async for event in team.bob.events(thread, until=2)]
    assert events[1]["request"]["answer"] == settled_request["answer"]
    assert "4711-canary" not in str(events)
    assert leased_values(await team.agent.lease(thread, refs=[ref])) == {ref: "4711-canary"}


@requirement("E22")
async def test_a_reference_is_valid_only_for_the_asking_agent_in_its_thread(
    server: Any, team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, form(PIN)))
    settled_request = (await team.ada.answer(request["id"], {"pin": "4711"})).json()
    ref = settled_request["answer"]["values"]["pin"]["ref"]
    assert refusal(await team.agent.lease(f"{thread}-2", refs=[ref])) == (404, "not_granted")
    assert refusal(await team.ada.lease(thread, refs=[ref])) == (403, "forbidden")
    reply = await team.admin.http.post("/v1/tokens", json={"role": "requester", "name": "other"})
    async with Person(server.url, reply.json()["token"]) as other_person:
        assert refusal(await other_person.lease(thread, refs=[ref])) == (404, "not_granted")
    async with server.person("requester@acme") as stranger:
        assert refusal(await stranger.lease(thread, refs=[ref])) == (404, "not_granted")


@requirement("E22", "E19")
async def test_a_value_of_a_sensitive_field_is_not_listed_as_a_secret(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, form(field("A_KEY", sensitive=True))))
    assert (await team.ada.answer(request["id"], {"A_KEY": "4711"})).status_code == 200
    assert await team.ada.list_secrets() == []
    assert refusal(await team.agent.lease(thread, "A_KEY")) == (404, "not_granted")
    assert request_of(await team.agent.need(thread, "A_KEY"))["secret"]["present"] == {}


@requirement("E22")
async def test_two_answers_to_the_same_field_are_two_secrets(team: Team, thread: str) -> None:
    findings = []
    for value in ("first", "second"):
        request = request_of(await team.agent.ask(thread, form(PIN)))
        settled_request = (await team.ada.answer(request["id"], {"pin": value})).json()
        findings.append(settled_request["answer"]["values"]["pin"]["ref"])
    assert leased_values(await team.agent.lease(thread, refs=findings)) == dict(
        zip(findings, ("first", "second"), strict=True)
    )


VALUES: dict[str, tuple[dict[str, Any], Any, str]] = {
    "text": ({}, " canary ", " canary "),
    "textarea": ({}, "one\ntwo", "one\ntwo"),
    "number": ({}, 4711.5, "4711.5"),
    "select": ({"options": ["red", "blue"]}, "red", "red"),
    "radio": ({"options": ["red", "blue"]}, "blue", "blue"),
    "multiselect": ({"options": ["red", "blue"]}, ["blue", "red"], '["red", "blue"]'),
    "boolean": ({}, True, "true"),
    "checkbox": ({}, True, "true"),
    "date": ({}, "2026-11-21", "2026-11-21"),
    "time": ({}, "07:30", "07:30"),
    "datetime": ({}, "2026-11-21T07:30:00Z", "2026-11-21T07:30:00Z"),
}


@requirement("E22")
async def test_a_sensitive_field_of_any_type_is_kept_as_text(team: Team, thread: str) -> None:
    fields = [field(kind, kind, sensitive=True, **more) for kind, (more, _, _) in VALUES.items()]
    request = request_of(await team.agent.ask(thread, {"fields": fields}))
    reply = await team.ada.answer(request["id"], {kind: value for kind, (_, value, _) in VALUES.items()})
    assert reply.status_code == 200, reply.text
    references = {kind: given["ref"] for kind, given in reply.json()["answer"]["values"].items()}
    values = leased_values(await team.agent.lease(thread, refs=list(references.values())))
    assert {kind: values[ref] for kind, ref in references.items()} == {
        kind: stored_text for kind, (_, _, stored_text) in VALUES.items()
    }


@requirement("E22")
@pytest.mark.parametrize(
    ("more", "value", "code"),
    [
        ({"max_length": 4}, "canary-4711", "too_long"),
        ({"min_length": 99}, "canary-4711", "too_short"),
        ({"pattern": "[0-9]+", "pattern_message": "Digits, please."}, "canary-4711", "pattern_mismatch"),
        ({"type": "number", "min": 5_000}, 4711, "below_min"),
        ({"type": "number", "max": 5}, 4711, "above_max"),
        ({"type": "number", "step": 2}, 4711, "step_mismatch"),
        ({"type": "number"}, "canary-4711", "wrong_type"),
        ({"type": "select", "options": ["red"]}, "canary-4711", "value_not_in_options"),
        ({"type": "multiselect", "options": ["red"]}, ["canary-4711"], "value_not_in_options"),
        ({"type": "date"}, "canary-4711", "invalid_date"),
        ({"type": "date", "max": "2000-01-01"}, "4711-01-01", "above_max"),
        ({}, ["canary-4711"], "wrong_type"),
        ({}, {"canary-4711": "canary-4711"}, "wrong_type"),
        ({}, "canary-4711\0", "control_chars"),
    ],
)  # fmt: skip
async def test_a_value_that_breaks_the_rules_of_its_field_is_refused_by_its_path_alone(
    team: Team, thread: str, more: dict[str, Any], value: Any, code: str
) -> None:
    asked_for = {**field("pin", sensitive=True, required=True), **more}
    request = request_of(await team.agent.ask(thread, form(asked_for)))
    refused_reply = await team.ada.answer(request["id"], {"user": "eva", "pin": value})
    fault = faults(refused_reply)
    assert [(path.partition("[")[0], item) for path, item in fault] == [("values.pin", code)]
    assert "4711" not in refused_reply.text
    assert await team.ada.get(request["id"]) == request


@requirement("E22")
async def test_a_fault_elsewhere_keeps_nothing_of_the_sensitive_field(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, form(PIN, field("age", "number", required=True))))
    for values, found in (
        ({"pin": "canary-4711"}, [("values.age", "required_missing")]),
        ({"pin": "canary-4711", "age": "old"}, [("values.age", "wrong_type")]),
        ({"pin": "canary-4711", "age": 5, "more": "x"}, [("values", "unknown_field")]),
        ({"pin": "4711 canary", "canary-4711": "", "age": 5}, [("values", "unknown_field")]),
    ):
        refused_reply = await team.ada.answer(request["id"], values)
        assert faults(refused_reply) == found
        assert "4711" not in refused_reply.text
    assert faults(await team.ada.answer(request["id"], {"age": 5})) == [("values.pin", "required_missing")]
    assert await team.ada.get(request["id"]) == request


@requirement("E22")
@pytest.mark.parametrize("skipped", [0, "", {}, False])
async def test_an_invalid_list_of_skipped_questions_is_refused(team: Team, thread: str, skipped: Any) -> None:
    request = request_of(await team.agent.ask(thread, form({**PIN, "required": False})))
    body = {"revision": 1, "values": {}, "skipped": skipped}
    refused_reply = await team.ada.http.post(f"/v1/requests/{request['id']}/answer", json=body)
    assert faults(refused_reply) == [("skipped", "wrong_type")]


@requirement("E22")
async def test_an_open_field_that_is_left_empty_is_left_out(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, form(field("pin", sensitive=True))))
    settled_request = (await team.ada.answer(request["id"], {"user": "eva", "pin": ""})).json()
    assert settled_request["answer"]["values"] == {"user": "eva"}


@requirement("E22")
@pytest.mark.parametrize("more", [{"default": "4711"}, {"default": ""}])
async def test_a_sensitive_field_takes_no_default(team: Team, thread: str, more: dict[str, Any]) -> None:
    refused_reply = await team.agent.ask(thread, form({**PIN, **more}))
    assert faults(refused_reply) == [("form.fields[1].default", "default_of_sensitive")]
    refused_reply = await team.agent.ask(thread, form(PIN, initial_values={"pin": "4711"}))
    assert ("form.initial_values.pin", "default_of_sensitive") in faults(refused_reply)


@requirement("E22", "G2")
async def test_the_websocket_takes_no_answer_to_a_form_with_a_sensitive_field(
    team: Team, thread: str
) -> None:
    request = request_of(await team.agent.ask(thread, form(PIN)))
    body = {"revision": 1, "values": {"pin": "4711"}}
    refused_frame = await team.ada.frame(op="answer_request", request_id=request["id"], body=body)
    assert (refused_frame["error"]["status"], refused_frame["error"]["code"]) == (409, "http_only")
    assert await team.ada.get(request["id"]) == request


@requirement("E22", "H4")
async def test_one_of_many_concurrent_answers_is_stored(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, form(PIN)))
    replies: list[Any] = []

    async def answer(person: Person, n: int) -> None:
        replies.append((await person.answer(request["id"], {"user": f"u{n}", "pin": f"pin {n}"}), n))

    async with anyio.create_task_group() as hands:
        for n in range(9):
            hands.start_soon(answer, (team.ada, team.bob, team.carol)[n % 3], n)
    assert sorted(reply.status_code for reply, _ in replies) == [200] + [409] * 8
    [(won, n)] = [(reply.json(), n) for reply, n in replies if reply.status_code == 200]
    values = won["answer"]["values"]
    assert values["user"] == f"u{n}"
    assert set(leased_values(await team.agent.lease(thread, refs=[values["pin"]["ref"]])).values()) == {
        f"pin {n}"
    }


@requirement("E22", "M4")
async def test_an_answer_sent_again_with_its_key_is_kept_once(team: Team, thread: str) -> None:
    request = request_of(await team.agent.ask(thread, form(PIN)))
    values = {"user": "eva", "pin": "4711"}
    first_reply, second_reply = [await team.ada.answer(request["id"], values, key="k1") for _ in range(2)]
    assert (first_reply.status_code, second_reply.status_code) == (200, 200)
    assert second_reply.json() == {**first_reply.json(), "submission": "accepted"}
    other_reply = await team.ada.answer(request["id"], {"user": "adam", "pin": "4711"}, key="k1")
    assert refusal(other_reply) == (422, "idempotency_mismatch")
