"""An agent that is killed while a card is open finds the answer when its session goes on; nobody is asked twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from askback import AsyncClient, InputRequest
from tests.adapters.claude.conftest import Process, wait_for_request
from tests.adapters.claude.fake_model import FakeModel
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
