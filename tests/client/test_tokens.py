"""Tokens, agents and browser sessions through the client."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from askback import AsyncClient, Client, Forbidden, NotFound, Unauthorized
from tests.client.conftest import Connect
from tests.client.servers import TOKENS, ServerProcess


@pytest.fixture
async def admin(connect: Connect) -> AsyncIterator[AsyncClient]:
    """An admin of the server."""
    async with connect("admin") as client:
        yield client


async def test_a_token_is_created_listed_and_revoked(admin: AsyncClient) -> None:
    token = await admin.tokens.create(threads=["deploy-*"])
    assert token.token.reveal() not in repr(token)
    assert token.agent is not None
    (listed_token,) = await admin.tokens.list(agent=token.agent)
    assert (listed_token.id, listed_token.role, listed_token.revoked_at) == (token.id, "requester", None)
    assert (await admin.tokens.revoke(listed_token)).revoked_at is not None
    with pytest.raises(NotFound):
        await admin.tokens.revoke("tok_nope")


async def test_a_requester_cannot_create_tokens(connect: Connect) -> None:
    async with connect() as agent:
        with pytest.raises(Forbidden):
            await agent.tokens.create("admin")


async def test_an_agent_is_created_allowed_a_folder_and_stopped(admin: AsyncClient) -> None:
    agent = await admin.agents.create("reader", user="ada")
    assert (agent.name, agent.user, agent.stopped_at) == ("reader", "ada", None)
    assert agent.id in {item.id for item in await admin.agents.list(limit=200)}
    allowed = await admin.agents.grant_root(agent, "/srv/docs & more")
    assert [root.path for root in allowed.roots] == ["/srv/docs & more"]
    assert (await admin.agents.revoke_root(agent, "/srv/docs & more")).roots == []
    assert (await admin.agents.stop(agent)).stopped_at is not None
    assert (await admin.agents.get(agent.id)).stopped_at is not None


async def test_a_login_link_has_a_code_and_no_session_is_open_before_it_is_used(admin: AsyncClient) -> None:
    link = await admin.sessions.create_login_link(name="Ada", user="ada-of-the-client")
    assert "/login#" in link
    assert await admin.sessions.list(user="ada-of-the-client") == []
    assert await admin.sessions.end_all(user="ada-of-the-client") == 0


def test_a_token_works_until_it_is_revoked(server: ServerProcess) -> None:
    with Client(server.url, TOKENS["admin"]) as admin:
        token = admin.tokens.create("requester", agent="blocking-bot")
        with Client(server.url, token.token.reveal()) as agent:
            assert len(agent.requests.list()) == 0
        assert admin.tokens.revoke(token).id == token.id
        with Client(server.url, token.token.reveal()) as agent, pytest.raises(Unauthorized):
            agent.requests.list()
