"""The steps of a `Lifecycle`: set a variable, inject a context, run a function."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from inspect import isawaitable
from typing import Any, cast

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from askback.errors import AskbackError


class LifecycleError(AskbackError, ValueError):
    """A step cannot be read or has failed; the message names it and says why."""


@dataclass
class StepContext:
    """What a step can read: the session, the prompt (None when the session starts), and its variables."""

    id: str
    cwd: str
    prompt: str | None
    variables: dict[str, Any]

    def names(self) -> dict[str, Any]:
        """Return the names available to conditions and templates, including each variable."""
        session_names = {
            "session_id": self.id,
            "cwd": self.cwd,
            "prompt": self.prompt,
            "variables": self.variables,
        }
        return {**self.variables, **session_names}


Function = Callable[..., Any | Awaitable[Any]]
"""Takes the `StepContext` and the arguments of its step. It may be asynchronous."""

Condition = str | Callable[[StepContext], bool] | None
"""An expression of Jinja, such as `not variables.get('plan_mode')`, or a function; None is always true."""


@dataclass(frozen=True, kw_only=True)
class Step(ABC):
    """One step, which runs if `when` holds."""

    when: Condition = None

    def __post_init__(self) -> None:
        if isinstance(self.when, str):
            _expression(self.when)

    def is_due(self, step_context: StepContext) -> bool:
        """Return whether the condition holds. An unknown name is false."""
        if isinstance(self.when, str):
            return bool(_expression(self.when)(**step_context.names()))
        return self.when is None or bool(self.when(step_context))

    @abstractmethod
    async def run(self, step_context: StepContext) -> str | None:
        """Run the step, and return a context for Claude if it has one."""


@dataclass(frozen=True)
class SetVariable(Step):
    """Set a variable of the session; any JSON value."""

    name: str
    value: Any

    async def run(self, step_context: StepContext) -> None:
        """Set it."""
        step_context.variables[self.name] = self.value


@dataclass(frozen=True)
class InjectContext(Step):
    """Give Claude a text: a Jinja template, in which `source` may add names: a function that returns a mapping.

    Claude reads the text, so it must not contain secrets.
    """

    template: str
    source: Function | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        super().__post_init__()
        _template(self.template)

    async def run(self, step_context: StepContext) -> str | None:
        """Return the text; None if it is blank."""
        names = step_context.names()
        if self.source is not None:
            names |= await _call(self.source, step_context, self.arguments)
        return _template(self.template).render(names).strip() or None


@dataclass(frozen=True)
class CallFunction(Step):
    """Run a function."""

    function: Function
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])

    async def run(self, step_context: StepContext) -> None:
        """Call it and wait for it."""
        await _call(self.function, step_context, self.arguments)


async def run_steps(steps: Sequence[Step], step_context: StepContext) -> list[str]:
    """Run the steps that are due, in order, and return their contexts; raises `LifecycleError`."""
    contexts = list[str]()
    for step in steps:
        try:
            context = await step.run(step_context) if step.is_due(step_context) else None
        except Exception as error:
            raise LifecycleError(f"The step {step} failed: {type(error).__name__}: {error}") from error
        if context is not None:
            contexts.append(context)
    return contexts


def read_steps(section: str, steps: object, functions: Mapping[str, Function]) -> list[Step]:
    """Return the steps of a section of a document; raises `LifecycleError`.

    An `action` is `set_variable` (`name`, `value`), `inject_context` (`template`, `source`) or the name of a function;
    `when` is its condition, and other keys are arguments of the function.
    """
    if not isinstance(steps or [], list):
        raise LifecycleError(f"{section}: must be a list of steps.")
    step_list = cast("list[object]", steps or [])
    return [_read(f"{section}[{index}]", item, functions) for index, item in enumerate(step_list)]


def _read(path: str, step: object, functions: Mapping[str, Function]) -> Step:
    if not isinstance(step, dict):
        raise LifecycleError(f"{path}: must be a mapping with an `action`.")
    keys = dict(cast("dict[str, Any]", step))
    action, when = keys.pop("action", None), keys.pop("when", None)
    if not isinstance(when, str | None):
        raise LifecycleError(f"{path}.when: must be an expression in quotes.")
    try:
        if action == "set_variable":
            json.dumps(keys.get("value"))  # YAML also has dates
            return SetVariable(**keys, when=when)
        if action == "inject_context":
            template, source = keys.pop("template"), keys.pop("source", None)
            return InjectContext(
                template,
                None if source is None else _known_function(f"{path}.source", source, functions),
                keys,
                when=when,
            )
        return CallFunction(_known_function(f"{path}.action", action, functions), keys, when=when)
    except (KeyError, TypeError) as error:
        raise LifecycleError(f"{path}: the keys do not match {action}: {error}") from error
    except LifecycleError as error:
        raise error if str(error).startswith(path) else LifecycleError(f"{path}: {error}") from error


def _known_function(path: str, name: object, functions: Mapping[str, Function]) -> Function:
    if isinstance(name, str) and name in functions:
        return functions[name]
    known_names = ", ".join(sorted(functions)) or "none"
    raise LifecycleError(f"{path}: there is no function {name!r}. Known functions: {known_names}.")


async def _call(function: Function, step_context: StepContext, arguments: Mapping[str, Any]) -> Any:
    result = function(step_context, **arguments)
    return await result if isawaitable(result) else result


_environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)


@cache
def _template(text: str) -> Any:
    try:
        return _environment.from_string(text)
    except TemplateError as error:
        raise LifecycleError(f"The template cannot be read: {error}") from error


@cache
def _expression(text: str) -> Any:
    try:
        return ImmutableSandboxedEnvironment().compile_expression(text)
    except TemplateError as error:
        raise LifecycleError(f"The condition {text!r} cannot be read: {error}") from error
