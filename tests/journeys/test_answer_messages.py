"""Answers that are also written as the person's message, on both databases."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from tests.journeys.either_database import Site, site
from tests.journeys.people import Person, faults, refusal
from tests.requirements import requirement

__all__ = ["site"]

pytestmark = pytest.mark.anyio

FORMATS = [{"value": "pdf", "label": {"en": "PDF file", "de": "PDF-Datei"}}, "Word"]
CHOICE = {"id": "format", "type": "select", "label": "Format", "options": FORMATS}
NAME = {"id": "name", "type": "text", "label": "Name", "allow_skip": True}
PIN = {"id": "pin", "type": "text", "label": "PIN", "sensitive": True}


async def switch(person: Person, thread: str, value: object = True) -> Any:
    return await person.http.patch(f"/v1/threads/{thread}", json={"answers_as_messages": value})


async def ask(agent: Person, thread: str, *fields: Any, allow_skip: bool = True, **extra: Any) -> str:
    reply = await agent.ask(thread, {"fields": list(fields), "allow_skip": allow_skip}, **extra)
    assert reply.status_code == 201, reply.text
    return reply.json()["id"]


async def texts(person: Person, thread: str) -> list[tuple[str, str]]:
    """Return the request and the text of each message."""
    messages = (await person.http.get(f"/v1/threads/{thread}")).json()["messages"]
    return [(message.get("request_id", ""), message["content"][0]["text"]) for message in messages]


async def send(person: Person, request_id: str, **body: Any) -> Any:
    return await person.http.post(f"/v1/requests/{request_id}/answer", json={"revision": 1, **body})


@requirement("D7")
async def test_an_answer_and_a_skip_are_messages_of_their_person(site: Site, thread: str) -> None:
    async with site.first.person("requester") as agent, site.last.person() as ada:
        assert (await switch(agent, thread)).json()["answers_as_messages"] is True
        first = await ask(agent, thread, CHOICE)
        answered_request = await send(ada, first, values={"format": "pdf"}, languages=["de-AT"])
        assert answered_request.status_code == 200, answered_request.text
        second = await ask(agent, thread, NAME)
        assert (await ada.decline(second, "skipped")).status_code == 200
        third = await ask(agent, thread, NAME)
        assert (await ada.decline(third, "dismissed")).status_code == 200
        many = [
            {**CHOICE, "type": "multiselect"}, NAME, PIN,
            {"id": "sure", "type": "boolean", "label": "Are you\nsure?"},
            {"id": "n", "type": "number", "label": "How many", "default": 7, "readonly": True},
            {"id": "price", "type": "number", "label": "Price"},
        ]  # fmt: skip
        fourth = await ask(agent, thread, *many)
        values = {"format": ["pdf", "Word"], "pin": "1234-top-secret", "sure": False, "price": 2.50}
        assert (await send(ada, fourth, values=values, skipped=["name"])).status_code == 200
        await site.dies_and_returns()
    async with site.first.person("requester") as agent, site.last.person() as ada:
        lines = "Format: PDF file, Word\nName: [Skipped]\nAre you sure?: No\nPrice: 2.5"
        expected = [(first, "PDF-Datei"), (second, "[Skipped]"), (fourth, lines)]
        assert await texts(agent, thread) == await texts(ada, thread) == expected
        snapshot = (await ada.http.get(f"/v1/threads/{thread}")).json()
        assert snapshot["answers_as_messages"] is True
        assert "1234-top-secret" not in str(snapshot)
        message = snapshot["messages"][0]
        settled = {request["id"]: request for request in snapshot["requests"]}
        assert message["role"] == "user"
        assert message["author"] == settled[first]["settled_by"]
        assert settled[first]["answer"]["message_id"] == message["id"]
        events = [event async for event in ada.events(thread, until=snapshot["seq"])]
        kinds = [event["type"] for event in events]
        for index, item in enumerate(events):
            if item["type"] == "message.added":
                assert kinds[index - 1] in {"request.answered", "request.declined"}
                assert events[index - 1]["request"]["id"] == item["message"]["request_id"]
        assert kinds.count("message.added") == 3


async def test_one_of_many_concurrent_answers_becomes_a_message(site: Site, thread: str) -> None:
    async with site.first.person("requester") as agent, site.last.person() as ada, site.first.person() as tab:
        await switch(agent, thread)
        ids = [await ask(agent, thread, NAME) for _ in range(5)]
        replies: list[int] = []

        async def answer(person: Person, request_id: str, n: int) -> None:
            replies.append((await person.answer(request_id, {"name": f"n{n}"}, key=f"k{n}")).status_code)

        async with anyio.create_task_group() as tasks:
            for request_id in ids:
                for n in range(6):
                    tasks.start_soon(answer, (ada, tab)[n % 2], request_id, n // 2)
        assert set(replies) <= {200, 409}
        found_thread = (await ada.http.get(f"/v1/threads/{thread}")).json()
        values = {request["id"]: request["answer"]["values"]["name"] for request in found_thread["requests"]}
        assert sorted(await texts(ada, thread)) == sorted(values.items())


async def test_a_kill_leaves_the_answer_with_its_message_or_neither(site: Site, thread: str) -> None:
    async with site.first.person("requester") as agent:
        await switch(agent, thread)
        ids = [await ask(agent, thread, NAME) for _ in range(20)]
    finished_event = anyio.Event()
    async with site.last.person() as ada:

        async def answer(request_id: str) -> None:
            try:
                await ada.answer(request_id, {"name": request_id}, key="k")
            except Exception:  # noqa: BLE001 - the server was killed, whatever that looks like
                return
            finally:
                finished_event.set()

        async with anyio.create_task_group() as tasks:
            for request_id in ids:
                tasks.start_soon(answer, request_id)
            await finished_event.wait()
            site.kill()
    await site.dies_and_returns()
    async with site.last.person() as ada:
        for attempt in range(2):
            found_thread = (await ada.http.get(f"/v1/threads/{thread}")).json()
            answers = [
                request["id"] for request in found_thread["requests"] if request["status"] == "answered"
            ]
            assert sorted(await texts(ada, thread)) == sorted((item, item) for item in answers)
            assert answers
            for request_id in ids:
                assert attempt or (await ada.answer(request_id, {"name": request_id}, key="k")).is_success
        assert len(answers) == len(ids)


async def test_only_answers_of_people_to_forms_are_messages(site: Site, thread: str) -> None:
    async with site.first.person("requester") as agent, site.last.person() as ada:
        off = await ask(agent, thread, NAME)
        assert (await ada.answer(off, {"name": "Ada"})).status_code == 200
        await switch(agent, thread)
        secret = await ask(agent, thread, PIN)
        assert (await ada.answer(secret, {"pin": "1234-top-secret"})).status_code == 200
        skipped = await ask(agent, thread, PIN)
        assert (await ada.decline(skipped, "skipped")).status_code == 200
        cancelled = await ask(agent, thread, NAME)
        assert (await agent.cancel(cancelled)).status_code == 200
        approval = (await agent.approve(thread, "deploy", {})).json()["id"]
        assert (await ada.decide(approval, "approve", scope="once")).status_code == 200
        assert await texts(ada, thread) == []
        await switch(agent, thread, None)
        back = await ask(agent, thread, NAME)
        assert (await ada.answer(back, {"name": "Ada"})).status_code == 200
        found_thread = (await ada.http.get(f"/v1/threads/{thread}")).json()
        assert (found_thread["messages"], "answers_as_messages" in found_thread) == ([], False)


async def test_an_answer_that_is_checked_becomes_a_message_when_it_is_accepted(
    site: Site, thread: str
) -> None:
    async with site.first.person("requester") as agent, site.last.person() as ada:
        await switch(agent, thread)
        request_id = await ask(agent, thread, NAME, validator="requester")
        assert (await ada.answer(request_id, {"name": "wrong"})).json()["status"] == "resolving"
        assert await texts(ada, thread) == []
        assert (await agent.reprompt(request_id, error_summary="No.")).status_code == 200
        assert (await ada.answer(request_id, {"name": "right"}, revision=2)).status_code == 200
        accept = f"/v1/requests/{request_id}/accept"
        for _ in range(2):
            reply = await agent.http.post(
                accept, json={"values": {"name": "RIGHT"}}, headers={"Idempotency-Key": "a"}
            )
            assert reply.status_code == 200
        assert await texts(ada, thread) == [(request_id, "right")]
        found_thread = (await ada.http.get(f"/v1/threads/{thread}")).json()
        assert found_thread["messages"][0]["author"] == found_thread["requests"][0]["settled_by"]
        assert found_thread["requests"][0]["answer"]["values"] == {"name": "RIGHT"}


async def test_a_message_that_answers_is_not_written_twice(site: Site, thread: str) -> None:
    async with site.first.person("requester") as agent, site.last.person() as ada:
        await switch(agent, thread)
        async with site.last.person("admin") as admin:
            policy = {"thread_id": thread, "free_text": "answer"}
            assert (await admin.http.post("/v1/policy", json=policy)).status_code == 200
        for validator in (None, "requester"):
            request_id = await ask(agent, thread, NAME, validator=validator)
            content = [{"type": "text", "text": "Ada"}]
            sent_reply = await ada.http.post(f"/v1/threads/{thread}/messages", json={"content": content})
            assert sent_reply.json()["answered"] == request_id
            if validator:
                assert (await agent.accept(request_id)).status_code == 200
            answer = (await agent.get(request_id))["answer"]
            assert answer == {"values": {"name": "Ada"}, "message_id": sent_reply.json()["id"]}
        assert await texts(ada, thread) == [("", "Ada")] * 2


async def test_nobody_changes_an_answer_and_the_thread_takes_it_along(site: Site, thread: str) -> None:
    async with (
        site.first.person("requester") as agent,
        site.last.person() as ada,
        site.last.person("admin") as admin,
    ):
        for value in ("yes", 1, [], {}):
            assert faults(await switch(agent, thread, value)) == [("answers_as_messages", "wrong_type")]
        await switch(agent, thread)
        assert refusal(await switch(ada, thread, False)) == (403, "forbidden")
        request_id = await ask(agent, thread, NAME)
        assert (await ada.answer(request_id, {"name": "Ada"})).status_code == 200
        [message] = (await ada.http.get(f"/v1/threads/{thread}")).json()["messages"]
        url = f"/v1/threads/{thread}/messages"
        for person in (agent, ada, admin):
            further_reply = await person.http.post(url, json={"append_to": message["id"], "text": "!"})
            assert refusal(further_reply) == (404, "not_found")
        exported = (await admin.http.get(f"/v1/threads/{thread}/export")).json()
        assert exported["answers_as_messages"] is True
        assert [item["id"] for item in exported["messages"]] == [message["id"]]
        assert (await admin.http.delete(f"/v1/threads/{thread}")).status_code == 204
        assert await texts(admin, thread) == []
        assert (await admin.http.post(f"/v1/threads/{thread}/unarchive", json={})).status_code == 200
        second_request = await ask(agent, thread, NAME)
        assert (await ada.answer(second_request, {"name": "Ada"})).status_code == 200
        assert await texts(ada, thread) == []
