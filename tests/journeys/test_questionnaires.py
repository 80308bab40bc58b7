"""Group F: questionnaires (S004), with every constraint on both sides."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.journeys.people import Person, faults
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

OPTIONS = ["a", "b", "c"]
ALL_TYPES: dict[str, tuple[dict[str, Any], Any]] = {
    "text": ({"type": "text"}, "hello"),
    "textarea": ({"type": "textarea"}, "two\nlines"),
    "number": ({"type": "number"}, 2.5),
    "boolean": ({"type": "boolean"}, False),
    "select": ({"type": "select", "options": OPTIONS}, "b"),
    "multiselect": ({"type": "multiselect", "options": OPTIONS}, ["a", "c"]),
    "checkbox": ({"type": "checkbox"}, True),
    "radio": ({"type": "radio", "options": OPTIONS}, "c"),
    "date": ({"type": "date"}, "2028-02-29"),
    "time": ({"type": "time"}, "09:30"),
    "datetime": ({"type": "datetime"}, "2026-11-20T09:30:00+01:00"),
}


async def ask(server: Any, thread: str, form: dict[str, Any], **extra: Any) -> Any:
    """Ask as an agent and return the reply."""
    async with server.person("requester") as agent:
        return await agent.ask(thread, form, **extra)


async def ask_one(server: Any, thread: str, field: dict[str, Any]) -> str:
    """Ask one field and return the request's id."""
    return (await ask(server, thread, {"fields": [{"id": "q", "label": "Q", **field}]})).json()["id"]


@requirement("F1")
async def test_all_eleven_types_come_back_typed(server: Any, ada: Person, thread: str) -> None:
    fields = [{"id": name, "label": name, **field} for name, (field, _) in ALL_TYPES.items()]
    request_id = (await ask(server, thread, {"fields": fields})).json()["id"]
    values = {name: value for name, (_, value) in ALL_TYPES.items()}
    assert (await ada.answer(request_id, values)).json()["answer"]["values"] == values


@requirement("F2")
@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (
            {"fields": [], "sections": []},
            [("form", "fields_and_sections")],
        ),
        ({"title": "Nothing"}, [("form", "no_fields")]),
        ({"fields": []}, [("form.fields", "no_fields")]),
        ({"sections": []}, [("form.sections", "no_fields")]),
    ],
)
async def test_a_form_has_fields_or_sections(
    server: Any, ada: Person, thread: str, form: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    fault = faults(await ask(server, thread, form))
    assert expected[0] in fault or (expected[0][1] in {code for _, code in fault})
    assert await ada.pending(thread) == []


@requirement("F3", "A4")
async def test_every_fault_of_a_form_is_reported_together(server: Any, ada: Person, thread: str) -> None:
    form = {
        "fields": [
            {"id": "a", "type": "text", "label": "A", "min_length": 5, "max_length": 2, "pattern": "["},
            {"id": "a", "type": "select", "label": "B", "options": ["x", "x"]},
            {"id": "n", "type": "number", "label": "N", "min": 9, "max": 1, "default": "three"},
            {"id": "z", "type": "slider", "label": "Z"},
        ]
    }
    codes = {code for _, code in faults(await ask(server, thread, form))}
    assert codes >= {"duplicate_id", "contradiction", "invalid_pattern", "duplicate_option", "unknown_type"}
    assert await ada.pending(thread) == []


@requirement("F4")
@pytest.mark.parametrize("kind", ["boolean", "checkbox"])
async def test_a_required_box_must_be_ticked(server: Any, ada: Person, thread: str, kind: str) -> None:
    request_id = await ask_one(server, thread, {"type": kind, "required": True})
    refusal = await ada.answer(request_id, {"q": False})
    assert faults(refusal) == [("values.q", "required_missing")]
    assert refusal.json()["error"]["field_errors"][0]["message"] == "This field is required."
    assert (await ada.answer(request_id, {"q": True})).status_code == 200


@requirement("F5")
@pytest.mark.parametrize("empty", ["", "   ", None])
async def test_an_empty_optional_field_is_left_out(server: Any, ada: Person, thread: str, empty: Any) -> None:
    form = {
        "fields": [
            {"id": "q", "type": "text", "label": "Q", "min_length": 3},
            {"id": "b", "type": "boolean", "label": "B"},
        ]
    }
    request_id = (await ask(server, thread, form)).json()["id"]
    assert (await ada.answer(request_id, {"q": empty, "b": False})).json()["answer"]["values"] == {"b": False}


@requirement("F6")
async def test_text_rules_speak_the_words_of_the_questionnaire(server: Any, ada: Person, thread: str) -> None:
    field = {"type": "text", "min_length": 2, "max_length": 4, "pattern": "[a-z]+"}
    request_id = await ask_one(server, thread, field)

    async def message(value: str) -> str:
        reply = await ada.answer(request_id, {"q": value})
        return reply.json()["error"]["field_errors"][0]["message"]

    assert await message("a") == "Must be at least 2 characters."
    assert await message("abcde") == "Must be at most 4 characters."
    assert await message("ABC") == "Invalid format."


@requirement("F7")
@pytest.mark.parametrize(
    ("value", "code"), [(7, "step_mismatch"), (-5, "below_min"), (105, "above_max"), ("5", "wrong_type")]
)
async def test_number_rules(server: Any, ada: Person, thread: str, value: Any, code: str) -> None:
    request_id = await ask_one(server, thread, {"type": "number", "min": 0, "max": 100, "step": 5})
    assert faults(await ada.answer(request_id, {"q": value})) == [("values.q", code)]
    assert (await ada.answer(request_id, {"q": 35})).status_code == 200


@requirement("F7")
@pytest.mark.parametrize("number", ["Infinity", "NaN", "-Infinity", "1e999"])
async def test_a_number_that_is_not_finite_is_refused(
    server: Any, ada: Person, thread: str, number: str
) -> None:
    request_id = await ask_one(server, thread, {"type": "number"})
    body = f'{{"revision":1,"values":{{"q":{number}}}}}'
    reply = await ada.http.post(f"/v1/requests/{request_id}/answer", content=body)
    assert [code for _, code in faults(reply)] == ["non_finite_number"]


@requirement("F8")
@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ({"type": "date", "min": "2026-01-01"}, "2025-12-31", "below_min"),
        ({"type": "date"}, "2026-02-30", "invalid_date"),
        ({"type": "time"}, "24:00", "invalid_time"),
        ({"type": "datetime"}, "2026-11-20T09:30:00", "invalid_datetime"),
        ({"type": "datetime"}, "2026-11-20T09:30[Mars/Olympus]", "invalid_datetime"),
    ],
)
async def test_moments_are_real_and_within_bounds(
    server: Any, ada: Person, thread: str, field: dict[str, Any], value: str, code: str
) -> None:
    request_id = await ask_one(server, thread, field)
    assert faults(await ada.answer(request_id, {"q": value})) == [("values.q", code)]


@requirement("F8")
async def test_a_moment_may_name_its_zone(server: Any, ada: Person, thread: str) -> None:
    request_id = await ask_one(server, thread, {"type": "datetime", "min": "2026-11-20T00:00:00Z"})
    value = "2026-11-20T09:30[Europe/Berlin]"
    assert (await ada.answer(request_id, {"q": value})).json()["answer"]["values"] == {"q": value}


@requirement("F9")
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["a", "a"], ("values.q[1]", "duplicate_selection")),
        (["zzz"], ("values.q[0]", "value_not_in_options")),
        (["a"], ("values.q", "too_few")),
        (["a", "b", "c"], ("values.q", "too_many")),
    ],
)
async def test_choices_are_known_unique_and_counted(
    server: Any, ada: Person, thread: str, values: list[str], expected: tuple[str, str]
) -> None:
    field = {"type": "multiselect", "options": OPTIONS, "min_choices": 2, "max_choices": 2}
    request_id = await ask_one(server, thread, field)
    assert expected in faults(await ada.answer(request_id, {"q": values}))


@requirement("F10")
async def test_a_value_that_was_not_asked_for_is_refused(server: Any, ada: Person, thread: str) -> None:
    request_id = await ask_one(server, thread, {"type": "text"})
    assert faults(await ada.answer(request_id, {"q": "x", "extra": 1})) == [("values.extra", "unknown_field")]
    assert "answer" not in await ada.get(request_id)


@requirement("F11")
async def test_the_server_checks_fields_that_the_page_skips(server: Any, ada: Person, thread: str) -> None:
    request_id = await ask_one(server, thread, {"type": "text", "min_length": 3, "validate_on_client": False})
    assert faults(await ada.answer(request_id, {"q": "x"})) == [("values.q", "too_short")]


@requirement("F12")
async def test_initial_values_and_defaults_both_reach_the_page(server: Any, ada: Person, thread: str) -> None:
    form = {
        "fields": [
            {"id": "a", "type": "text", "label": "A", "default": "from default"},
            {"id": "b", "type": "boolean", "label": "B", "default": True},
            {"id": "n", "type": "number", "label": "N", "default": 5},
        ],
        "initial_values": {"a": "from initial", "b": False, "n": 0},
    }
    await ask(server, thread, form)
    [request] = await ada.pending(thread)
    assert request["form"]["initial_values"] == {"a": "from initial", "b": False, "n": 0}
    assert request["form"]["fields"][0]["default"] == "from default"
    bad = await ask(server, thread, form | {"initial_values": {"n": "x", "ghost": 1}})
    assert faults(bad) == [
        ("form.initial_values.ghost", "unknown_field"),
        ("form.initial_values.n", "invalid_initial_value"),
    ]


@requirement("F18")
async def test_an_optional_section_is_all_or_nothing(server: Any, ada: Person, thread: str) -> None:
    form = {
        "sections": [
            {"id": "s1", "fields": [{"id": "name", "type": "text", "label": "Name", "required": True}]},
            {
                "id": "s2",
                "optional": True,
                "fields": [
                    {"id": "street", "type": "text", "label": "Street", "required": True},
                    {"id": "city", "type": "text", "label": "City", "required": True},
                ],
            },
        ]
    }
    partly = (await ask(server, thread, form)).json()["id"]
    assert faults(await ada.answer(partly, {"name": "Ada", "street": "X"})) == [
        ("values.city", "required_missing")
    ]
    skipped = await ada.answer(partly, {"name": "Ada", "street": "", "city": ""})
    assert skipped.json()["answer"]["values"] == {"name": "Ada"}


@requirement("F19", "I5")
async def test_labels_are_transmitted_unchanged(server: Any, thread: str) -> None:
    label = "<img src=x onerror=alert(1)>"
    form = {
        "submit_label": "<b>Go</b>",
        "cancel_label": "No",
        "fields": [{"id": "q", "type": "select", "label": label, "options": [label]}],
    }
    asked_form = (await ask(server, thread, form)).json()["form"]
    assert asked_form["submit_label"] == "<b>Go</b>"
    assert asked_form["fields"][0]["options"][0]["label"] == label


@requirement("F20")
async def test_a_dismissal_keeps_its_words_and_happens_once(server: Any, ada: Person, thread: str) -> None:
    request_id = await ask_one(server, thread, {"type": "text"})
    replies = [await ada.decline(request_id, "dismissed", note="later") for _ in range(5)]
    assert [reply.status_code for reply in replies] == [200, 409, 409, 409, 409]
    ended_request = await ada.get(request_id)
    assert (ended_request["status"], ended_request["reason"], ended_request["note"]) == (
        "declined",
        "dismissed",
        "later",
    )


@requirement("F21", "H4")
async def test_a_late_cancel_never_changes_an_answer(server: Any, ada: Person, thread: str) -> None:
    async with server.person("requester") as agent:
        for _ in range(40):
            request_id = await ask_one(server, thread, {"type": "text"})
            answer_reply, cancelled = await asyncio.gather(
                ada.answer(request_id, {"q": "x"}), agent.cancel(request_id)
            )
            assert sorted([answer_reply.status_code, cancelled.status_code]) == [200, 409]
            winner = "answered" if answer_reply.status_code == 200 else "cancelled"
            assert (await ada.get(request_id))["status"] == winner
            loser = cancelled if winner == "answered" else answer_reply
            assert loser.json()["error"]["request"]["status"] == winner


@requirement("F26", "H7")
async def test_a_settled_form_reads_the_same_for_everybody(server: Any, ada: Person, thread: str) -> None:
    request_id = await ask_one(server, thread, {"type": "text"})
    answered_request = (await ada.answer(request_id, {"q": "x"})).json()
    async with server.person("responder/bob") as bob, server.person("requester") as agent:
        assert await bob.get(request_id) == answered_request
        assert await agent.get(request_id) == answered_request
        snapshot = (await bob.http.get(f"/v1/threads/{thread}")).json()
    [request] = snapshot["requests"]
    assert {k: v for k, v in request.items() if k != "seq"} == answered_request
