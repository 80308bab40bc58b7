"""The access to a thread, over a WebSocket, over HTTP and in process."""

from __future__ import annotations

import anyio
import pytest

from askback import AsyncClient, Forbidden, Form, Invalid, NotFound, Text, ThreadAccess
from tests.client.conftest import Connect
from tests.requirements import requirement

FORM = Form(fields=[Text(id="q", label="Q")])


async def test_an_agent_starts_a_thread_for_a_person(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    assert await person.threads.get_access(thread) == ThreadAccess(others="all", people={})
    access = await agent.threads.share(thread, owner="ada", people={"bob": "prompt"})
    assert access == ThreadAccess(
        owner="ada", others="none", people={"bob": "prompt"}, agents=access.agents, agents_of="ada"
    )
    assert await agent.threads.get_access(thread) == await agent.threads.share(
        thread, owner="ada", people={"bob": "prompt"}
    )
    request = await agent.requests.create(FORM, thread_id=thread)
    with pytest.raises(NotFound):
        await person.requests.get(request.id)
    with pytest.raises(Forbidden):
        await agent.threads.share(thread, owner="eve")
    with pytest.raises(Invalid):
        await agent.threads.share(thread, owner="")


async def test_a_subscriber_is_notified_when_a_thread_is_hidden(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await agent.say("Hello", thread_id=thread)
    seen_items: list[str] = []
    with anyio.fail_after(120), pytest.raises(NotFound):
        async for event in person.events(thread, cursor=0):
            seen_items.append(event["type"])
            await agent.threads.share(thread, owner="ada")
    assert seen_items == ["message.added"]


async def test_the_names_of_secrets_can_be_hidden_from_readers(
    agent: AsyncClient, connect: Connect, thread: str
) -> None:
    async with connect("admin") as admin:
        await admin.threads.share(thread, owner="ada", others="view")
        request = await agent.secrets.request(
            ["A_KEY"], reason="to call it", thread_id=thread, hide_names=True, wait=False
        )
        assert request.names == ("A_KEY",)
        async with connect("responder") as reader:
            items = (await reader.requests.list(thread_id=thread)).items[0]
        assert items.secret is not None
        assert (items.secret.names, items.secret.count) == ([], 1)
        kept_secret = await admin.secrets.set("B_KEY", "value", scope="global", owner="ada")
        assert kept_secret.owner == "ada"
        await admin.secrets.delete(kept_secret)


@requirement("N9")
async def test_the_owning_agent_admits_another_agent_to_a_thread(
    agent: AsyncClient, connect: Connect, thread: str
) -> None:
    await agent.say("Hello", thread_id=thread)
    async with connect("admin") as admin, connect("requester/other") as other:
        with pytest.raises(Forbidden) as exc_info:
            await other.say("Hello", thread_id=thread)
        assert exc_info.value.code == "thread_of_another_agent"
        with pytest.raises(NotFound):
            await other.threads.get(thread)
        theirs = await other.threads.get_access(f"{thread}-other")
        assert theirs.agents is None
        await other.say("Hello", thread_id=f"{thread}-other")
        [other_id] = (await other.threads.get_access(f"{thread}-other")).agents or []
        [mine] = (await agent.threads.get_access(thread)).agents or []
        assert (await agent.threads.set_agents(thread, [other_id])).agents == [mine, other_id]
        request = await other.requests.create(FORM, thread_id=thread)
        with anyio.fail_after(120):
            async with anyio.create_task_group() as group:
                group.start_soon(assert_not_found, other, request.id)
                await admin.threads.set_agents(thread, [mine])


async def assert_not_found(client: AsyncClient, request_id: str) -> None:
    with pytest.raises(NotFound):
        await client.wait(request_id)
