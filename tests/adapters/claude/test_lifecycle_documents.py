"""A fault in the YAML of a lifecycle is named with its file and its place, in the words of YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from askback.adapters.claude import InjectContext, Lifecycle, LifecycleError
from tests.requirements import requirement


def greet(_: object, name: str = "") -> dict[str, Any]:
    return {"greeting": name}


def step(keys: str) -> str:
    return f"on_before_agent: [{{{keys}}}]"


FAULTS: list[tuple[str | Path, str]] = [
    ("on_session_start: [", "This is not YAML"),
    ("- a", "must be a mapping"),
    ("on_start: []", "on_start: unknown section"),
    ("{1: [], x: []}", "1: unknown section. Sections are on_session_start and on_before_agent."),
    ("on_before_agent: 3", "on_before_agent: must be a list"),
    ("on_before_agent: [3]", "on_before_agent[0]: must be a mapping"),
    (step("action: greet, 1: 2"), "on_before_agent[0]: must be a mapping"),
    (step("when: x"), "on_before_agent[0].action: is missing. It is set_variable, inject_context or"),
    (step("action: fly"), "on_before_agent[0].action: there is no function 'fly'. Known functions: greet."),
    (step("action: greet, bad: 1"), "action: the other keys do not fit the function greet: got an unexpected"),
    (step("action: set_variable, name: x"), "on_before_agent[0].value: is missing; set_variable needs it."),
    (step("action: set_variable, name: x, value: 1, nam: y"), "[0].nam: unknown key of set_variable. Its keys are"),
    (step("action: set_variable, name: 5, value: 1"), "on_before_agent[0].name: must be a text."),
    (step("action: set_variable, name: x, value: 1, when: 'not'"), "on_before_agent[0]: The condition 'not'"),
    (step("action: set_variable, name: x, value: 1, when: true"), "[0].when: must be"),
    (step("action: set_variable, name: x, value: 2026-11-28"), "[0].value: must be a JSON value"),
    (step("action: set_variable, name: x, value: .nan"), "[0].value: must be a JSON value"),
    (step("action: inject_context"), "on_before_agent[0].template: is missing; inject_context needs it."),
    (step("action: inject_context, template: '{{'"), "on_before_agent[0]: The template"),
    (step("action: inject_context, template: 5"), "on_before_agent[0].template: must be a text."),
    (step("action: inject_context, template: x, limit: 1"), "[0].limit: unknown key of inject_context."),
    ("[" * 3000, "This is not YAML"),
    ("lifecycle.yaml", "To read a file, pass `Path('lifecycle.yaml')`"),
    (Path("/nowhere/lifecycle.yaml"), "/nowhere/lifecycle.yaml: The file cannot be read"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fault"), FAULTS)
def test_a_fault_in_a_document_is_named_with_its_place(text: str | Path, fault: str) -> None:
    with pytest.raises(LifecycleError) as exc_info:
        Lifecycle.from_yaml(text, functions={"greet": greet})
    assert fault in str(exc_info.value)
    assert "__init__" not in str(exc_info.value)


@pytest.mark.parametrize(
    ("text", "fault"), [("a: [", ", line 1"), ("on_start: []", ": on_start: unknown section")]
)
def test_a_fault_in_a_file_names_the_file(text: str, fault: str, tmp_path: Path) -> None:
    file = tmp_path / "lifecycle.yaml"
    file.write_text(text)
    with pytest.raises(LifecycleError) as exc_info:
        Lifecycle.from_yaml(file)
    assert str(exc_info.value).startswith(f"{file}: ")
    assert fault in str(exc_info.value)
    assert "unicode string" not in str(exc_info.value)


def test_other_keys_of_a_context_are_arguments_of_its_source() -> None:
    text = step("action: inject_context, template: '{{ greeting }}', source: greet, name: Ada")
    (injected,) = Lifecycle.from_yaml(text, functions={"greet": greet}).on_before_agent
    assert injected == InjectContext("{{ greeting }}", greet, {"name": "Ada"})


@requirement("C6")
def test_a_function_that_is_passed_as_a_step_is_refused_at_once() -> None:
    function: Any = greet
    with pytest.raises(
        LifecycleError, match=r"^on_before_agent\[1\] is no step: use SetVariable, .*CallFunction"
    ):
        Lifecycle(on_before_agent=[InjectContext("x"), function])
