"""`askback ask`: one line of JSON, and an exit status for every way to end."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient
from tests.cli.conftest import Server, start
from tests.cli.scripts import finish, read_request_id
from tests.requirements import requirement


async def run_and_answer(
    server: Server, person: AsyncClient, thread: str, options: Sequence[str], value: Any
) -> Any:
    process = server.run("ask", *options, "--thread", thread)
    request = await person.requests.get(await read_request_id(process))
    values = value if isinstance(value, dict) else {"answer": value}
    await person.requests.answer(request.id, values, revision=1)
    status, output = await finish(process)
    assert status == 0
    assert output.pop("request_id") == request.id
    assert output.pop("status") == "answered"
    return output


@requirement("A2")
async def test_a_confirmation_is_answered_with_yes_or_no(
    server: Server, person: AsyncClient, thread: str
) -> None:
    assert await run_and_answer(server, person, thread, ["Ship it?", "--confirm"], "Yes") == {
        "answer": "Yes",
        "other": False,
        "by": "owner",
    }


async def test_a_choice_comes_back_as_its_text(server: Server, person: AsyncClient, thread: str) -> None:
    options = ["Which?", "--choice", "A", "--choice", "B, or more", "--title", "Choose"]
    assert (await run_and_answer(server, person, thread, options, "B, or more"))["answer"] == "B, or more"


async def test_a_free_text_answer_is_marked(server: Server, person: AsyncClient, thread: str) -> None:
    output = await run_and_answer(server, person, thread, ["Which?", "--choice", "A", "--other"], "ünï")
    assert (output["answer"], output["other"]) == ("ünï", True)


async def test_text_comes_back_as_typed(server: Server, person: AsyncClient, thread: str) -> None:
    for options in (["Name?"], ["Name?", "--text"]):
        assert (await run_and_answer(server, person, thread, options, 'a "b"'))["answer"] == 'a "b"'


async def test_a_whole_form_comes_back_by_field_id(
    server: Server, person: AsyncClient, thread: str, tmp_path: Path
) -> None:
    form = {
        "fields": [{"id": "n", "type": "number", "label": "N"}, {"id": "t", "type": "text", "label": "T"}]
    }
    (tmp_path / "form.json").write_text(json.dumps(form))
    options = ["--json-form", str(tmp_path / "form.json")]
    assert (await run_and_answer(server, person, thread, options, {"n": 3}))["values"] == {"n": 3}


async def test_the_address_stays_whole_in_a_narrow_terminal(
    server: Server, person: AsyncClient, thread: str
) -> None:
    process = server.run("ask", "Really?", "--thread", thread, COLUMNS="40")
    assert process.stderr is not None
    line = await anyio.to_thread.run_sync(process.stderr.readline)
    (request,) = await person.requests.list(thread_id=thread)
    assert line.decode() == f"Waiting for an answer at {server.url}/r/{request.id} or in: askback inbox\n"
    await person.requests.decline(request.id, reason="dismissed")
    assert (await finish(process))[0] == 3


async def test_declined_ends_with_3(server: Server, person: AsyncClient, thread: str) -> None:
    process = server.run("ask", "Really?", "--thread", thread)
    await person.requests.decline(await read_request_id(process), reason="dismissed")
    status, output = await finish(process)
    assert (status, output["status"], output["reason"]) == (3, "declined", "dismissed")


async def test_cancelled_by_an_admin_ends_with_4(server: Server, thread: str) -> None:
    process = server.run("ask", "Really?", "--thread", thread)
    async with server.client("admin") as admin:
        await admin.requests.cancel(await read_request_id(process), reason="admin")
    status, output = await finish(process)
    assert (status, output["status"], output["reason"]) == (4, "cancelled", "admin")


async def test_expired_ends_with_5(server: Server, thread: str) -> None:
    status, output = await finish(server.run("ask", "Anybody?", "--timeout", "1", "--thread", thread))
    assert (status, output["status"]) == (5, "expired")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_an_interrupted_question_is_withdrawn(
    server: Server, agent: AsyncClient, thread: str, number: signal.Signals
) -> None:
    process = server.run("ask", "Really?", "--thread", thread)
    request_id = await read_request_id(process)
    process.send_signal(number)
    status, output = await finish(process)
    assert (status, output["status"]) == (4, "cancelled")
    with anyio.fail_after(120):
        settled_request = await agent.wait(request_id)
    assert (settled_request.status, settled_request.reason) == ("cancelled", "agent_aborted")


async def test_a_question_is_withdrawn_when_the_script_that_reads_the_answer_was_killed(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    process = server.run("ask", "Really?", "--thread", thread)
    request_id = await read_request_id(process)
    assert process.stdout is not None
    process.stdout.close()
    with anyio.fail_after(120):
        settled_request = await agent.wait(request_id)
    assert (settled_request.status, settled_request.reason) == ("cancelled", "agent_aborted")
    assert process.stderr is not None
    with process.stderr:
        await anyio.to_thread.run_sync(process.stderr.read)
    process.wait(120)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ([], "Say what to ask"),
        (["  "], "Say what to ask"),
        (["Q?", "--text", "--choice", "A"], "--text"),
        (["Q?", "--text", "--confirm"], "--confirm"),
        (["Q?", "--other"], "--other"),
        (["Q?", "--choice", "A", "--choice", "A"], "options[1]"),
        (["Q?", "--timeout", "0"], "timeout_s"),
        (["Q?", "--json-form", "-"], "--json-form"),
        (["--json-form", "/does/not/exist"], "cannot be read"),
        (["--no-such-option"], "No such option"),
    ],
)
async def test_a_usage_error_exits_with_2_and_a_reason(server: Server, options: list[str], says: str) -> None:
    status, err = await finish(server.run("ask", *options, stdin=b""))
    assert status == 2
    assert says in err


async def test_every_fault_of_a_form_is_named(server: Server) -> None:
    form = (
        b'{"fields": [{"id": "a", "type": "radio", "label": "A"}, {"id": "a", "type": "what", "label": ""}]}'
    )
    status, err = await finish(server.run("ask", "--json-form", "-", stdin=form))
    assert status == 2
    assert "form.fields[0].options" in err
    assert "form.fields[1].type" in err


@pytest.mark.parametrize("text", [b"{", b"[" * 100_000])
async def test_a_form_that_is_no_json_is_named(server: Server, text: bytes) -> None:
    status, err = await finish(server.run("ask", "--json-form", "-", stdin=text))
    assert (status, err) == (2, "--json-form: - is not JSON.\n")


async def test_a_refusal_of_the_server_shows_the_faults_themselves(server: Server) -> None:
    status, err = await finish(server.run("ask", "Q?", "--timeout", "0"))
    assert status == 2
    assert err.splitlines() == [
        "The request has 1 error; see field_errors.",
        "  timeout_s: Must be between 1 and 2592000, or null.",
    ]


async def test_no_server_ends_with_1_and_says_how_to_start_one(tmp_path: Path) -> None:
    status, err = await finish(start("ask", "Q?", ASKBACK_DATA_DIR=str(tmp_path)))
    assert status == 1
    assert "askback serve" in err


async def test_a_server_that_is_gone_is_reported_without_waiting(tmp_path: Path) -> None:
    known = {"url": "http://127.0.0.1:9", "requester_token": "r", "responder_token": "p"}
    (tmp_path / "server.json").write_text(json.dumps(known))
    status, err = await finish(start("ask", "Q?", ASKBACK_DATA_DIR=str(tmp_path)))
    assert status == 1
    assert "askback serve" in err
