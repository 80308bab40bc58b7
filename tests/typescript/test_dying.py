"""Kill the server while an agent in TypeScript waits, and kill the agent: its request is answered once."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from tests.client.servers import ServerProcess
from tests.typescript.conftest import Start, wait_for_requests

# The first of them installs and compiles the project.
pytestmark = [pytest.mark.anyio, pytest.mark.fault]


async def test_the_same_await_returns_after_the_server_was_killed_and_started_again(
    start: Start, own_server: ServerProcess, tmp_path: Path
) -> None:
    program = start("worker.js", "wait", "t1", str(tmp_path / "ran"), server_process=own_server)
    async with own_server.client("responder") as person:
        [request] = await wait_for_requests(person, "t1")
        own_server.kill()
        await anyio.to_thread.run_sync(own_server.start)
        await person.requests.answer(request, {"answer": "yes"})
        await program.ended()
        assert (tmp_path / "ran").read_text("utf-8") == "yes\n"
        assert len(await person.requests.list(thread_id="t1")) == 1


async def test_a_killed_agent_finds_its_question_and_the_answer_by_the_key(
    start: Start, own_server: ServerProcess, tmp_path: Path
) -> None:
    program = start("worker.js", "wait", "t1", str(tmp_path / "ran"), server_process=own_server)
    async with own_server.client("responder") as person:
        [request] = await wait_for_requests(person, "t1")
        await program.kill()
        await person.requests.answer(request, {"answer": "meanwhile"})
        await start("worker.js", "wait", "t1", str(tmp_path / "ran"), server_process=own_server).ended()
        assert (tmp_path / "ran").read_text("utf-8") == "meanwhile\n"
        assert len(await person.requests.list(thread_id="t1")) == 1


async def test_parked_calls_continue_in_another_process_and_a_denied_one_never_runs(
    start: Start, own_server: ServerProcess, tmp_path: Path
) -> None:
    run_result = tmp_path / "ran"
    program = start(
        "worker.js", "park", "t1", str(run_result), "prod", "stage", "test", server_process=own_server
    )
    assert await program.line() == "parked"
    await program.kill()
    async with own_server.client("responder") as person:
        first_request, second_request, third_request = await wait_for_requests(person, "t1", 3)
        await person.requests.decide(first_request, "approve")
        own_server.kill()
        await anyio.to_thread.run_sync(own_server.start)
        await person.requests.decide(second_request, "deny")
        await person.requests.decide(third_request, "approve")
    worker = start("worker.js", "resume", "t1", str(run_result), "1", "2", "3", server_process=own_server)
    assert (await worker.ended()).split() == ["approve", "deny", "approve"]
    assert run_result.read_text("utf-8") == "prod\ntest\n"


async def test_a_call_whose_process_died_after_it_ran_is_not_run_again(
    start: Start, own_server: ServerProcess, tmp_path: Path
) -> None:
    run_result = tmp_path / "ran"
    program = start("worker.js", "park", "t1", str(run_result), "prod", server_process=own_server)
    assert await program.line() == "parked"
    async with own_server.client("responder") as person:
        [request] = await wait_for_requests(person, "t1")
        await person.requests.decide(request, "approve")
        dying_worker = start("worker.js", "die", "t1", str(run_result), "1", server_process=own_server)
        assert [await dying_worker.line(), await dying_worker.line()] == ["approve", "died"]
        await dying_worker.kill()
        second_worker = start(
            "worker.js", "again", "t1", str(run_result), request.id, server_process=own_server
        )
        assert await second_worker.ended() == "used\n"
    assert run_result.read_text("utf-8") == "prod\n"
