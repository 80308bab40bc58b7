"""Readers of events get each one once and in order, beside each other and after each other."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from askback import AsyncClient, Form, Text

FORM = Form(fields=[Text(id="topic", label="Topic", required=True)])


@pytest.mark.requirement("G3", "G5")
async def test_events_come_in_order_from_any_cursor(agent: AsyncClient, thread: str):
    for n in range(10):
        await agent.say(str(n), thread_id=thread)
    for cursor in (0, 4, 9):
        seen_items: list[int] = []
        with anyio.fail_after(120):
            async for event in agent.events(thread, cursor=cursor):
                seen_items.append(event["seq"])
                if event["seq"] == 10:
                    break
        assert seen_items == list(range(cursor + 1, 11))


async def test_the_inbox_has_events_of_every_thread(agent: AsyncClient, person: AsyncClient, thread: str):
    start = (await agent.requests.create(FORM, thread_id=thread)).id
    seen_items: list[str] = []
    ids: list[str] = []
    with anyio.fail_after(120):
        async for event in person.events(cursor=0):
            seen_items.append(event["request"]["id"])
            if event["request"]["id"] == start:
                ids = [(await agent.requests.create(FORM, thread_id=f"{thread} {n}")).id for n in range(3)]
            if ids and event["request"]["id"] == ids[-1]:
                break
    assert seen_items[-4:] == [start, *ids]


@pytest.mark.requirement("G4")
async def test_a_feed_that_opens_right_after_another_has_closed_gets_its_events(
    agent: AsyncClient, thread: str
):
    await agent.requests.create(FORM, thread_id=thread)
    with anyio.fail_after(120):
        for _ in range(3):
            feed = agent.events(thread, cursor=0)
            assert (await anext(feed))["type"] == "request.created"
            await feed.aclose()
        feed = agent.events(thread, cursor=1)
        message = asyncio.create_task(anext(feed))
        await agent.say("Hello", thread_id=thread)
        assert (await message)["type"] == "message.added"
        await feed.aclose()


@pytest.mark.requirement("G4")
async def test_a_reader_gets_every_event_beside_an_older_reader_of_the_thread(
    agent: AsyncClient, person: AsyncClient, thread: str
):
    async def read(first: int) -> None:
        events = person.events(thread, cursor=first)
        assert [(await anext(events))["seq"] for _ in range(40 - first)] == list(range(first + 1, 41))
        await events.aclose()

    with anyio.fail_after(120):
        async with anyio.create_task_group() as readers:
            for number in range(40):
                readers.start_soon(read, number // 2)
                await agent.say(str(number), thread_id=thread)
