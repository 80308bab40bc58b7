"""Group D: promises of S001 that its code did not check."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.people import Person, faults
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def ask(server: Any, thread: str, field: dict[str, Any], **form: Any) -> Any:
    """Ask one question as an agent and return the reply."""
    body = {"fields": [{"id": "q", "label": "Question", **field}], **form}
    async with server.person("requester") as agent:
        return await agent.ask(thread, body)


@requirement("D11", "L3")
@pytest.mark.parametrize(
    ("path", "limit", "field"),
    [
        ("label", 2_000, {"type": "text"}),
        ("placeholder", 200, {"type": "text"}),
        ("pattern", 200, {"type": "text"}),
        ("description", 32 * 1024, {"type": "text"}),
    ],
)
async def test_a_text_over_its_limit_is_an_error_not_a_cut(
    server: Any, thread: str, path: str, limit: int, field: dict[str, Any]
) -> None:
    assert (await ask(server, thread, field | {path: "x" * limit})).status_code == 201
    over = await ask(server, thread, field | {path: "x" * (limit + 1)})
    assert faults(over) == [(f"form.fields[0].{path}", "too_long")]


@requirement("D12")
async def test_lengths_count_code_points(server: Any, ada: Person, thread: str) -> None:
    field = {"type": "text", "min_length": 2, "max_length": 300}
    request_id = (await ask(server, thread, field)).json()["id"]
    assert faults(await ada.answer(request_id, {"q": "😀" * 301})) == [("values.q", "too_long")]
    assert faults(await ada.answer(request_id, {"q": "😀"})) == [("values.q", "too_short")]
    assert (await ada.answer(request_id, {"q": "😀" * 300})).status_code == 200


@requirement("D13")
@pytest.mark.parametrize("pattern", [r"^(a|a)+$", r"^((a)+)+$", r"^(a+){2,}$", r"^(\d+-?){3,}$", r"^(.*)+$"])
async def test_a_catastrophic_pattern_is_harmless_and_never_reaches_the_browser(
    server: Any, ada: Person, thread: str, pattern: str
) -> None:
    asked_reply = (
        await ask(server, thread, {"type": "text", "pattern": pattern, "max_length": 10_000})
    ).json()
    assert asked_reply["view"]["patterns"] == {"q": None}
    reply = await ada.answer(asked_reply["id"], {"q": "a" * 9_999 + "\x85!"})
    assert reply.status_code == 422


@requirement("D13")
@pytest.mark.parametrize("pattern", [r"^[a-z]+(,[a-z]+)*$", r"(\+\d)+", r"^[\w.+-]+@[\w-]+\.[\w.-]+$"])
async def test_a_safe_pattern_that_naive_checks_refuse_is_accepted(
    server: Any, thread: str, pattern: str
) -> None:
    assert (await ask(server, thread, {"type": "text", "pattern": pattern})).status_code == 201


@requirement("D13")
@pytest.mark.parametrize("pattern", [r"(?=x)y", r"(a)\1", "[z-a]", "(", "a{1,5000}"])
async def test_a_pattern_that_re2_cannot_run_is_refused_when_the_form_is_made(
    server: Any, thread: str, pattern: str
) -> None:
    assert faults(await ask(server, thread, {"type": "text", "pattern": pattern})) == [
        ("form.fields[0].pattern", "invalid_pattern")
    ]


@requirement("D14")
@pytest.mark.parametrize("value", ["x123y", "123\n", "１２３"])
async def test_a_pattern_must_match_the_whole_value(
    server: Any, ada: Person, thread: str, value: str
) -> None:
    request_id = (await ask(server, thread, {"type": "textarea", "pattern": "[0-9]{3}"})).json()["id"]
    assert faults(await ada.answer(request_id, {"q": value})) == [("values.q", "pattern_mismatch")]
    assert (await ada.answer(request_id, {"q": "123"})).status_code == 200


@requirement("D15")
@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ({"type": "number", "min": 1, "max": 5}, 0, "below_min"),
        ({"type": "number", "min": 1, "max": 5}, 6, "above_max"),
        ({"type": "number"}, "0x10", "wrong_type"),
        ({"type": "number"}, True, "wrong_type"),
        ({"type": "select", "options": ["a"]}, "b", "value_not_in_options"),
        ({"type": "text", "required": True}, "  ", "required_missing"),
    ],
)
async def test_an_answer_sent_without_the_page_is_checked(
    server: Any, ada: Person, thread: str, field: dict[str, Any], value: Any, code: str
) -> None:
    request_id = (await ask(server, thread, field)).json()["id"]
    assert faults(await ada.answer(request_id, {"q": value})) == [("values.q", code)]
    assert (await ada.get(request_id))["status"] == "pending"


@requirement("D17")
async def test_skip_only_where_it_is_allowed(server: Any, ada: Person, thread: str) -> None:
    required_request_id = (await ask(server, thread, {"type": "text"})).json()["id"]
    free = (await ask(server, thread, {"type": "text"}, allow_skip=True)).json()["id"]
    assert faults(await ada.decline(required_request_id, "skipped")) == [("reason", "skip_not_allowed")]
    assert (await ada.get(required_request_id))["status"] == "pending"
    skipped = (await ada.decline(free, "skipped")).json()
    assert (skipped["status"], skipped["reason"]) == ("declined", "skipped")
    assert "answer" not in skipped


@requirement("D18")
@pytest.mark.parametrize("value", ["20/11/2026", "2026-02-30", "2026-2-3", "not a date", "２０２６-11-20"])
async def test_a_date_is_iso_and_real(server: Any, ada: Person, thread: str, value: str) -> None:
    request_id = (await ask(server, thread, {"type": "date"})).json()["id"]
    assert faults(await ada.answer(request_id, {"q": value})) == [("values.q", "invalid_date")]
    answered_request = (await ada.answer(request_id, {"q": "2026-11-20"})).json()
    assert answered_request["answer"]["values"] == {"q": "2026-11-20"}
