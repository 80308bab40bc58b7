"""Two servers on one Postgres act as one: agents and people can use any of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from askback import AsyncClient
from tests.forks.process import Process
from tests.journeys.conftest import TOKENS, Server, start
from tests.journeys.keyhouse import ring
from tests.journeys.people import Person
from tests.journeys.relay import Relay
from tests.postgres_server import PostgresServer
from tests.requirements import requirement
from tests.signing_in import HALF, cookie_of, sign_in
from tests.transports.oauth_provider import ACCESS, CLIENT_SECRET, REFRESH, Provider, provider

FORM = {"title": "Q", "fields": [{"id": "q", "type": "text", "label": "Q", "required": True}]}


class SharedDatabase:
    """Servers on one database, which can be killed one by one."""

    def __init__(self, database_url: str, folder: Path, **settings: str) -> None:
        self._settings = {"ASKBACK_DATABASE_URL": database_url, "ASKBACK_MASTER_KEYS": "off", **settings}
        self._place = folder
        self._processes: dict[str, Process] = {}

    def server(self, name: str) -> Server:
        """Start a server with a separate data folder."""
        process, running = start(self._place / name, settings=self._settings)
        self._processes[running.url] = process
        return running

    def kill(self, server: Server) -> None:
        """SIGKILL."""
        process = self._processes.pop(server.url)
        process.kill()
        process.wait(120)

    def close(self) -> None:
        """End all remaining servers."""
        for process in self._processes.values():
            process.terminate()
        for process in self._processes.values():
            assert process.wait(120) is not None


@pytest.fixture(scope="module")
def shared_database(
    postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SharedDatabase]:
    """A database of its own for the servers of this module."""
    name = asyncio.run(postgres.new())
    house = SharedDatabase(postgres.database(name).url, tmp_path_factory.mktemp("two"))
    yield house
    house.close()
    asyncio.run(postgres.drop(name))


@pytest.fixture(scope="module")
def pair(shared_database: SharedDatabase) -> tuple[Server, Server]:
    """Two servers that live as long as the module."""
    return shared_database.server("one"), shared_database.server("two")


@pytest.fixture
async def first_person(pair: tuple[Server, Server]) -> AsyncIterator[Person]:
    """An agent at the first server."""
    async with pair[0].person("requester") as person:
        yield person


@pytest.fixture
async def second_person(pair: tuple[Server, Server]) -> AsyncIterator[Person]:
    """A person at the second one."""
    async with pair[1].person() as person:
        yield person


async def ask_and_return_id(agent: Person, thread: str, **extra: Any) -> str:
    """Ask, and return the id."""
    request = await agent.ask(thread, FORM, **extra)
    assert request.status_code == 201, request.text
    return request.json()["id"]


@requirement("H3")
async def test_a_form_reprompted_at_another_server_is_answered_at_the_first(
    pair: tuple[Server, Server], first_person: Person, second_person: Person, thread: str
) -> None:
    request_id = await ask_and_return_id(first_person, thread, validator="requester")
    assert (await second_person.answer(request_id, {"q": "wrong"})).status_code == 200
    async with pair[1].person("requester") as agent, pair[0].person() as person:
        assert (await agent.reprompt(request_id, error_summary="Another.")).status_code == 200
        taken = await person.answer(request_id, {"q": "right"}, revision=2)
        assert (taken.status_code, taken.json()["status"]) == (200, "resolving")


ROUNDS = 5
SOON_S = 45.0
"""The limit for all rounds. A waiter polls only every ten seconds or more, so this needs notifications."""


async def answer_across_servers(
    wait: Callable[[str], Awaitable[dict[str, Any]]], agent: Person, person: Person, thread: str
) -> None:
    """Ask at one server, wait there, answer at the other; a few times."""
    with anyio.fail_after(SOON_S):
        for number in range(ROUNDS):
            request_id = await ask_and_return_id(agent, thread)
            waiting = asyncio.ensure_future(wait(request_id))
            await asyncio.sleep(0)
            given = await person.answer(request_id, {"q": f"{number}"})
            assert given.status_code == 200, given.text
            assert (await waiting)["answer"]["values"] == {"q": f"{number}"}


@requirement("H3")
async def test_an_answer_at_one_server_wakes_an_agent_on_a_websocket_of_the_other(
    pair: tuple[Server, Server], first_person: Person, second_person: Person, thread: str
) -> None:
    async with pair[0].client(transport="websocket") as agent:

        async def wait(request_id: str) -> dict[str, Any]:
            return (await agent.wait(request_id)).model_dump()

        await answer_across_servers(wait, first_person, second_person, thread)


@requirement("H3")
async def test_an_answer_at_one_server_wakes_a_long_poll_at_the_other(
    first_person: Person, second_person: Person, thread: str
) -> None:
    async def wait(request_id: str) -> dict[str, Any]:
        return (await first_person.http.get(f"/v1/requests/{request_id}", params={"wait": 20})).json()

    await answer_across_servers(wait, first_person, second_person, thread)


@requirement("H3")
async def test_the_events_of_both_servers_come_in_one_order_at_each_of_them(
    first_person: Person, second_person: Person, thread: str
) -> None:
    async def read_events(person: Person) -> list[dict[str, Any]]:
        return [event async for event in person.events(thread, until=2 * ROUNDS)]

    with anyio.fail_after(SOON_S):
        streams = [asyncio.ensure_future(read_events(person)) for person in (first_person, second_person)]
        for number in range(ROUNDS):
            given = await second_person.answer(
                await ask_and_return_id(first_person, thread), {"q": f"{number}"}
            )
            assert given.status_code == 200, given.text
        first, second = [await stream for stream in streams]
    assert first == second
    assert [event["seq"] for event in first] == list(range(1, 2 * ROUNDS + 1))
    assert Counter(event["type"] for event in first) == {
        "request.created": ROUNDS,
        "request.answered": ROUNDS,
    }


@requirement("H4")
async def test_one_of_100_concurrent_answers_at_two_servers_wins_and_the_others_get_it(
    pair: tuple[Server, Server], first_person: Person, second_person: Person, thread: str
) -> None:
    request_id = await ask_and_return_id(first_person, thread)
    async with pair[0].person() as other_person:
        sent = await asyncio.gather(
            *(
                (other_person, second_person)[n % 2].answer(request_id, {"q": f"person {n}"})
                for n in range(100)
            )
        )
    assert Counter(reply.status_code for reply in sent) == {200: 1, 409: 99}
    [won] = [reply.json() for reply in sent if reply.status_code == 200]
    assert [reply.json()["error"]["request"] for reply in sent if reply.status_code == 409] == [won] * 99
    assert await first_person.get(request_id) == won


@requirement("H10")
async def test_a_deadline_fires_once_though_both_servers_watch_it(
    first_person: Person, second_person: Person, thread: str
) -> None:
    ids = [await ask_and_return_id(first_person, thread, timeout_s=1) for _ in range(10)]
    with anyio.fail_after(120):
        ended = await asyncio.gather(
            *(second_person.http.get(f"/v1/requests/{id_}", params={"wait": 15}) for id_ in ids)
        )
        assert {reply.json()["status"] for reply in ended} == {"expired"}
        events = [event async for event in second_person.events(thread, until=20)]
    expired_ids = [item.json()["settled_at"] >= item.json()["expires_at"] for item in ended]
    assert all(expired_ids), "by the clock of the database, no server is early"
    assert Counter(event["type"] for event in events) == {"request.created": 10, "request.expired": 10}
    ask_again = await ask_and_return_id(first_person, thread)
    assert (await first_person.get(ask_again))["status"] == "pending"
    assert [event["seq"] async for event in first_person.events(thread, until=21)] == list(range(1, 22))


@requirement("H3")
async def test_an_agent_whose_server_is_killed_gets_its_answer_from_the_other(
    shared_database: SharedDatabase, pair: tuple[Server, Server], second_person: Person, thread: str
) -> None:
    mortal = shared_database.server("mortal")
    relay = Relay(mortal.url)
    url = await relay.open()
    async with AsyncClient(url, TOKENS["requester"]) as agent:
        with anyio.fail_after(120):
            request = await agent.requests.create(FORM, thread_id=thread, idempotency_key="k1")
            waiting = asyncio.ensure_future(agent.wait(request.id))
            await asyncio.sleep(0)
            relay.to(pair[0].url)
            shared_database.kill(mortal)
            given = await second_person.answer(request.id, {"q": "from the other"})
            assert given.status_code == 200, given.text
            ended = await waiting
            assert ended.answer is not None
            assert ended.answer.values == {"q": "from the other"}
            second_request = await agent.requests.create(FORM, thread_id=thread, idempotency_key="k1")
    assert (second_request.id, second_request.status) == (request.id, "answered")
    await relay.close()


@requirement("N8", "N15")
async def test_a_session_opens_at_every_server_and_an_admin_ends_it_at_all_of_them(
    pair: tuple[Server, Server],
) -> None:
    async with pair[0].person("admin") as admin, Person(pair[0].url, None) as browser:
        await sign_in(browser.http, await admin.login_link("Eva"))
        cookie = "=".join(cookie_of(browser.http))
        offered = [Subprotocol("askback.v1"), Subprotocol(f"session.{browser.http.headers[HALF]}")]
        address, headers = (
            f"{pair[1].url.replace('http', 'ws', 1)}/v1/ws",
            {"Cookie": cookie, "Origin": pair[1].url},
        )
        async with connect(address, subprotocols=offered, additional_headers=headers) as socket:
            await socket.send('{"id": 1, "op": "ping"}')
            assert json.loads(await socket.recv()) == {"id": 1, "ok": {}}
            session = (await browser.http.get("/v1/session")).json()["session"]["id"]
            assert (await admin.http.delete(f"/v1/sessions/{session}")).status_code == 204
            with pytest.raises(ConnectionClosed) as exc_info, anyio.fail_after(120):
                await socket.recv()
        assert exc_info.value.rcvd is not None
        assert exc_info.value.rcvd.code == 4401
        for server in pair:
            own = {"Cookie": cookie}
            assert (await browser.http.get(f"{server.url}/v1/session", headers=own)).status_code == 401


async def test_logging_out_at_one_server_ends_the_streams_of_the_other(
    pair: tuple[Server, Server],
) -> None:
    async with pair[0].person("admin") as admin, Person(pair[0].url, None) as browser:
        assert (await sign_in(browser.http, await admin.login_link("Eva"))).status_code == 201
        name, secret = cookie_of(browser.http)
        cookie = {"Cookie": f"{name}={secret}", HALF: browser.http.headers[HALF]}
        async with (
            Person(pair[1].url, None) as other_person,
            other_person.http.stream("GET", "/v1/events", headers=cookie) as stream,
        ):
            assert stream.status_code == 200
            remaining_reply = await browser.http.delete("/v1/session")
            assert remaining_reply.status_code == 204
            with anyio.fail_after(120), contextlib.suppress(httpx2.RemoteProtocolError):
                assert [line async for line in stream.aiter_lines() if line.startswith("data:")] == []
        session_reply = await browser.http.get(f"{pair[1].url}/v1/session", headers=cookie)
        assert session_reply.status_code == 401


@requirement("C15")
async def test_a_page_at_one_server_counts_as_present_for_an_agent_at_the_other(
    first_person: Person, second_person: Person, thread: str
) -> None:
    async def end() -> dict[str, Any]:
        return (await first_person.ask(thread, FORM, require_client="fail_fast")).json()

    async def nobody() -> None:
        with anyio.fail_after(SOON_S):
            while (request := await end())["status"] == "pending":
                pass
        assert request["reason"] == "not_shown"

    await nobody()  # readers of earlier tests may just have left
    async with second_person.http.stream("GET", f"/v1/threads/{thread}/events", params={"cursor": 0}):
        assert (await end())["status"] == "pending"
    await nobody()


@requirement("C15")
async def test_an_agent_waiting_for_presence_is_notified_of_a_page_at_another_server(
    first_person: Person, second_person: Person, thread: str
) -> None:
    request_id = await ask_and_return_id(first_person, thread, require_client="wait")
    assert (await first_person.get(request_id))["unseen"] is True
    with anyio.fail_after(SOON_S):
        seen_items = [event async for event in second_person.events(thread, until=2)]
    assert [event["type"] for event in seen_items] == ["request.created", "request.noted"]
    assert "unseen" not in await first_person.get(request_id)


@dataclass
class Connecting:
    """Two servers with the same master key, and a provider that both know."""

    first: Server
    second: Server
    crm: Provider


@pytest.fixture
async def connecting(postgres: PostgresServer, tmp_path: Path) -> AsyncIterator[Connecting]:
    """Servers on a separate database: each opens tokens that the other has sealed."""
    name = await postgres.new()
    async with provider() as crm:
        house = SharedDatabase(
            postgres.database(name).url,
            tmp_path,
            ASKBACK_MASTER_KEYS=ring("one"),
            ASKBACK_OAUTH_PROVIDERS=crm.settings,
            CRM_CLIENT_SECRET=CLIENT_SECRET,
            ASKBACK_WEBHOOK_HOSTS="127.0.0.1",
        )
        yield Connecting(house.server("one"), house.server("two"), crm)
        house.close()
    await postgres.drop(name)


@requirement("E24", "H3")
async def test_a_connection_that_began_at_one_server_ends_with_the_callback_at_the_other(
    connecting: Connecting, thread: str
) -> None:
    first, second = connecting.first, connecting.second
    request_members = {
        "kind": "action",
        "thread_id": thread,
        "action": {"title": "Connect it", "provider": "crm"},
    }
    async with (
        first.person("requester") as agent,
        first.person() as person,
        Person(second.url, None) as returned_person,
    ):
        reply = await agent.http.post("/v1/requests", json=request_members)
        assert reply.status_code == 201, reply.text
        request_id = reply.json()["id"]
        click = await person.http.post(f"/v1/requests/{request_id}/oauth/start", json={})
        assert click.status_code == 201, click.text
        state, code = connecting.crm.allow(click.json()["url"])
        callback, query = "/v1/oauth/callback", {"state": state, "code": code}
        stranger = await returned_person.http.get(callback, params=query)
        assert (stranger.status_code, connecting.crm.forms) == (400, [])
        cookie = {"Cookie": click.headers["set-cookie"].partition(";")[0]}
        page = await returned_person.http.get(callback, params=query, headers=cookie)
        assert (page.status_code, 'id="failed" hidden' in page.text) == (200, True)
        replayed = await person.http.get(callback, params=query, headers=cookie)
        assert (replayed.status_code, len(connecting.crm.forms)) == (400, 1)
        names = ["CRM_TOKEN", "CRM_TOKEN_REFRESH"]
        finished_reply = await agent.get(request_id)
        assert finished_reply["answer"] == {"outcome": "done", "names": names, "scope": "session"}
    for server in (first, second):
        async with server.person("requester") as agent:
            lease = await agent.http.post("/v1/secrets/lease", json={"thread_id": thread, "names": names})
            leased = {name: item["value"] for name, item in lease.json()["secrets"].items()}
            assert leased == {"CRM_TOKEN": ACCESS, "CRM_TOKEN_REFRESH": REFRESH}
