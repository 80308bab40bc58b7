"""Which sessions `continue_session` continues, and where."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import anyio
import pytest
from claude_agent_sdk import ClaudeAgentOptions, Message

from askback import AsyncClient
from askback.adapters.claude import UnusableOptions, continue_session, with_askback
from askback.client import Resume
from tests.adapters.claude.conftest import LIMIT_S, Options, result_of, run, wait_for_request
from tests.adapters.claude.fake_model import FakeModel
from tests.adapters.claude.test_approvals import touch
from tests.adapters.claude.test_permission_hooks import PROJECT, hooks_with, write


async def continued(resume: Resume, options: ClaudeAgentOptions) -> list[Message]:
    with anyio.fail_after(LIMIT_S):
        return [message async for message in continue_session(resume, options)]


async def approved_call(
    agent: AsyncClient, person: AsyncClient, options: ClaudeAgentOptions, thread: str
) -> Resume:
    """Run a durable session up to its first call, approve it, and return the resume."""
    made_options = with_askback(options, agent, thread_id=thread, durable=True)
    return await decided_call(agent, person, made_options, thread, "approve")


async def decided_call(
    agent: AsyncClient,
    person: AsyncClient,
    options: ClaudeAgentOptions,
    thread: str,
    decision: Literal["approve", "deny"],
) -> Resume:
    """Run a durable session up to its first call, decide about it, and return the resume."""
    await run(options, "go")
    await person.requests.decide(await wait_for_request(person, thread), decision)
    (resume,) = await agent.resumes.pull(thread, wait=20)
    return resume


async def test_an_approved_call_runs_only_in_the_folder_that_the_card_showed(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    model.play("go", [touch()])
    resume = await approved_call(agent, person, options(), thread)
    other = replace(options(), cwd=project.parent)
    with pytest.raises(UnusableOptions, match=f"the session was started in {project}"):
        await continued(resume, with_askback(other, agent, thread_id=thread, durable=True))
    assert not [*project.parent.glob("made"), *project.iterdir()]
    anywhere = replace(options(), cwd=None)
    await continued(resume, with_askback(anywhere, agent, thread_id=thread, durable=True))
    assert [path.name for path in project.iterdir()] == ["made"]


async def test_a_session_is_not_continued_with_a_permission_hook_in_its_folder(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    model.play("go", [touch()])
    resume = await approved_call(agent, person, options(), thread)
    write(project.parent, {f"{PROJECT}/settings.json": hooks_with()})
    anywhere = with_askback(replace(options(), cwd=None), agent, thread_id=thread, durable=True)
    with pytest.raises(UnusableOptions, match="PermissionRequest"):
        await continued(resume, anywhere)
    assert not (project / "made").exists()


@pytest.mark.parametrize("decision", ["approve", "deny"])
async def test_a_resume_that_is_delivered_again_gives_a_finished_session_no_other_turn(
    agent: AsyncClient,
    person: AsyncClient,
    model: FakeModel,
    options: Options,
    thread: str,
    decision: Literal["approve", "deny"],
) -> None:
    def make_options() -> ClaudeAgentOptions:
        return with_askback(options(), agent, thread_id=thread, durable=True)

    model.play("go", [touch()])
    resume = await decided_call(agent, person, make_options(), thread, decision)
    assert result_of(await continued(resume, make_options())).result == "done"
    received = len(model.received)
    again = resume.model_copy(update={"request": await agent.requests.get(resume.request_id)})
    assert await continued(again, make_options()) == []
    assert len(model.received) == received


async def test_a_later_call_of_a_continued_session_has_the_same_folder(
    agent: AsyncClient, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    model.play("go", [touch()], [touch("second", "toolu_second")])
    resume = await approved_call(agent, person, options(), thread)
    anywhere = with_askback(replace(options(), cwd=None), agent, thread_id=thread, durable=True)
    assert result_of(await continued(resume, anywhere)).deferred_tool_use is not None
    await agent.resumes.ack(resume)
    await person.requests.decide(await wait_for_request(person, thread, 2), "approve")
    (second,) = await agent.resumes.pull(thread, wait=20)
    await continued(second, with_askback(replace(options(), cwd=None), agent, thread_id=thread, durable=True))
    assert sorted(path.name for path in project.iterdir()) == ["made", "second"]
