"""Group C: question cards (S002), natively: stable keys, enforced gates, no empty answers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.journeys.people import Person, faults
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

CARD: dict[str, Any] = {
    "title": "Two questions",
    "fields": [
        {"id": "auth", "type": "radio", "label": "Which?", "required": True, "options": ["OAuth", "JWT"]},
        {
            "id": "features",
            "type": "multiselect",
            "label": "Which?",
            "required": True,
            "allow_other": True,
            "options": ["A, with comma", "B"],
        },
    ],
}


@pytest.fixture
async def card(server: Any, thread: str) -> str:
    """An open card with two questions of the same text."""
    async with server.person("requester") as agent:
        return (await agent.ask(thread, CARD)).json()["id"]


@requirement("C7")
async def test_a_single_choice_is_one_value(ada: Person, card: str) -> None:
    reply = await ada.answer(card, {"auth": ["OAuth", "JWT"], "features": ["B"]})
    assert faults(reply) == [("values.auth", "wrong_type")]


@requirement("C8", "C9")
async def test_free_text_is_added_to_the_ticked_options(ada: Person, card: str) -> None:
    reply = await ada.answer(card, {"auth": "JWT", "features": ["x", "A, with comma"]})
    assert reply.json()["answer"] == {
        "values": {"auth": "JWT", "features": ["A, with comma", "x"]},
        "other": {"features": True},
    }


@requirement("C9")
async def test_blank_own_words_block_the_answer(ada: Person, card: str) -> None:
    reply = await ada.answer(card, {"auth": "JWT", "features": ["B", " "]})
    assert faults(reply) == [("values.features[1]", "empty")]


@requirement("C10", "C16")
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (
            {},
            [
                ("values", "empty"),
                ("values.auth", "required_missing"),
                ("values.features", "required_missing"),
            ],
        ),
        ({"auth": "JWT"}, [("values.features", "required_missing")]),
        (
            {"auth": "", "features": []},
            [("values.auth", "required_missing"), ("values.features", "required_missing")],
        ),
    ],
)
async def test_an_incomplete_answer_is_refused_and_the_card_stays_open(
    ada: Person, card: str, values: dict[str, Any], expected: list[tuple[str, str]]
) -> None:
    assert faults(await ada.answer(card, values)) == expected
    assert (await ada.get(card))["status"] == "pending"


@requirement("C11")
async def test_two_questions_of_the_same_text_keep_two_answers(ada: Person, card: str) -> None:
    reply = await ada.answer(card, {"auth": "OAuth", "features": ["B"]})
    assert reply.json()["answer"]["values"] == {"auth": "OAuth", "features": ["B"]}


@requirement("C12", "M8")
async def test_an_answer_without_a_question_is_reported(ada: Person, card: str) -> None:
    reply = await ada.answer("req_" + "0" * 26, {"auth": "OAuth", "features": ["B"]})
    assert reply.status_code == 404
    assert reply.json()["error"]["code"] == "not_found"
    assert (await ada.get(card))["status"] == "pending"


@requirement("C16")
async def test_an_answer_of_empty_optional_fields_is_what_the_person_meant(
    server: Any, ada: Person, thread: str
) -> None:
    async with server.person("requester") as agent:
        form = {"fields": [{"id": "note", "type": "text", "label": "Anything else?"}]}
        first, second = [(await agent.ask(thread, form, repeat="ask")).json()["id"] for _ in range(2)]
    assert (await ada.answer(first, {})).json()["answer"]["values"] == {}
    assert (await ada.answer(second, {"note": ""})).json()["answer"]["values"] == {}
