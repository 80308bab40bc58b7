"""The steps of a `Lifecycle`: set a variable, inject a context, run a function."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from askback.client.blocking_calls import run_in_thread
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


async def run_steps(
    section: str, steps: Sequence[Step], step_context: StepContext, deadline: float
) -> list[str]:
    """Run the steps of a section that are due, in order, and return their contexts.

    Raises `LifecycleError`, also if a step has not ended at `deadline`, a time of the event loop.
    """
    contexts = list[str]()
    for number, step in enumerate(steps):
        name = f"{section}[{number}] ({type(step).__name__})"
        limit = asyncio.timeout_at(deadline)
        try:
            async with limit:
                context = await step.run(step_context) if await _is_due(step, step_context) else None
        except Exception as error:
            if limit.expired():
                raise LifecycleError(f"The step {name} did not end in time, so it was stopped.") from error
            reason = str(error) if isinstance(error, LifecycleError) else f"{type(error).__name__}: {error}"
            raise LifecycleError(f"The step {name} failed: {reason}") from error
        if context is not None:
            contexts.append(context)
    return contexts


async def _is_due(step: Step, step_context: StepContext) -> bool:
    return (
        await run_in_thread(partial(step.is_due, step_context))
        if callable(step.when)
        else step.is_due(step_context)
    )


async def _call(function: Function, step_context: StepContext, arguments: Mapping[str, Any]) -> Any:
    if iscoroutinefunction(function):
        return await function(step_context, **arguments)
    result = await run_in_thread(partial(function, step_context, **arguments))
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
