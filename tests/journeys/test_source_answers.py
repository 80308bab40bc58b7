"""The requests of five source systems are answered on the page and in the terminal, with the same result.

The items are those of `test_source_items.py`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from playwright.async_api import Locator

from tests.cli.scripts import complete
from tests.forks.process import fork
from tests.journeys.browser import OpenScreen, Screen
from tests.journeys.conftest import Server
from tests.journeys.people import Team
from tests.journeys.test_source_items import ITEMS, Item
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Step = Callable[[Locator], Awaitable[object]]


def fill(label: str, text: str) -> Step:
    """Type into the field with this label."""
    return lambda card: card.get_by_label(label, exact=True).first.fill(text)


def pick(label: str) -> Step:
    """Choose the box or the radio button with this label."""
    return lambda card: card.get_by_label(label, exact=True).first.check()


def click(name: str) -> Step:
    """Press the button with this name."""
    return lambda card: card.get_by_role("button", name=name, exact=True).first.click()


def choose(label: str, number: int) -> Step:
    """Choose an option of a list by its number."""
    return lambda card: card.get_by_label(label, exact=True).select_option(index=number)


def choose_row(label: str, choice: str) -> Step:
    """Accept or decline a row."""
    return lambda card: (
        card.get_by_role("group", name=label, exact=True).last.get_by_label(choice, exact=True).check()
    )


SUBMIT = click("Submit")
NOTE = {"note": "Rome"}
YES = {"decision": "approve", "scope": "once"}


@dataclass(frozen=True)
class AnswerSteps:
    """A person's actions on the page, their lines in the terminal, and members of the answer of both."""

    page: Sequence[Step] = (fill("Note", "Rome"), SUBMIT)
    typed: Sequence[str] = ("Rome",)
    answer: Mapping[str, Any] = field(default_factory=lambda: {"values": NOTE})


def answer_of(values: Any, page: Sequence[Step], *typed: str) -> AnswerSteps:
    """Return the actions for the values of a form."""
    return AnswerSteps(page, typed, {"values": values})


PLAIN = AnswerSteps()
HIRED = {"r": {"ann": {"decision": "accept", "values": NOTE}, "bob": {"decision": "decline"}}}
ANSWERS: dict[str, AnswerSteps] = {
    "A4 B1: ids and data of the asker": PLAIN,
    "A5: a long plain prompt, and a label of several lines": answer_of(NOTE, (fill("One Two", "Rome"), SUBMIT), "Rome"),
    "A6 A7: the number of a question, and the limit of one tool": PLAIN,
    "A8: a message for each rule of any type": answer_of({"n": 2}, (fill("N", "2"), SUBMIT), "2"),
    "A9: texts in several languages": answer_of(NOTE, (fill("Town", "Rome"), SUBMIT), "Rome"),
    "A11: several widgets, each with a button of its own": answer_of({"ok": True}, (pick("Go on?"), click("Submit: Go on?")), "2", "y"),
    "A11: the first widget that is used answers all": answer_of(NOTE, (fill("Note", "Rome"), click("Submit: Note")), "1", "Rome"),
    "A12: a widget without a label": answer_of(NOTE, (fill("What should I do?", "Rome"), SUBMIT), "Rome"),
    "A16: an input that is no object": AnswerSteps((click("Allow once"),), ("y",), YES),
    "A17: an action": AnswerSteps((click("I've done it"),), ("d",), {"outcome": "done"}),
    "A17: rows that are accepted or declined, with details": answer_of(HIRED, (choose_row("Ann", "Accept"), fill("Note", "Rome"), choose_row("Bob", "Decline"), SUBMIT), "1", "Rome", "2", "y"),
    "A18: skip one question of several": answer_of({"ok": True}, (click("Skip this question: Note"), pick("Go on? (optional)"), SUBMIT), ":pass", "y", "y"),
    "A19: ask again what was refused": PLAIN,
    "B3 B4: decide about a decline and a deadline before they count": PLAIN,
    "B6: errors with the first asking": PLAIN,
    "B10: standalone": PLAIN,
    "B10: composer": PLAIN,
    "B10: a condition, a file, and a field to read": answer_of({"more": True, "note": "Rome", "user": "ada"}, (pick("More?"), fill("Note", "Rome"), SUBMIT), "y", "Rome", "", "y"),
    "B11: a time without a zone": answer_of({"at": "2026-02-01T09:30"}, (SUBMIT,), ""),
    "B13: equal labels, an empty and a numeric value": answer_of({"o": 2}, (choose("O", 2), SUBMIT), "2"),
    "B13: five thousand options": answer_of({"o": "Option 4999"}, (fill("Filter the options", "4999"), pick("Option 4999"), SUBMIT), "5000"),
    "B15: three texts and more": PLAIN,
    "B16: steps, and an optional one with a button text of its own": answer_of(NOTE, (fill("Note", "Rome"), click("Next"), click("Next"), SUBMIT), "Rome", "", "y"),
}  # fmt: skip


@pytest.mark.e2e
@requirement("A15", "A22", "B8", "C10", "D8", "F20", "F33")
async def test_each_item_is_answered_on_the_page(screen: OpenScreen, team: Team, thread: str) -> None:
    eva: Screen | None = None
    for number, item in enumerate(ITEMS):
        request_id = (await create_request(team, f"{thread}-{number}", item))["id"]
        if eva is None:
            eva = await screen(f"/r/{request_id}", team=team)
            eva.expect_errors("422")  # the server checks where the rules come too late
        else:
            await eva.go(f"/r/{request_id}")
        *before, last = ANSWERS[item.name].page
        for step in before:
            await step(eva.card)
        # Of this request: an answer whose page was left before its reply was read is sent once more by the next page.
        async with eva.page.expect_response(re.compile(rf"/{request_id}/(answer|decline)$")):
            await last(eva.card)
        await settled(team, request_id, item)


async def test_each_item_is_answered_in_the_terminal(server: Server, team: Team, thread: str) -> None:
    ids = [(await create_request(team, f"{thread}-{n}", item))["id"] for n, item in enumerate(ITEMS)]
    process = fork(
        *("inbox", "--once"),
        environment={**os.environ, "ASKBACK_URL": server.url, "ASKBACK_TOKEN": team.ada.token or ""},
    )
    lines = [line for item in ITEMS for line in ("", *ANSWERS[item.name].typed)]
    *_, last = ITEMS
    del lines[-len(ANSWERS[last.name].typed) - 1]  # an empty line chooses the first of several
    status, out, error_output = await anyio.to_thread.run_sync(
        complete, process, "".join(f"{line}\n" for line in lines)
    )
    assert status == 0, (out, error_output)
    for request_id, item in zip(ids, ITEMS, strict=True):
        await settled(team, request_id, item)


async def create_request(team: Team, thread: str, item: Item) -> dict[str, Any]:
    """Ask for an item; nobody has answered it."""
    reply = await team.agent.http.post("/v1/requests", json={"thread_id": thread, **item.body})
    request = reply.json()
    assert request.get("status") == "pending", (item.name, request)
    return request


async def settled(team: Team, request_id: str, item: Item) -> None:
    """Expect the answer, or the submission if the agent decides about it."""
    request = await team.agent.get(request_id)
    result = request.get("answer") or request.get("submitted") or request
    expected = ANSWERS[item.name].answer
    assert {name: result.get(name) for name in expected} == expected, item.name
