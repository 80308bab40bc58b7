"""Requests for secrets return names and a sentence over every transport, and never a value."""

from __future__ import annotations

import anyio
import pytest

from askback import AsyncClient, Client, Conflict, Form, Invalid, NotFound, SecretAsk, SecretHelp, Text
from askback.vault.envelope import LockedVault
from tests.client.conftest import Connect, clients_of_app
from tests.client.deciding import wait_for_request
from tests.client.servers import TOKENS, ServerProcess
from tests.client.submitting import submit_secrets, submitting
from tests.requirements import requirement

VALUE = "pat-na1-0d9c-77aa"


@requirement("E1")
async def test_asking_without_waiting_returns_names_and_state_before_anybody_has_answered(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    pending = await agent.secrets.request("CRM_KEY", reason="To call it.", thread_id=thread, wait=False)
    assert not pending
    assert (pending.status, pending.names, pending.scope, pending.existing) == (
        "pending",
        ("CRM_KEY",),
        None,
        (),
    )
    assert pending.request is not None
    settled_request = await person.requests.submit(pending.request, {"CRM_KEY": VALUE})
    with anyio.fail_after(120):
        assert await agent.wait(pending.request) == settled_request
    assert VALUE not in settled_request.model_dump_json()
    async with agent.secrets.lease("CRM_KEY", thread_id=thread) as lease:
        assert lease["CRM_KEY"].reveal() == VALUE


async def test_a_submitted_secret_is_reported_by_name_and_scope(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    async with submitting(person, thread, {"A_KEY": VALUE, "B_KEY": VALUE}) as requests:
        secrets = await agent.secrets.request(
            ["B_KEY", "A_KEY"],
            reason="To call it.",
            instructions="Get one at **the console**.",
            thread_id=thread,
            default_scope="project",
            project=thread,
            metadata={"A_KEY": SecretHelp(description="The read key."), "B_KEY": {"input": "textarea"}},
            agent="crm",
        )
    assert secrets
    assert (secrets.status, secrets.names, secrets.scope) == ("answered", ("A_KEY", "B_KEY"), "project")
    assert secrets.text == (
        "[askback] User submitted A_KEY, B_KEY (scope: project). You can now retry the operation that needed them."
    )
    shown_secret = requests[0].secret
    assert shown_secret is not None
    assert (shown_secret.names, shown_secret.reason, shown_secret.instructions) == (
        ["A_KEY", "B_KEY"],
        "To call it.",
        "Get one at **the console**.",
    )
    assert (shown_secret.metadata["A_KEY"].description, shown_secret.metadata["B_KEY"].input) == (
        "The read key.",
        "textarea",
    )
    assert VALUE not in repr(secrets) + secrets.request.model_dump_json()  # type: ignore[union-attr]


@requirement("E2")
@pytest.mark.parametrize(
    ("names", "paths"),
    [
        ([], ["secret.names"]),
        ([f"KEY_{n}" for n in range(11)], ["secret.names"]),
        (["a-b"], ["secret.names[0]"]),
        (["A_KEY", "A_KEY"], ["secret.names[1]"]),
        (["LD_PRELOAD", "A_KEY", "ASKBACK_TOKEN"], ["secret.names[0]", "secret.names[2]"]),
    ],
)
async def test_names_that_no_secret_may_have_are_refused_when_they_are_asked_for(
    agent: AsyncClient, thread: str, names: list[str], paths: list[str]
) -> None:
    with pytest.raises(Invalid) as exc_info:
        await agent.secrets.request(names, reason="To try it.", thread_id=thread)
    assert [fault["path"] for fault in exc_info.value.field_errors] == paths
    assert len(await agent.requests.list(thread_id=thread)) == 0


async def test_a_secret_stored_in_the_scope_is_returned_without_asking(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await submit_secrets(agent, person, thread, {"A_KEY": VALUE})
    second_request = await agent.secrets.request(["A_KEY"], reason="To try it.", thread_id=thread)
    assert second_request
    assert (second_request.status, second_request.existing, second_request.scope) == (
        "already_present",
        ("A_KEY",),
        "session",
    )
    assert second_request.text == "[askback] A_KEY was already configured. You can proceed."


async def test_a_person_who_uses_stored_values_types_only_the_rest(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await submit_secrets(agent, person, thread, {"OLD_KEY": VALUE})
    both = await agent.secrets.request(["OLD_KEY", "NEW_KEY"], reason="Both.", thread_id=thread, wait=False)
    assert both.request is not None
    settled_request = await person.requests.submit(
        both.request, {"NEW_KEY": "n" * 8}, use_existing=["OLD_KEY"]
    )
    assert settled_request.answer is not None
    assert (settled_request.answer.names, settled_request.answer.existing) == (
        ["NEW_KEY", "OLD_KEY"],
        ["OLD_KEY"],
    )
    async with agent.secrets.lease(["OLD_KEY", "NEW_KEY"], thread_id=thread) as lease:
        assert {name: value.reveal() for name, value in lease.items()} == {
            "OLD_KEY": VALUE,
            "NEW_KEY": "n" * 8,
        }


@requirement("E12")
async def test_a_dismissed_request_is_not_asked_again_and_returns_the_same_text(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    async with submitting(person, thread, "dismissed") as requests:
        first = await agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread)
        second_request = await agent.secrets.request("A_KEY", reason="Please.", thread_id=thread)
    assert not first
    assert (first.status, second_request.status) == ("dismissed", "dismissed")
    assert first.text == second_request.text
    assert first.text == (
        "[askback] User dismissed the request for A_KEY. Do not re-request immediately — "
        "ask whether to proceed without, or move on to other work."
    )
    assert len(requests) == 1
    assert second_request.request is not None
    assert second_request.request.repeated


async def test_the_name_that_the_model_reads_can_be_changed(
    connect: Connect, person: AsyncClient, thread: str
) -> None:
    async with connect("requester", brand="Agor") as agent:
        pending = await agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread, wait=False)
    assert pending.text.startswith("[Agor] User was asked for A_KEY")


async def test_a_server_without_a_master_key_keeps_none_and_the_client_says_so(thread: str) -> None:
    async with clients_of_app(vault=LockedVault()) as connect, connect("requester") as agent:
        off = await agent.secrets.request(["A_KEY"], reason="To try it.", thread_id=thread)
        assert not off
        assert (off.status, off.names, off.request) == ("secrets_off", ("A_KEY",), None)
        assert "keeps no secrets" in off.text
        with pytest.raises(Conflict) as exc_info:
            await agent.requests.create(SecretAsk(names=["A_KEY"], reason="To try it."), thread_id=thread)
        assert exc_info.value.code == "secrets_off"


async def test_a_cancelled_call_withdraws_its_request(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    with anyio.move_on_after(30) as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(lambda: agent.secrets.request("A_KEY", reason="To try it.", thread_id=thread))
            request = await wait_for_request(person, thread)
            tasks.cancel_scope.cancel()
    assert not scope.cancelled_caught
    with anyio.fail_after(120):
        assert (await person.wait(request)).reason == "agent_aborted"


async def test_missing_secrets_cannot_be_leased_and_are_named(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await submit_secrets(agent, person, thread, {"A_KEY": VALUE})
    with pytest.raises(NotFound) as exc_info:
        async with agent.secrets.lease(["A_KEY", "B_KEY"], thread_id=thread):
            pytest.fail("a value that nobody gave was leased")
    assert exc_info.value.code == "not_granted"
    assert [fault["path"] for fault in exc_info.value.field_errors] == ["names[1]"]


async def test_an_erased_secret_cannot_be_leased_and_is_named(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await submit_secrets(agent, person, thread, {"A_KEY": VALUE})
    for secret in await person.secrets.list():
        if secret.thread_id == thread:
            await person.secrets.delete(secret)
    with pytest.raises(Conflict) as exc_info:
        async with agent.secrets.lease("A_KEY", thread_id=thread):
            pytest.fail("a value that was erased was leased")
    assert (exc_info.value.code, exc_info.value.field_errors[0]["path"]) == ("secret_gone", "names[0]")


async def test_a_sensitive_field_comes_back_as_set_and_is_leased_by_its_reference(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    form = Form(
        fields=[Text(id="host", label="Host"), Text(id="token", label="Token", sensitive=True)],
    )
    request = await agent.requests.create(form, thread_id=thread)
    settled_request = await person.requests.answer(request, {"host": "example.org", "token": VALUE})
    assert settled_request.answer is not None
    token = settled_request.answer.values["token"]
    assert isinstance(token, dict)
    assert (settled_request.answer.values["host"], token["set"]) == ("example.org", True)
    reference = str(token["ref"])
    async with agent.secrets.lease([], refs=[reference], thread_id=thread) as lease:
        assert lease[reference].reveal() == VALUE
        assert reference not in lease.environ({})


async def test_a_secret_is_refused_for_a_request_known_only_by_its_id(
    server: ServerProcess, thread: str
) -> None:
    form = Form(fields=[Text(id="token", label="Token", sensitive=True)])
    async with server.client() as agent, server.client("responder", transport="websocket") as person:
        request = await agent.requests.create(form, thread_id=thread)
        with pytest.raises(Conflict) as exc_info:
            await person.requests.answer(request.id, {"token": VALUE})
        assert exc_info.value.code == "http_only"
        assert (await person.requests.answer(request, {"token": VALUE})).status == "answered"


def test_the_blocking_client_asks_leases_and_keeps(server: ServerProcess, thread: str) -> None:
    with (
        Client(server.url, TOKENS["requester"]) as agent,
        Client(server.url, TOKENS["responder"]) as person,
    ):
        pending = agent.secrets.request(["A_KEY"], reason="To try it.", thread_id=thread, wait=False)
        assert pending.request is not None
        person.requests.submit(pending.request, {"A_KEY": VALUE})
        with agent.secrets.lease(["A_KEY"], thread_id=thread) as lease:
            assert lease["A_KEY"].reveal() == VALUE
        [kept_secret] = [secret for secret in person.secrets.list() if secret.thread_id == thread]
        assert (
            person.secrets.set("A_KEY", VALUE, scope="session", thread_id=thread).version
            == kept_secret.version + 1
        )
        person.secrets.delete(kept_secret)
        assert kept_secret.id not in {secret.id for secret in person.secrets.list()}
