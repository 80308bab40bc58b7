"""`askback secrets`: secrets are set without being shown, listed by name, erased, and rewrapped with a new key."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import partial
from pathlib import Path

import anyio
import httpx2
import pytest

from askback import AsyncClient, Conflict
from tests.cli.conftest import Server, start
from tests.cli.scripts import complete
from tests.cli.terminals import run_on_terminal
from tests.requirements import requirement

CANARY = "canary-9c14-ee07"


async def run_secrets(server: Server, *arguments: str, stdin: str | None = None) -> tuple[int, str, str]:
    process = server.run("secrets", *arguments, stdin=None if stdin is None else stdin.encode())
    return await anyio.to_thread.run_sync(complete, process)


async def lease_stored_value(server: Server, agent: AsyncClient, thread: str, name: str) -> str:
    """Let every agent use a stored secret, request and lease it with this agent, and return its value."""
    async with server.client("admin") as admin:
        for secret in await admin.secrets.list(limit=200):
            if secret.name == name and secret.thread_id in {None, thread}:
                await admin.secrets.set_agents(secret, "all")
    assert await agent.secrets.request(name, reason="To look.", thread_id=thread)
    async with agent.secrets.lease(name, thread_id=thread) as lease:
        return lease[name].reveal()


@requirement("E19")
async def test_a_piped_value_is_stored_exactly_and_never_printed(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    status, out, err = await run_secrets(
        server, "set", "A_KEY", "--scope", "session", "--thread", thread, stdin=f"{CANARY}\n"
    )
    assert status == 0, err
    assert re.match(rf"sec_\w+  A_KEY  session {re.escape(thread)}\n    value 1, set .* by owner\n", out)
    assert "begins or ends with a space" in err
    assert await lease_stored_value(server, agent, thread, "A_KEY") == f"{CANARY}\n"
    _, listed, _ = await run_secrets(server, "list")
    _, as_json, _ = await run_secrets(server, "list", "--json")
    [secret] = [one for line in as_json.splitlines() if (one := json.loads(line)).get("thread_id") == thread]
    assert (secret["name"], secret["scope"], secret["version"]) == ("A_KEY", "session", 1)
    assert secret["id"] in listed
    assert CANARY not in out + err + listed + as_json


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--scope", "session"], "session needs --thread"),
        (["--scope", "project", "--thread", "t"], "project needs --project"),
        (["--scope", "global", "--project", "p"], "global cannot be combined with"),
        (["--scope", "everywhere"], "must be one of session, project, global"),
        (["--thread", "t", "--project", "p"], "not both"),
    ],
)
async def test_options_that_contradict_each_other_are_refused(
    server: Server, options: list[str], says: str
) -> None:
    status, _, err = await run_secrets(server, "set", "A_KEY", *options, stdin=CANARY)
    assert status == 2
    assert says in err


async def test_a_value_is_typed_at_a_prompt_that_does_not_show_it(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    arguments = ["secrets", "set", "A_KEY", "--thread", thread]
    async with run_on_terminal(server.data, *arguments) as (screen, _):
        await screen.shows("Value of A_KEY, hidden:")
        screen.type(f"{CANARY}\n")
        screen_text = await screen.rest()
    assert "value 1" in screen_text
    assert CANARY not in screen_text
    assert await lease_stored_value(server, agent, thread, "A_KEY") == CANARY


async def test_the_command_line_takes_no_value(server: Server, thread: str) -> None:
    status, _, err = await run_secrets(server, "set", "A_KEY", CANARY, "--thread", thread, stdin="")
    assert status == 2
    status, _, err = await run_secrets(server, "set", "A_KEY", "--value", CANARY, stdin="")
    assert status == 2
    assert CANARY not in err


@pytest.mark.parametrize(
    ("name", "stdin", "message"),
    [
        ("A_KEY", "", "blank"),
        ("LD_PRELOAD", CANARY, "Blocked by allow-list"),
        ("A_KEY", CANARY * 700, "10240 bytes"),
    ],
)
async def test_an_invalid_value_is_refused_without_being_shown(
    server: Server, thread: str, name: str, stdin: str, message: str
) -> None:
    status, out, err = await run_secrets(server, "set", name, "--thread", thread, stdin=stdin)
    assert (status, out) == (1, "")
    assert message in err
    assert CANARY not in err


async def test_bytes_that_are_no_text_are_refused(server: Server, thread: str) -> None:
    process = server.run("secrets", "set", "A_KEY", "--thread", thread, stdin=b"\xff" + CANARY.encode())
    status, _, err = await anyio.to_thread.run_sync(complete, process)
    assert (status, err) == (1, "askback: The value is not valid UTF-8.\n")


async def test_a_secret_is_erased_by_its_id_or_by_a_name_that_only_it_has(
    server: Server, person: AsyncClient, thread: str
) -> None:
    own_secret = await person.secrets.set("ERASED_KEY", CANARY, scope="session", thread_id=thread)
    await person.secrets.set("ERASED_KEY", CANARY, scope="session", thread_id=f"{thread}-2")
    status, _, err = await run_secrets(server, "erase", "ERASED_KEY")
    assert status == 1
    assert "2 secrets are named ERASED_KEY. Give the id of one: " in err
    assert own_secret.id in err
    assert (await run_secrets(server, "erase", own_secret.id))[:2] == (0, "ERASED_KEY is erased.\n")
    assert (await run_secrets(server, "erase", "ERASED_KEY"))[:2] == (0, "ERASED_KEY is erased.\n")
    status, _, err = await run_secrets(server, "erase", "ERASED_KEY")
    assert (status, err) == (1, "askback: There is no secret ERASED_KEY. See: askback secrets list\n")


@requirement("E15")
def test_rotation_seals_all_secrets_with_the_first_key_and_counts_unreadable_ones(tmp_path: Path) -> None:
    def secrets(*arguments: str, keys: str, stdin: str = "") -> tuple[int, str]:
        process = start("secrets", *arguments, ASKBACK_DATA_DIR=str(tmp_path), ASKBACK_MASTER_KEYS=keys)
        status, out, _ = complete(process, stdin)
        return status, out

    old, new, third = (f"k{n}:{b64encode(bytes([n]) * 32).decode()}" for n in range(3))
    assert secrets("set", "A_KEY", keys=old, stdin=CANARY)[0] == 0
    assert secrets("rotate", keys=f"{new},{old}") == (
        0,
        "Re-encrypted with the first master key: 1. Could not be decrypted: 0.\n",
    )
    assert secrets("rotate", keys=new) == (
        0,
        "Re-encrypted with the first master key: 0. Could not be decrypted: 0.\n",
    )
    assert secrets("rotate", keys=third) == (
        1,
        "Re-encrypted with the first master key: 0. Could not be decrypted: 1.\n",
    )


@requirement("E15")
async def test_a_server_with_a_key_file_gets_a_new_key_while_it_runs(
    server: Server, person: AsyncClient, agent: AsyncClient, thread: str
) -> None:
    await person.secrets.set("A_KEY", CANARY, scope="session", thread_id=thread)
    before = (server.data / "master.key").read_text()
    status, out, _ = await run_secrets(server, "rotate")
    assert status == 0
    assert re.match(
        r"Re-encrypted with the first master key: [1-9]\d*\. Could not be decrypted: 0\.\nThe old key was removed",
        out,
    )
    new_key = (server.data / "master.key").read_text()
    keys = [line for text in (before, new_key) for line in text.splitlines() if not line.startswith("#")]
    assert len(keys) == len(set(keys)) == 2
    assert await lease_stored_value(server, agent, thread, "A_KEY") == CANARY


@requirement("N9")
async def test_an_agent_is_granted_a_secret_and_has_to_ask_again_after_it_is_revoked(
    server: Server, agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    secret = await person.secrets.set("G_KEY", CANARY, scope="session", thread_id=thread)
    status, out, err = await run_secrets(server, "grant", secret.id, "--agent", "all")
    assert (status, out) == (0, "Every agent may use G_KEY without asking.\n"), err
    assert await lease_stored_value(server, agent, thread, "G_KEY") == CANARY
    await run_secrets(server, "revoke", secret.id, "--agent", "all")
    assert await person.secrets.agents(secret) == []
    request = await agent.secrets.request("G_KEY", reason="To look.", thread_id=thread, wait=False)
    assert request.request is not None
    me = request.request.requester
    assert me is not None
    status, _, err = await run_secrets(server, "grant", "G_KEY", "--agent", me.id)
    assert (status, await person.secrets.agents(secret)) == (0, [me.id]), err
    [line] = [line for line in (await run_secrets(server, "list"))[1].split("sec_") if "  G_KEY  " in line]
    assert line.endswith("\n    used by agent\n")
    status, _, err = await run_secrets(server, "grant", "G_KEY", "--agent", "nobody-here")
    assert status != 0
    assert "nobody-here" in err


@requirement("N9")
async def test_concurrent_grants_to_several_agents_are_all_stored(
    server: Server, person: AsyncClient, thread: str
) -> None:
    secret = await person.secrets.set("MANY_KEY", CANARY, scope="session", thread_id=thread)
    async with httpx2.AsyncClient(
        base_url=server.url, headers={"Authorization": f"Bearer {server.tokens['admin']}"}
    ) as http:
        requests = [
            (await http.post("/v1/agents", json={"name": f"{thread}-{n}"})).json()["id"] for n in range(4)
        ]
    async with anyio.create_task_group() as tasks:
        for request in requests:
            tasks.start_soon(partial(person.secrets.grant, secret, agent=request))
    assert await person.secrets.agents(secret) == sorted(requests)
    async with anyio.create_task_group() as tasks:
        for request in requests[1:]:
            tasks.start_soon(partial(person.secrets.revoke, secret, agent=request))
    assert await person.secrets.agents(secret) == requests[:1]
    await person.secrets.set_agents(secret, "all")
    with pytest.raises(Conflict) as exc_info:
        await person.secrets.revoke(secret, agent=requests[0])
    assert exc_info.value.code == "every_agent"
    status, _, err = await run_secrets(server, "revoke", secret.id, "--agent", requests[0])
    assert (status, err) == (1, "askback: Every agent may use MANY_KEY. Revoke it with --agent all first.\n")
