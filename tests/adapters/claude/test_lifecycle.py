"""A session is prepared once, and contexts reach Claude before it answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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
from tests.adapters.claude.conftest import Options, run
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
    await run(claude_options, "first prompt", "second prompt")
    assert len(tried) == 2
    assert not [body for body in model.received if "first prompt" in body and "Welcome." not in body]


async def test_steps_are_written_in_python_with_functions_as_conditions() -> None:
    lifecycle = Lifecycle(
        on_before_agent=[
            SetVariable("turns", 1, when=lambda context: "turns" not in context.variables),
            InjectContext("Turn {{ turns }}"),
            InjectContext("{% if turns > 1 %}never{% endif %}"),
        ]
    )
    assert await fire_event(lifecycle, "UserPromptSubmit", prompt="hello") == "Turn 1"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("on_session_start: [", "This is not YAML"),
        ("- a", "must be a mapping"),
        ("on_start: []", "on_start: unknown section"),
        ("on_before_agent: 3", "on_before_agent: must be a list"),
        ("on_before_agent: [3]", "on_before_agent[0]: must be a mapping"),
        ("on_before_agent: [{action: fly}]", "on_before_agent[0].action: there is no function 'fly'"),
        ("on_before_agent: [{action: set_variable, name: x}]", "on_before_agent[0]: the keys do not match"),
        ("on_before_agent: [{action: inject_context}]", "on_before_agent[0]: the keys do not match"),
        ("on_before_agent: [{action: inject_context, template: '{{'}]", "on_before_agent[0]: The template"),
        ("on_before_agent: [{action: set_variable, name: x, value: 1, when: 'not'}]", "The condition 'not'"),
        ("on_before_agent: [{action: set_variable, name: x, value: 1, when: true}]", "[0].when: must be"),
        ("on_before_agent: [{action: set_variable, name: x, value: 2026-11-28}]", "date is not JSON"),
        ("[" * 3000, "This is not YAML"),
        (Path("/nowhere/lifecycle.yaml"), "/nowhere/lifecycle.yaml cannot be read"),
    ],
)
def test_a_fault_in_a_document_is_named_with_its_place(text: str | Path, fault: str) -> None:
    with pytest.raises(LifecycleError) as exc_info:
        Lifecycle.from_yaml(text)
    assert fault in str(exc_info.value)


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
