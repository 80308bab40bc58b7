"""Rows: several things in one request, each accepted or declined."""

from __future__ import annotations

from typing import Any

import pytest

from askback import AsyncClient, Form, Number, Row, Rows, Textarea
from tests.journeys.people import Person, faults
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SALARY = Number(id="salary", label="Salary", required=True, min=1000)
HIRES = Rows(
    id="hires",
    label="Candidates",
    required=True,
    accept_label="Hire",
    rows=[
        Row(id="anna", label="Anna", fields=[SALARY]),
        Row(id="bob", label="Bob"),
        Row(id="cleo", label="Cleo", fields=[SALARY, Textarea(id="note", label="Note")]),
    ],
)
FORM = Form(title="Whom do we hire?", fields=[HIRES])
DECIDED: dict[str, Any] = {
    "anna": {"decision": "accept", "values": {"salary": 4500}},
    "bob": {"decision": "decline"},
    "cleo": {"decision": "accept", "values": {"salary": 4000, "note": "From May"}},
}


@requirement("A22")
async def test_the_answer_of_rows_is_a_map_of_decisions(agent: AsyncClient, ada: Person, thread: str) -> None:
    request = await agent.requests.create(FORM, thread_id=thread, delivery="resume")
    reply = await ada.answer(request.id, {"hires": DECIDED})
    assert reply.json()["answer"] == {"values": {"hires": DECIDED}}
    resume = await anext(agent.resumes.listen(thread))
    assert '"Anna" (anna): accepted ["Salary" (salary): 4500], "Bob" (bob): declined, "Cleo"' in resume.text


@requirement("A22")
@pytest.mark.parametrize(
    ("hires", "wrong"),
    [
        (
            {},
            {"values": "empty", **{f"values.hires.{item}.decision": "required_missing" for item in DECIDED}},
        ),
        ({**DECIDED, "bob": {}}, {"values.hires.bob.decision": "required_missing"}),
        ({**DECIDED, "bob": "decline"}, {"values.hires.bob": "wrong_type"}),
        ({**DECIDED, "bob": {"decision": "yes"}}, {"values.hires.bob.decision": "value_not_in_options"}),
        ({**DECIDED, "dan": {"decision": "accept"}}, {"values.hires.dan": "unknown_field"}),
        (
            {**DECIDED, "anna": {"decision": "decline", "values": {"salary": 4500}}},
            {"values.hires.anna.values.salary": "hidden_field"},
        ),
        (
            {**DECIDED, "anna": {"decision": "accept", "values": {"salary": 1}}},
            {"values.hires.anna.values.salary": "below_min"},
        ),
        (
            {**DECIDED, "anna": {"decision": "accept"}},
            {"values.hires.anna.values.salary": "required_missing"},
        ),
    ],
)
async def test_a_row_that_is_undecided_unknown_or_wrong_is_refused(
    agent: AsyncClient, ada: Person, thread: str, hires: Any, wrong: dict[str, str]
) -> None:
    request = await agent.requests.create(FORM, thread_id=thread)
    reply = await ada.answer(request.id, {"hires": hires} if hires else {})
    assert dict(faults(reply)) == wrong
    assert (await agent.requests.get(request.id)).status == "pending"


async def test_optional_rows_may_stay_undecided(agent: AsyncClient, ada: Person, thread: str) -> None:
    form = Form(fields=[HIRES.model_copy(update={"required": False})])
    request = await agent.requests.create(form, thread_id=thread)
    decided = {"hires": {"bob": {"decision": "accept"}}}
    assert (await ada.answer(request.id, decided)).json()["answer"] == {"values": decided}
