"""Promises of iHub's document that its own code breaks: see the table in its requirements."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx2
import pytest
from playwright.async_api import expect

from tests.journeys.browser import OpenScreen, place_of
from tests.journeys.conftest import Server
from tests.journeys.people import Person
from tests.journeys.test_two_servers import SharedDatabase, shared_database
from tests.requirements import requirement

__all__ = ["shared_database"]

pytestmark = pytest.mark.anyio
APP = "/compat/ihub/api/apps/writer/chat"
CHOICE = {"question": "Which?", "input_type": "select", "options": [{"label": "A"}, {"label": "B"}]}


@pytest.fixture(scope="module")
def pair(shared_database: SharedDatabase) -> tuple[Server, Server]:
    return shared_database.server("ihub-one"), shared_database.server("ihub-two")


async def ask(agent: Person, chat: str, id_: str, **arguments: Any) -> dict[str, Any]:
    """Ask a question and return the result of the call."""
    function = {"name": "ask_user", "arguments": json.dumps({"question": "Why?", **arguments})}
    body = {"tool_calls": [{"id": id_, "type": "function", "function": function}]}
    reply = await agent.http.post(f"{APP}/{chat}/tool-calls", json=body)
    assert reply.status_code == 200, reply.text
    return json.loads(reply.json()["messages"][0]["content"])


async def answer(person: Person, chat: str, question: str, value: Any) -> httpx2.Response:
    response = {"questionId": question, "value": value, "skipped": False}
    body = {"messages": [{"role": "user", "content": str(value), "clarificationResponse": response}]}
    return await person.http.post(f"{APP}/{chat}", json=body)


@asynccontextmanager
async def stream(
    person: Person, chat: str, last: str = ""
) -> AsyncIterator[AsyncIterator[tuple[str, str, Any]]]:
    """Open the stream of a chat, and yield the name, the id and the data of each event."""
    async with person.http.stream("GET", f"{APP}/{chat}", headers={"Last-Event-ID": last}) as reply:
        assert reply.status_code == 200
        yield _events(reply)


async def _events(reply: httpx2.Response) -> AsyncIterator[tuple[str, str, Any]]:
    texts: dict[str, str] = {}
    async for line in reply.aiter_lines():
        name, _, value = line.partition(": ")
        if line:
            texts[name] = value
        elif "event" in texts:
            yield texts["event"], texts.get("id", ""), json.loads(texts["data"])
            texts = {}


@requirement("D8", "L1", "P5")
async def test_ten_questions_of_a_chat_over_two_servers_and_a_kill(
    shared_database: SharedDatabase, pair: tuple[Server, Server]
) -> None:
    results: list[dict[str, Any]] = []

    async def call(agent: Person, n: int) -> None:
        results.append(await ask(agent, "ten", f"call_{n}"))

    async def all_of(server: Server, other_server: Server, numbers: range) -> None:
        async with (
            server.person("requester") as first_person,
            other_server.person("requester") as second_person,
            anyio.create_task_group() as tasks,
        ):
            for n in numbers:
                tasks.start_soon(call, (first_person, second_person)[n % 2], n)

    await all_of(*pair, range(8))
    shared_database.kill(pair[0])
    await all_of(shared_database.server("ihub-one"), pair[1], range(8, 20))
    waiting_results = [result for result in results if result.get("status") == "awaiting_user_response"]
    assert sorted(item["clarificationNumber"] for item in waiting_results) == list(range(1, 11))
    refused_results = [result for result in results if result not in waiting_results]
    assert {item["code"] for item in refused_results} == {"CLARIFICATION_LIMIT_REACHED"}
    assert len(refused_results) == 10


@requirement("D7")
async def test_one_of_two_people_answers_and_the_other_is_notified(server: Server) -> None:
    async with (
        server.person("requester") as agent,
        server.person() as ada,
        server.person("responder/bob") as bob,
    ):
        await ask(agent, "race", "call_1", **CHOICE)
        replies: list[tuple[int, str]] = []

        async def choose(person: Person, value: str) -> None:
            replies.append(((await answer(person, "race", "call_1", value)).status_code, value))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(choose, ada, "A")
            tasks.start_soon(choose, bob, "B")
        assert sorted(status for status, _ in replies) == [200, 409]
        [message] = (await agent.http.get(f"{APP}/race/messages")).json()["messages"]
        assert message["content"] == next(value for status, value in replies if status == 200)


@requirement("D3", "D4", "G3")
async def test_a_reconnected_stream_starts_with_the_open_questions(server: Server) -> None:
    async with server.person("requester") as agent, server.person() as ada:
        await ask(agent, "cut", "call_1")
        await ask(agent, "cut", "call_2")
        expected = [(name, id_) for id_ in ("call_1", "call_2") for name in ("clarification", "done")]
        last = ""
        for read in range(1, 5):  # the bytes of the stream to read before it is cut
            seen_items: list[tuple[str, str]] = []
            async with stream(ada, "cut", last) as events:
                async for name, id_, data in events:
                    if name == "connected":
                        continue
                    about = data.get("clarificationData", data)
                    seen_items.append((name, about["toolCallId"]))
                    last = id_
                    if len(seen_items) == read:
                        break
            assert seen_items == expected[:read]


async def test_the_page_of_ihub_opens_its_stream_before_it_answers(server: Server) -> None:
    async with server.person("requester") as agent, server.person() as ada:
        await ask(agent, "page", "call_1")
        async with stream(ada, "page") as events:
            assert (await anext(events))[0] == "connected"
            assert (await answer(ada, "page", "call_1", "because")).status_code == 200
            await ask(agent, "page", "call_2")
            name, _, data = await anext(events)
            assert (name, data["toolCallId"]) == ("clarification", "call_2")


@requirement("D13", "P4", "P7")
@pytest.mark.parametrize(
    "pattern", [r"^(a|a)+$", r"^((a)+)+$", r"^(a+){2,}$", r"^(\d+-?){3,}$"], ids=["a", "b", "c", "d"]
)
async def test_a_pattern_that_hangs_ihub_is_answered_immediately(
    server: Server, thread: str, pattern: str
) -> None:
    async with server.person("requester") as agent, server.person() as ada:
        await ask(agent, thread, "call_1", validation={"pattern": pattern})
        with anyio.fail_after(120):
            wrong_reply = await answer(ada, thread, "call_1", "a1" * 4_999 + "!")
        assert [detail["code"] for detail in wrong_reply.json()["details"]] == ["pattern_mismatch"]


@pytest.mark.e2e
@requirement("D22", "P6", "P8")
async def test_a_confirmation_has_its_two_buttons_in_the_language_of_the_reader(
    server: Server, screen: OpenScreen, thread: str
) -> None:
    async with server.person("requester") as agent:
        await ask(agent, thread, "call_1", question="Weiter?", input_type="confirm", allow_skip=True)
        eva = await screen(place_of(thread), locale="de-DE")
        await expect(eva.card.locator(".answers button")).to_have_text(["Ja", "Nein"])
        await expect(eva.card.get_by_role("button", name="Überspringen")).to_be_visible()
        await eva.button("Ja").click()
        await expect(eva.card.locator("summary")).to_contain_text("Ja")
        [message] = (await agent.http.get(f"{APP}/{thread}/messages")).json()["messages"]
        assert message["clarificationResponse"] == {"questionId": "call_1", "value": "Yes", "skipped": False}
