"""Values are tested before they are accepted, each submission once, and a person is not asked forever."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping

import anyio
import pytest

from askback import AsyncClient, Client, Lease
from askback.client.probing import ROUNDS
from askback.domain.secrets.secret import Secret
from askback.errors import Invalid
from askback.ports.probe import HOLDS, UNVERIFIABLE, Verdict, fails
from tests.client.conftest import Connect, clients_of_app
from tests.client.servers import TOKENS, ServerProcess
from tests.client.submitting import submit_secrets, submitting
from tests.requirements import requirement

TRANSPORTS = ("websocket",)


GOOD, BAD = "good-canary-71c2", "bad-canary-9b1f"


async def reject_wrong_key(lease: Lease) -> dict[str, str] | None:
    return (
        None if lease["A_KEY"].reveal() == GOOD else {"A_KEY": f"The CRM refuses {lease['A_KEY'].reveal()}."}
    )


@requirement("E23")
async def test_a_secret_that_fails_its_probe_is_asked_again_with_the_error_at_its_name(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    async with submitting(person, thread, {"A_KEY": BAD}, {"A_KEY": GOOD}) as requests:
        secrets = await agent.secrets.request(
            "A_KEY", reason="To try it.", thread_id=thread, probe=reject_wrong_key
        )
    assert (secrets.status, secrets.names) == ("answered", ("A_KEY",))
    assert [(request.revision, request.secret.probe) for request in requests if request.secret] == [
        (1, True),
        (2, True),
    ]
    assert [(error.path, error.message) for error in requests[1].field_errors] == [
        ("secrets.A_KEY", "The CRM refuses [secret:A_KEY].")
    ]
    async with agent.secrets.lease("A_KEY", thread_id=thread) as lease:
        assert lease["A_KEY"].reveal() == GOOD


async def test_a_secret_is_neither_stored_nor_leased_before_its_probe(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    reply_statuses: list[int] = []

    async def probe(lease: Lease) -> None:
        reply_statuses.append(
            len([secret for secret in await person.secrets.list() if secret.thread_id == thread])
        )

    async with submitting(person, thread, {"A_KEY": GOOD}):
        assert await agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread, probe=probe)
    assert reply_statuses == [0]


async def test_a_saved_value_that_the_person_chose_is_tried_with_the_typed_one(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await submit_secrets(agent, person, thread, {"OLD_KEY": GOOD})
    tried: list[dict[str, str]] = []

    def probe(lease: Lease) -> None:
        tried.append({name: value.reveal() for name, value in lease.items()})

    async def answer() -> None:
        async for event in person.events(thread, cursor=0):
            if event["type"] == "request.created" and len(event["request"]["secret"]["names"]) == 2:
                request = await person.requests.get(event["request"]["id"])
                await person.requests.submit(request, {"NEW_KEY": "typed-one"}, use_existing=["OLD_KEY"])
                return

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(answer)
            both = await agent.secrets.request(
                ["OLD_KEY", "NEW_KEY"], reason="Both.", thread_id=thread, probe=probe
            )
    assert (both.status, both.existing) == ("answered", ("OLD_KEY",))
    assert tried == [{"NEW_KEY": "typed-one", "OLD_KEY": GOOD}]


async def test_a_probe_that_fails_asks_once_more_and_then_takes_the_request_back(
    agent: AsyncClient, person: AsyncClient, thread: str, caplog: pytest.LogCaptureFixture
) -> None:
    calls = 0

    async def broken(lease: Lease) -> None:
        nonlocal calls
        calls += 1
        raise RuntimeError(f"no route, tried {lease['A_KEY'].reveal()}")

    with caplog.at_level(logging.DEBUG):
        async with submitting(person, thread, {"A_KEY": BAD}, {"A_KEY": GOOD}) as requests:
            secrets = await agent.secrets.request(
                "A_KEY", reason="To try it.", thread_id=thread, probe=broken
            )
    assert not secrets
    assert (secrets.status, calls) == ("cancelled", 2)
    assert secrets.request is not None
    assert secrets.request.reason == "failed"
    assert requests[1].error_summary == "The agent could not verify this. Check it, and send it again."
    assert "the probe failed with RuntimeError" in caplog.text
    assert BAD not in caplog.text


async def test_a_probe_that_always_refuses_ends_after_ten_rounds(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    submissions = [{"A_KEY": f"{BAD}-{n}"} for n in range(ROUNDS)]
    async with submitting(person, thread, *submissions) as requests:
        secrets = await agent.secrets.request(
            "A_KEY", reason="To try it.", thread_id=thread, probe=reject_wrong_key
        )
    assert (secrets.status, len(requests)) == ("cancelled", ROUNDS)


async def test_a_probe_that_speaks_of_another_name_has_verified_nothing(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    async with submitting(person, thread, {"A_KEY": GOOD}, "dismissed") as requests:
        secrets = await agent.secrets.request(
            "A_KEY", reason="To try it.", thread_id=thread, probe=lambda lease: {"B_KEY": "Wrong."}
        )
    assert (secrets.status, len(requests)) == ("dismissed", 2)
    assert requests[1].error_summary


async def test_a_probe_that_may_have_run_before_a_crash_is_not_run_again(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    tried: list[str] = []

    async def probe(lease: Lease) -> None:
        tried.append(lease["A_KEY"].reveal())

    async def hangs(lease: Lease) -> None:
        tried.append(lease["A_KEY"].reveal())
        death_event.set()
        await anyio.sleep_forever()

    async def ask(agent: AsyncClient, probe: object) -> None:
        await agent.secrets.request(
            "A_KEY",
            reason="To try it.",
            thread_id=thread,
            probe=probe,  # type: ignore[arg-type]
            idempotency_key=f"{thread}-key".encode().hex(),
            cancel_on_abort=False,
        )

    death_event = anyio.Event()
    async with submitting(person, thread, {"A_KEY": BAD}, {"A_KEY": GOOD}) as requests:
        async with connect("requester") as first, anyio.create_task_group() as tasks:
            tasks.start_soon(ask, first, hangs)
            await death_event.wait()
            tasks.cancel_scope.cancel()
        async with connect("requester") as second:
            await ask(second, probe)
    assert tried == [BAD, GOOD]
    assert [bool(request.error_summary) for request in requests] == [False, True]


async def test_an_agent_cancelled_during_a_probe_withdraws_the_request(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    trying = anyio.Event()

    async def hangs(lease: Lease) -> None:
        trying.set()
        await anyio.sleep_forever()

    async with submitting(person, thread, {"A_KEY": GOOD}) as requests, anyio.create_task_group() as tasks:
        tasks.start_soon(
            lambda: agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread, probe=hangs)
        )
        await trying.wait()
        tasks.cancel_scope.cancel()
    with anyio.fail_after(120):
        assert (await person.wait(requests[0])).reason == "agent_aborted"


def test_the_blocking_client_tries_as_well(server: ServerProcess, thread: str) -> None:
    tried: list[str] = []

    def probe(lease: Lease) -> None:
        tried.append(lease["A_KEY"].reveal())

    with (
        Client(server.url, TOKENS["requester"]) as agent,
        Client(server.url, TOKENS["responder"]) as person,
    ):

        def answer() -> None:
            for event in person.events(thread, cursor=0):
                person.requests.submit(event["request"]["id"], {"A_KEY": GOOD})
                return

        answering = threading.Thread(target=answer)
        answering.start()
        assert agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread, probe=probe)
        answering.join(120)
    assert tried == [GOOD]


async def test_a_probe_needs_a_wait(agent: AsyncClient, thread: str) -> None:
    with pytest.raises(ValueError, match="wait=False"):
        await agent.secrets.request("A_KEY", reason="x", thread_id=thread, probe=reject_wrong_key, wait=False)


class Crm:
    """A probe of a server that knows one value."""

    async def probe(self, secrets: Mapping[str, Secret], /) -> Verdict:
        if secrets["A_KEY"].reveal() == "unreachable":
            return UNVERIFIABLE
        return HOLDS if secrets["A_KEY"].reveal() == GOOD else fails({"A_KEY": "The CRM refuses it."})


@requirement("E23")
async def test_the_server_runs_the_probe_that_the_agent_names(thread: str) -> None:
    async with (
        clients_of_app(probes={"crm": Crm()}) as connect,
        connect("requester") as agent,
        connect("responder") as person,
    ):
        async with submitting(person, thread, {"A_KEY": BAD}, {"A_KEY": GOOD}) as requests:
            good = await agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread, probe="crm")
        assert (good.status, good.verified) == ("answered", True)
        assert [error.message for error in requests[1].field_errors] == ["The CRM refuses it."]
        async with submitting(person, f"{thread}-2", {"A_KEY": "unreachable"}):
            stored_secret = await agent.secrets.request(
                "A_KEY", reason="To try it.", thread_id=f"{thread}-2", probe="crm"
            )
        assert (stored_secret.status, stored_secret.verified) == ("answered", False)
        assert stored_secret.text.endswith("Not verified: it may not work.")
        with pytest.raises(Invalid) as exc_info:
            await agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread, probe="other")
        assert [fault["path"] for fault in exc_info.value.field_errors] == ["secret.probe"]


async def test_the_servers_probe_is_named_without_waiting_as_well(thread: str) -> None:
    async with clients_of_app(probes={"crm": Crm()}) as connect, connect("requester") as agent:
        request = await agent.secrets.request("A_KEY", reason="x", thread_id=thread, probe="crm", wait=False)
    assert request.status == "pending"
    assert request.request is not None
    assert request.request.secret is not None
    assert request.request.secret.probe == "crm"
