"""`askback inbox` of somebody who may not answer everything: it says who may, and continues."""

from __future__ import annotations

import uuid

import httpx2

from askback import AsyncClient
from askback.domain.fields import Form, Text
from tests.cli.conftest import Server
from tests.cli.scripts import run_inbox_from_pipe
from tests.requirements import requirement


def form(title: str) -> Form:
    return Form(title=title, fields=[Text(id="a", label="A")])


@requirement("K5")
async def test_requests_for_others_are_named_and_skipped(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    other_request = await agent.requests.create(
        form("Theirs"), thread_id=thread, assignees=["bob", "group:ops"]
    )
    bearer = {"Authorization": f"Bearer {server.tokens['responder']}"}
    async with httpx2.AsyncClient(base_url=server.url, headers=bearer, trust_env=False) as owner:
        me = (await owner.get("/v1/session")).json()["principal"]["id"]
    own_request = await agent.requests.create(form("Mine"), thread_id=thread, assignees=[me])
    out = await run_inbox_from_pipe(server, thread, "yes")
    assert "Theirs · To be answered by: bob, ops." in out
    assert [(await agent.requests.get(item.id)).status for item in (other_request, own_request)] == [
        "pending",
        "answered",
    ]
    own_output = await run_inbox_from_pipe(server, thread)
    assert own_output.count("To be answered by") == 1
    assert "Nothing is pending." in own_output


@requirement("K3")
async def test_a_read_only_thread_is_marked(server: Server, agent: AsyncClient) -> None:
    thread = uuid.uuid4().hex
    bearer = {"Authorization": f"Bearer {server.tokens['admin']}"}
    with httpx2.Client(base_url=server.url, headers=bearer, trust_env=False) as admin:
        admin.put(f"/v1/threads/{thread}/access", json={"owner": "ada", "others": "view"}).raise_for_status()
    await agent.requests.create(form("Read me"), thread_id=thread)
    out = await run_inbox_from_pipe(server, thread)
    assert "Read me · You have read access only. Other people answer this." in out
