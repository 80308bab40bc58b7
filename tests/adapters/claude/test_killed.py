"""An agent that is killed while a card is open finds the answer when its session goes on; nobody is asked twice."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from askback import AsyncClient, InputRequest
from askback.adapters.claude import gate, with_askback
from tests.adapters.claude.conftest import Options, Process, result_of, run, wait_for_request
from tests.adapters.claude.fake_model import FakeModel, call
from tests.adapters.claude.test_approvals import touch
from tests.adapters.claude.test_questions import COLOUR, question
from tests.requirements import requirement


def session_of(request: InputRequest) -> str:
    metadata: Any = request.metadata
    return metadata["claude"]["session_id"]


@requirement("G8")
@pytest.mark.parametrize("by_resume", [False, True])
async def test_an_approval_granted_while_claude_was_down_is_used(
    by_resume: bool, process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    model.play("go", [touch()], ["I was interrupted."])
    for prompt in ("continue", "About your tool call"):
        model.play(prompt, [touch(id_="toolu_again")], ["made it"])
    async with process("go"):
        request = await wait_for_request(person, thread)
    await person.requests.decide(request, "approve")
    assert not list(project.iterdir())
    going_on = process() if by_resume else process("continue", session=session_of(request))
    async with going_on as line:
        assert (await line())["result"] == "made it"
    assert (project / "made").exists()
    assert any("About your tool call (req_" in body for body in model.received)
    assert len(await person.requests.list(thread_id=thread)) == 1


@requirement("G8")
@pytest.mark.parametrize("arrived", [False, True])
async def test_an_answer_that_claude_has_not_read_is_read_later(
    arrived: bool,
    process: Process,
    agent: AsyncClient,
    person: AsyncClient,
    thread: str,
    model: FakeModel,
) -> None:
    """It may have arrived in the process that was killed."""
    model.play("go", [question(COLOUR)])
    model.play("continue", [{**question(COLOUR), "id": "toolu_again"}], ["painted"])
    async with process("go"):
        request = await wait_for_request(person, thread)
    await person.requests.answer(request, {"q1": "Blue"})
    if arrived:
        await agent.wait(request)
    async with process("continue", session=session_of(request)) as line:
        assert (await line())["result"] == "painted"
    assert '"Which colour?"="Blue"' in model.results("go")["toolu_again"]
    assert len(await person.requests.list(thread_id=thread)) == 1


@requirement("G8")
async def test_the_same_call_reuses_its_open_card(
    process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    model.play("go", [touch()])
    model.play("continue", [touch(id_="toolu_again"), touch("other", "toolu_other")], ["made it"])
    async with process("go"):
        request = await wait_for_request(person, thread)
    async with process("continue", session=session_of(request)) as line:
        await person.requests.decide(request, "approve")
        await person.requests.decide(await wait_for_request(person, thread, 2), "deny")
        assert (await line())["result"] == "made it"
    assert [path.name for path in project.iterdir()] == ["made"]


@requirement("G8", "C20")
async def test_a_card_that_claude_no_longer_needs_is_withdrawn(
    process: Process, person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("go", [touch()])
    model.play("continue", ["never mind"])
    async with process("go"):
        request = await wait_for_request(person, thread)
    async with process("continue", session=session_of(request)) as line:
        assert (await line())["result"] == "never mind"
    assert (await person.requests.get(request.id)).status == "cancelled"


@requirement("G8")
@pytest.mark.parametrize("verdict", ["approve", "deny"])
async def test_a_card_whose_call_was_not_deferred_yet_is_used_by_the_repeated_call(
    verdict: Any, process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    model.play("go", [touch()])
    model.play("continue", [touch(id_="toolu_again")])
    async with process("go", durable=True, is_held=True):
        request = await wait_for_request(person, thread)
    async with process("continue", durable=True, session=session_of(request)) as line:
        assert (await line())["deferred"] == "toolu_again"
    await person.requests.decide(request, verdict)
    async with process(durable=True) as line:
        assert (await line())["result"] == "done"
    assert (project / "made").exists() == (verdict == "approve")
    assert ("The person denied" in model.results("continue")["toolu_again"]) == (verdict == "deny")
    assert len(await person.requests.list(thread_id=thread)) == 1


def forget_call(project: Path, request: InputRequest) -> None:
    """Make the transcript of a session what it is if Claude Code is killed within a tenth of a second of the card."""
    (transcript,) = (project.parent / "claude").rglob(f"{session_of(request)}.jsonl")
    lines = transcript.read_text().splitlines(keepends=True)
    call_line = next(number for number, line in enumerate(lines) if '"type":"assistant"' in line)
    transcript.write_text("".join(lines[:call_line]))
    os.utime(transcript, (0, 0))


@requirement("G8")
async def test_an_answer_continues_a_session_that_died_before_it_stored_the_call(
    process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    model.play("go", [touch()])
    model.play("About your tool call", [touch(id_="toolu_again")], ["made it"])
    async with process("go", durable=True, is_held=True):
        request = await wait_for_request(person, thread)
    forget_call(project, request)
    await person.requests.decide(request, "approve")
    async with process(durable=True) as line:
        assert (await line())["result"] == "made it"
    assert (project / "made").exists()
    assert len(await person.requests.list(thread_id=thread)) == 1


@requirement("G8", "C20")
async def test_the_card_of_a_session_that_died_before_it_stored_the_call_is_withdrawn_when_it_is_begun_anew(
    process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    model.play("go", lambda _: [touch(id_="")])
    async with process("go", durable=True, is_held=True):
        request = await wait_for_request(person, thread)
    forget_call(project, request)
    async with process("go", durable=True) as line:
        assert (await line())["deferred"] != request.tool_call_id
    second_request, first_request = await person.requests.list(thread_id=thread)
    assert (second_request.status, first_request.id, first_request.status) == (
        "pending",
        request.id,
        "cancelled",
    )


@requirement("G8")
async def test_an_answer_to_a_question_that_was_not_deferred_yet_is_used_by_the_repeated_question(
    process: Process, person: AsyncClient, thread: str, model: FakeModel
) -> None:
    model.play("go", [question(COLOUR)])
    model.play("continue", [{**question(COLOUR), "id": "toolu_again"}], ["painted"])
    async with process("go", durable=True, is_held=True):
        request = await wait_for_request(person, thread)
    await person.requests.answer(request, {"q1": "Blue"})
    async with process("continue", durable=True, session=session_of(request)) as line:
        assert (await line())["result"] == "painted"
    assert '"Which colour?"="Blue"' in model.results("continue")["toolu_again"]
    assert len(await person.requests.list(thread_id=thread)) == 1


@requirement("G8")
@pytest.mark.parametrize("by_resume", [False, True])
async def test_an_approval_for_a_sub_agent_of_a_durable_session_is_used_when_it_asks_again(
    by_resume: bool, process: Process, person: AsyncClient, thread: str, model: FakeModel, project: Path
) -> None:
    wall = call(
        "Agent", description="wall", prompt="wall", subagent_type="general-purpose", run_in_background=False
    )
    model.play("go", [wall])
    model.play("wall", lambda _: [touch(id_="")])
    for prompt in ("continue", "About your tool call"):
        model.play(prompt, [wall | {"id": "toolu_again"}], ["made it"])
    async with process("go", durable=True):
        request = await wait_for_request(person, thread)
    await person.requests.decide(request, "approve")
    going_on = {} if by_resume else {"prompt": "continue", "session": session_of(request)}
    async with process(durable=True, **going_on) as line:
        assert (await line())["result"] == "made it"
    assert (project / "made").exists()
    assert len(await person.requests.list(thread_id=thread)) == 1


async def test_a_prompt_is_answered_while_the_server_is_down(
    model: FakeModel, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "COLLECT_S", 0.1)
    model.play("go", ["Hello."])
    async with AsyncClient("http://127.0.0.1:9", "no-token") as agent:
        assert result_of(await run(with_askback(options(), agent), "go")).result == "Hello."


@requirement("C4")
async def test_a_session_that_goes_on_later_uses_no_denial_that_claude_has_read_and_no_rule_that_was_revoked(
    agent: AsyncClient, person: AsyncClient, thread: str, model: FakeModel, options: Options, project: Path
) -> None:
    async def decide(number: int) -> None:
        await person.requests.decide(await wait_for_request(person, thread, number), "deny")

    rule = await person.rules.create("bash(touch allowed)", scope="thread", thread_id=thread)
    both = [touch("allowed", "toolu_allowed"), touch("denied", "toolu_denied")]
    model.play("go", both)
    model.play("continue", [item | {"id": f"{item['id']}_again"} for item in both])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(decide, 1)
        first_result = result_of(await run(with_askback(options(), agent, thread_id=thread), "go"))
    (project / "allowed").unlink()
    await person.rules.revoke(rule)
    await person.say("Do it now.", thread_id=thread)  # it lifts the refusal
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(decide, 2)
        tasks.start_soon(decide, 3)
        await run(with_askback(options(resume=first_result.session_id), agent, thread_id=thread), "continue")
    assert not list(project.iterdir())
