"""A session is prepared once, and contexts reach Claude before it answers."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from claude_agent_sdk import ResultMessage

from askback import AsyncClient
from askback.adapters.claude import (
    CallFunction,
    InjectContext,
    Lifecycle,
    LifecycleError,
    SetVariable,
    StepContext,
    with_askback,
)
from tests.adapters.claude.conftest import Options, result_of, run
from tests.adapters.claude.fake_model import FakeModel
from tests.requirements import requirement

STEPS = """
on_session_start:
  - action: set_variable
    name: plan_mode
    value: false
  - action: count_starts
    by: 2
  - action: inject_context
    source: tasks
    limit: 1
    template: |
      Open tasks: {{ tasks | join(", ") }}
on_before_agent:
  - action: set_variable
    when: "not variables.get('prompts')"
    name: prompts
    value: []
  - action: inject_context
    when: "'ship' in prompt and not plan_mode"
    template: "Ship on Fridays never, in {{ cwd }}."
"""


class StepCounter:
    """Functions for steps."""

    def __init__(self) -> None:
        self.starts = 0

    async def count_starts(self, context: StepContext, by: int) -> None:
        assert context.variables["plan_mode"] is False
        self.starts += by

    def tasks(self, _: StepContext, limit: int) -> dict[str, Any]:
        return {"tasks": ["paint", "sweep"][:limit]}


def from_yaml(counters: StepCounter, state: Path | None = None) -> Lifecycle:
    functions = {"count_starts": counters.count_starts, "tasks": counters.tasks}
    return Lifecycle.from_yaml(STEPS, functions=functions, state=state)


async def fire_event(lifecycle: Lifecycle, event: str, session: str = "s1", **further_input: Any) -> str:
    """Do as the CLI does at an event, and return what Claude would read."""
    (matcher,) = lifecycle.hooks()[event]
    given: Any = {"session_id": session, "cwd": "/srv/shop", "hook_event_name": event, **further_input}
    hook_reply: Any = await matcher.hooks[0](given, None, {"signal": None})
    if hook_reply.get("decision") == "block":
        raise LifecycleError(hook_reply["reason"])
    return hook_reply.get("hookSpecificOutput", {}).get("additionalContext", "")


@requirement("C6")
async def test_a_session_of_the_sdk_is_prepared_once_at_its_first_prompt(
    agent: AsyncClient, model: FakeModel, options: Options
) -> None:
    counters = StepCounter()
    model.play("ship", ["one"], ["two"])
    claude_options = with_askback(options(), agent, lifecycle=from_yaml(counters))
    await run(claude_options, "ship it", "and again")
    assert counters.starts == 2
    assert model.received[-1].count("Open tasks: paint") == 1
    assert model.received[-1].count("Ship on Fridays never") == 1


@requirement("C6")
async def test_a_session_whose_start_is_reported_is_not_prepared_again() -> None:
    counters = StepCounter()
    lifecycle = from_yaml(counters)
    assert await fire_event(lifecycle, "SessionStart", source="startup") == "Open tasks: paint"
    assert (
        await fire_event(lifecycle, "UserPromptSubmit", prompt="ship")
        == "Ship on Fridays never, in /srv/shop."
    )
    assert await fire_event(lifecycle, "SessionStart", source="compact") == ""
    assert counters.starts == 2
    assert await fire_event(lifecycle, "UserPromptSubmit", "s2", prompt="hello") == "Open tasks: paint"
    assert counters.starts == 4


@requirement("C6")
async def test_a_session_that_another_process_resumes_is_not_prepared_again(tmp_path: Path) -> None:
    counters = StepCounter()
    await fire_event(from_yaml(counters, tmp_path), "UserPromptSubmit", prompt="hello")
    second = from_yaml(counters, tmp_path)
    assert await fire_event(second, "UserPromptSubmit", prompt="hello") == ""
    assert counters.starts == 2
    assert second.variables("s1") == {"plan_mode": False, "session_initialized": True, "prompts": []}


@requirement("C6")
async def test_a_step_that_fails_stops_the_prompt_and_is_tried_again_at_the_next(
    agent: AsyncClient, model: FakeModel, options: Options
) -> None:
    tried = list[str]()

    def fail_once(context: StepContext) -> None:
        tried.append(context.id)
        if len(tried) == 1:
            raise RuntimeError("no network")

    steps = [CallFunction(fail_once), InjectContext("Welcome.")]
    claude_options = with_askback(options(), agent, lifecycle=Lifecycle(on_session_start=steps))
    messages = await run(claude_options, "first prompt", "second prompt")
    assert len(tried) == 2
    assert not [body for body in model.received if "first prompt" in body and "Welcome." not in body]
    first_result = next(item for item in messages if isinstance(item, ResultMessage))
    assert f"The step on_session_start[0] ({CallFunction.__name__}) failed: RuntimeError: no network" in (
        first_result.result or ""
    )


@requirement("C6")
async def test_what_a_session_was_told_at_its_start_is_kept_when_a_later_step_fails(
    agent: AsyncClient, model: FakeModel, options: Options
) -> None:
    starts, tried = list[str](), list[str]()

    def fail_once(session: StepContext) -> None:
        tried.append(session.id)
        if len(tried) == 1:
            raise RuntimeError("no network")

    lifecycle = Lifecycle(
        on_session_start=[CallFunction(lambda session: starts.append(session.id)), InjectContext("Welcome.")],
        on_before_agent=[CallFunction(fail_once)],
    )
    claude_options = with_askback(options(), agent, lifecycle=lifecycle)
    await run(claude_options, "first prompt", "second prompt", "third prompt")
    assert (len(starts), len(tried)) == (1, 3)
    assert model.received[-1].count("Welcome.") == 1
    assert not [body for body in model.received if "second prompt" in body and "Welcome." not in body]


async def never(_: StepContext) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize("is_synchronous", [False, True])
async def test_a_step_that_hangs_stops_the_prompt_and_is_named(
    is_synchronous: bool, agent: AsyncClient, model: FakeModel, options: Options
) -> None:
    released = threading.Event()
    hang: Any = (lambda _: released.wait(60)) if is_synchronous else never
    lifecycle = Lifecycle(on_before_agent=[SetVariable("x", 1), CallFunction(hang)], timeout_s=0.5)
    messages = await run(with_askback(options(), agent, lifecycle=lifecycle), "first prompt")
    released.set()
    assert f"The step on_before_agent[1] ({CallFunction.__name__}) did not end in time" in (
        result_of(messages).result or ""
    )
    assert not [body for body in model.received if "first prompt" in body]


async def test_contexts_that_claude_would_not_get_whole_stop_the_prompt() -> None:
    lifecycle = Lifecycle(
        on_session_start=[InjectContext("x" * 6_000)], on_before_agent=[InjectContext("y" * 4_000)]
    )
    with pytest.raises(LifecycleError, match="The contexts have 10,002 characters together"):
        await fire_event(lifecycle, "UserPromptSubmit", prompt="hello")


async def test_a_start_that_fails_is_tried_again_at_the_first_prompt() -> None:
    tried = list[str]()

    def fail_once(session: StepContext) -> None:
        tried.append(session.id)
        if len(tried) == 1:
            raise RuntimeError("no network")

    lifecycle = Lifecycle(on_session_start=[CallFunction(fail_once), InjectContext("Welcome.")])
    assert await fire_event(lifecycle, "SessionStart", source="startup") == ""
    assert await fire_event(lifecycle, "UserPromptSubmit", prompt="hello") == "Welcome."


async def test_steps_are_written_in_python_with_functions_as_conditions() -> None:
    lifecycle = Lifecycle(
        on_before_agent=[
            SetVariable("turns", 1, when=lambda context: "turns" not in context.variables),
            InjectContext("Turn {{ turns }}"),
            InjectContext("{% if turns > 1 %}never{% endif %}"),
        ]
    )
    assert await fire_event(lifecycle, "UserPromptSubmit", prompt="hello") == "Turn 1"


async def test_variables_that_cannot_be_kept_or_read_stop_the_prompt(tmp_path: Path) -> None:
    lifecycle = Lifecycle(
        on_session_start=[CallFunction(lambda context: context.variables.update(x=b"1"))], state=tmp_path
    )
    with pytest.raises(LifecycleError, match="must be JSON"):
        await fire_event(lifecycle, "UserPromptSubmit", prompt="hello")
    assert not lifecycle.variables("s1").get("session_initialized")
    (tmp_path / "s1.json").write_text("{")
    with pytest.raises(LifecycleError, match="s1.json is damaged"):
        await fire_event(Lifecycle(state=tmp_path), "UserPromptSubmit", prompt="hello")


async def test_a_template_with_an_unknown_name_fails_and_names_it() -> None:
    lifecycle = Lifecycle(on_before_agent=[InjectContext("{{ nothing }}")])
    with pytest.raises(LifecycleError, match="'nothing' is undefined"):
        await fire_event(lifecycle, "UserPromptSubmit", prompt="hello")
