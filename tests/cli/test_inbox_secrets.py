"""`askback inbox` and secrets: typed hidden, stored in the chosen scope, reused, or refused."""

from __future__ import annotations

from typing import Any

import anyio

from askback import AsyncClient, Form, InputRequest, SecretAsk, Text
from tests.cli.conftest import Server
from tests.cli.scripts import run_inbox_from_pipe
from tests.cli.terminals import run_on_terminal
from tests.requirements import requirement

CANARY = "canary-7e21-b0f4"
PEM = ["-----BEGIN KEY-----", "abcdefgh", "..", ".end", "-----END KEY-----"]


async def create_secret_request(client: AsyncClient, thread: str, *names: str, **extra: Any) -> InputRequest:
    secrets = await client.secrets.request(
        list(names), reason="To call the CRM.", thread_id=thread, wait=False, **extra
    )  # type: ignore[arg-type]
    assert secrets.request is not None
    return secrets.request


async def lease_values(agent: AsyncClient, thread: str, *names: str) -> dict[str, str]:
    async with agent.secrets.lease(names, thread_id=thread) as lease:
        return {name: value.reveal() for name, value in lease.items()}


@requirement("E11")
async def test_values_are_typed_and_the_person_chooses_the_scope(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await create_secret_request(
        agent,
        thread,
        "ALL_B",
        "ALL_A",
        instructions="Get one at **the console**.",
        metadata={
            "ALL_A": {"description": "Only to read.", "format_hint": "32 digits", "placeholder": "pat-…"}
        },
        agent="crm",
    )
    out = await run_inbox_from_pipe(server, thread, CANARY, "other-value", "everywhere")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None, out
    assert (settled_request.answer.names, settled_request.answer.scope) == (["ALL_A", "ALL_B"], "global")
    assert await lease_values(agent, thread, "ALL_A", "ALL_B") == {"ALL_A": CANARY, "ALL_B": "other-value"}
    for expected_line in (
        "asked by agent, as crm",
        "> To call the CRM.",
        "> Get one at **the console**.",
        "> Only to read.",
        "> 32 digits",
        "> such as pat-…",
        "Type values here, never paste them into chat.",
        "ALL_A, ALL_B: stored (global).",
    ):
        assert expected_line in out
    assert CANARY not in out


async def test_an_empty_line_accepts_the_suggested_scope(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await create_secret_request(agent, thread, "A_KEY", default_scope="project", project="web")
    out = await run_inbox_from_pipe(server, thread, "", CANARY, "nowhere", "")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None, out
    assert settled_request.answer.scope == "project"
    assert "Enter a value" in out
    assert "[c]onversation  [p]roject web  [e]verywhere  [project]" in out


@requirement("E10")
async def test_an_empty_line_uses_the_stored_value_and_only_the_rest_is_typed(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await person.secrets.set("A_KEY", CANARY, scope="session", thread_id=thread)
    all_request = await create_secret_request(agent, thread, "A_KEY", "B_KEY")
    await run_inbox_from_pipe(server, thread, "", "typed-value", "")
    settled_request = await agent.requests.get(all_request.id)
    assert settled_request.answer is not None
    assert settled_request.answer.existing == ["A_KEY"]
    assert await lease_values(agent, thread, "A_KEY", "B_KEY") == {"A_KEY": CANARY, "B_KEY": "typed-value"}


@requirement("E6", "E9")
async def test_an_empty_line_leaves_an_optional_value_out(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await create_secret_request(
        agent, thread, "A_KEY", "B_KEY", metadata={"A_KEY": {"optional": True}}
    )
    out = await run_inbox_from_pipe(server, thread, "", CANARY, "")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None, out
    assert settled_request.answer.names == ["B_KEY"]
    assert "optional; Enter leaves it out" in out


@requirement("N9")
async def test_if_all_values_are_stored_only_their_use_is_confirmed(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    await person.secrets.set("A_KEY", CANARY, scope="session", thread_id=thread)
    await create_secret_request(agent, thread, "A_KEY", default_scope="project", project=f"p-{len(thread)}")
    out = await run_inbox_from_pipe(server, thread, "y")
    assert "A_KEY is saved. Let agent use it? [y/N]" in out
    assert "A_KEY: the agent may use it." in out


@requirement("E7")
async def test_white_space_at_the_ends_is_kept_and_warned_about(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    await create_secret_request(agent, thread, "A_KEY")
    out = await run_inbox_from_pipe(server, thread, f"{CANARY} ", "")
    assert "begins or ends with a space" in out
    assert await lease_values(agent, thread, "A_KEY") == {"A_KEY": f"{CANARY} "}


@requirement("E21")
async def test_a_key_of_several_lines_is_kept_line_by_line(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    await create_secret_request(agent, thread, "PEM_KEY", metadata={"PEM_KEY": {"input": "textarea"}})
    typed = [f".{line}" if line.startswith(".") else line for line in PEM]
    out = await run_inbox_from_pipe(server, thread, *typed, ".", "")
    assert await lease_values(agent, thread, "PEM_KEY") == {"PEM_KEY": "".join(f"{line}\n" for line in PEM)}
    assert "5 lines, " in out
    assert "abcdefgh" not in out


async def test_back_returns_to_the_previous_value(server: Server, agent: AsyncClient, thread: str) -> None:
    await create_secret_request(agent, thread, "A_KEY", "B_KEY")
    await run_inbox_from_pipe(
        server, thread, "wrong-value", ":back", CANARY, "other-value", ":back", "better-value", ""
    )
    assert await lease_values(agent, thread, "A_KEY", "B_KEY") == {"A_KEY": CANARY, "B_KEY": "better-value"}


async def test_a_value_that_the_server_refuses_is_typed_again(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    await create_secret_request(agent, thread, "A_KEY", "B_KEY")
    out = await run_inbox_from_pipe(server, thread, "x" * 10_241, "other-value", "", CANARY, "")
    assert "Must be at most 10240 bytes." in out
    assert await lease_values(agent, thread, "A_KEY", "B_KEY") == {"A_KEY": CANARY, "B_KEY": "other-value"}


async def test_it_can_be_dismissed_or_left_open(server: Server, agent: AsyncClient, thread: str) -> None:
    request = await create_secret_request(agent, thread, "A_KEY")
    out = await run_inbox_from_pipe(server, thread, ":help", ":later")
    assert ":dismiss" in out
    assert (await agent.requests.get(request.id)).status == "pending"
    await run_inbox_from_pipe(server, thread, ":dismiss")
    settled_request = await agent.requests.get(request.id)
    assert (settled_request.status, settled_request.reason) == ("declined", "dismissed")


@requirement("E23")
async def test_a_value_that_the_agent_could_not_use_is_asked_again_with_the_error(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await agent.requests.create(
        SecretAsk(names=["A_KEY"], reason="To try it.", probe=True), thread_id=thread
    )
    out = await run_inbox_from_pipe(server, thread, "wrong-value", "")
    assert "A_KEY: sent. The agent tests it before it is stored." in out
    await agent.requests.reprompt(
        request, field_errors={"A_KEY": "The CRM refuses it."}, error_summary="Try another."
    )
    out = await run_inbox_from_pipe(server, thread, CANARY, "")
    assert "The CRM refuses it." in out
    assert "Try another." in out
    await agent.requests.accept(request)
    assert await lease_values(agent, thread, "A_KEY") == {"A_KEY": CANARY}


@requirement("E5")
async def test_a_terminal_shows_nothing_of_a_typed_secret(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await create_secret_request(agent, thread, "A_KEY")
    async with run_on_terminal(server.data, "inbox", "--request", request.id) as (screen, _):
        await screen.shows("value, hidden:")
        screen.type(f"{CANARY}\n")
        await screen.shows("Store for:")
        screen.type("conversation\n")
        screen_text = await screen.rest()
    assert "conversation\r\n" in screen_text  # input that is not secret is shown again
    assert CANARY not in screen_text
    assert await lease_values(agent, thread, "A_KEY") == {"A_KEY": CANARY}


async def test_several_pasted_lines_are_not_one_value(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    request = await create_secret_request(agent, thread, "A_KEY")
    async with run_on_terminal(server.data, "inbox", "--request", request.id) as (screen, _):
        await screen.shows("value, hidden:")
        screen.type(f"first\n{CANARY}\nthird\n")
        await screen.shows("More than one line")
        screen.type(f"{CANARY}\n")
        await screen.shows("Store for:")
        screen.type("\n")
        assert CANARY not in await screen.rest()
    assert await lease_values(agent, thread, "A_KEY") == {"A_KEY": CANARY}


@requirement("E22")
async def test_a_sensitive_field_of_a_form_is_typed_unseen(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    form = Form(
        fields=[Text(id="host", label="Host"), Text(id="token", label="Token", sensitive=True, min_length=9)]
    )
    request = await agent.requests.create(form, thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "example.org", "short", CANARY, "y")
    settled_request = await agent.requests.get(request.id)
    assert settled_request.answer is not None, out
    token = settled_request.answer.values["token"]
    assert isinstance(token, dict)
    assert token["set"] is True
    assert "Token: set" in out
    assert CANARY not in out
    with anyio.fail_after(120):
        async with agent.secrets.lease([], refs=[str(token["ref"])], thread_id=thread) as lease:
            assert lease[str(token["ref"])].reveal() == CANARY
