"""Prepare sessions: steps when a session starts, and steps before each prompt.

The Agent SDK calls no SessionStart hook, so a session that is not prepared yet is prepared at its first prompt.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

from claude_agent_sdk import HookMatcher

from askback.adapters.claude.documents import read_document
from askback.adapters.claude.hooks import MAX_CONTEXT, Hooks, Json, context_length, output
from askback.adapters.claude.steps import Function, LifecycleError, Step, StepContext, run_steps

__all__ = ["INITIALIZED", "Lifecycle", "LifecycleError"]

INITIALIZED = "session_initialized"
"""The variable that is true once the steps for the start of a session have run."""

_MARGIN_S = 5.0
"""Seconds that Claude Code waits longer than the steps may take, so that it gets the error."""

_log = logging.getLogger(__name__)


@dataclass
class Lifecycle:
    """Steps for sessions; pass it to `with_askback`, or its `hooks` to the options of a session.

    `on_session_start` runs once in each session: when Claude Code reports its start, else at its first prompt, before
    `on_before_agent`, which runs at each prompt. Variables belong to a session. With a folder `state` they are kept
    there, as `SESSION_ID.json`, so that a session that another process resumes is not prepared again.

    A step that fails, or the steps of a prompt that take longer than `timeout_s` seconds together, stop the prompt, and
    the session counts as not prepared: the result of the run says which step it was and why. At the next prompt, the
    steps for the start run again unless all of them had ended; their contexts are kept until Claude gets them. The
    contexts of a prompt have at most `MAX_CONTEXT` characters together. Synchronous functions run in a thread.
    """

    on_session_start: Sequence[Step] = ()
    on_before_agent: Sequence[Step] = ()
    state: Path | None = None
    timeout_s: float = 60.0
    _variables: dict[str, Json] = field(default_factory=dict[str, Json], init=False, repr=False)
    _pending_contexts: dict[str, list[str]] = field(
        default_factory=dict[str, list[str]], init=False, repr=False
    )
    """What the steps for the start gave, by session, until Claude gets it."""
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock], init=False, repr=False)

    def __post_init__(self) -> None:
        sections = {"on_session_start": self.on_session_start, "on_before_agent": self.on_before_agent}
        for section, steps in sections.items():
            for number, step in enumerate(steps):
                if not isinstance(step, Step):  # pyright: ignore[reportUnnecessaryIsInstance] - of untyped programs
                    raise LifecycleError(
                        f"{section}[{number}] is no step: use SetVariable, InjectContext or CallFunction(function)."
                    )

    @classmethod
    def from_yaml(
        cls, source: str | Path, *, functions: Mapping[str, Function] | None = None, state: Path | None = None
    ) -> Self:
        """Read steps from a YAML file (a `Path`), or from its text; `functions` are those that it may name.

        Raises `LifecycleError` with the place of the fault.
        """
        steps = read_document(source, functions or {})
        return cls(*steps, state=state)

    def hooks(self) -> Hooks:
        """Return the hooks that run the steps."""
        limit_s = self.timeout_s + _MARGIN_S
        start = HookMatcher(hooks=[cast("Any", self._start)], timeout=limit_s)
        prompt = HookMatcher(hooks=[cast("Any", self._before_prompt)], timeout=limit_s, on_failure="block")
        return {"SessionStart": [start], "UserPromptSubmit": [prompt]}

    def variables(self, session_id: str) -> Json:
        """Return the variables of a session; changes to the dictionary count."""
        if session_id not in self._variables:
            file = self._file(session_id)
            self._variables[session_id] = _stored(file) if file is not None and file.exists() else {}
        return self._variables[session_id]

    async def _start(self, event: Json, _id: str | None, _context: object) -> Json:
        try:
            context = await self._run(event, before_prompt=False)
        except LifecycleError:  # the first prompt tries again
            _log.warning("The session %s could not be prepared", event["session_id"], exc_info=True)
            return {}
        return output("SessionStart", additionalContext=context) if context else {}

    async def _before_prompt(self, event: Json, _id: str | None, _context: object) -> Json:
        try:
            context = await self._run(event, before_prompt=True)
        except LifecycleError as error:
            _log.warning("A prompt of the session %s was stopped", event["session_id"], exc_info=True)
            return {"decision": "block", "reason": str(error)}
        return output("UserPromptSubmit", additionalContext=context) if context else {}

    async def _run(self, event: Json, *, before_prompt: bool) -> str:
        """Run the steps that are due, and return their contexts for Claude."""
        session_id = event["session_id"]
        deadline = asyncio.get_running_loop().time() + self.timeout_s
        async with self._locks.setdefault(session_id, asyncio.Lock()):
            step_context = StepContext(
                session_id, event.get("cwd", ""), event.get("prompt"), self.variables(session_id)
            )
            was_initialized = step_context.variables.get(INITIALIZED)
            try:
                contexts = await self._start_contexts(step_context, deadline)
                if before_prompt:
                    contexts += await run_steps(
                        "on_before_agent", self.on_before_agent, step_context, deadline
                    )
                context = _joined(contexts)
                self._save(step_context)
            except BaseException:
                if not was_initialized:
                    step_context.variables.pop(INITIALIZED, None)  # the next prompt tries again
                raise
            self._pending_contexts.pop(session_id, None)
        return context

    async def _start_contexts(self, step_context: StepContext, deadline: float) -> list[str]:
        """Return the contexts of the steps for the start that Claude has not got; run the steps if they have not."""
        if step_context.variables.get(INITIALIZED):
            return []
        if step_context.id not in self._pending_contexts:
            steps = self.on_session_start
            self._pending_contexts[step_context.id] = await run_steps(
                "on_session_start", steps, step_context, deadline
            )
        step_context.variables[INITIALIZED] = True
        return list(self._pending_contexts[step_context.id])

    def _save(self, step_context: StepContext) -> None:
        if (file := self._file(step_context.id)) is None:
            return
        try:
            text = json.dumps(step_context.variables)
        except (TypeError, ValueError) as error:
            raise LifecycleError(f"The variables of a session must be JSON to be kept: {error}") from error
        new_file = file.with_suffix(".new")
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            new_file.write_text(text, "utf-8")
            new_file.replace(file)
        except OSError as error:
            raise LifecycleError(f"The variables of a session cannot be stored: {error}") from error

    def _file(self, session_id: str) -> Path | None:
        if self.state is None or not session_id.replace("-", "").isalnum():
            return None
        return self.state / f"{session_id}.json"


def _joined(contexts: Sequence[str]) -> str:
    """Return contexts as one text; raises `LifecycleError` if Claude would not get it whole."""
    text = "\n\n".join(contexts)
    if (length := context_length(text)) > MAX_CONTEXT:
        raise LifecycleError(
            f"The contexts have {length:,} characters together, and Claude Code passes on {MAX_CONTEXT:,}. Make them "
            "shorter, or name a file that Claude can read."
        )
    return text


def _stored(file: Path) -> Json:
    """Return the variables in a file; raises `LifecycleError` for one that is damaged."""
    try:
        variables: object = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise LifecycleError(
            f"{file} is damaged: {error}. Delete it to prepare the session again."
        ) from error
    if not isinstance(variables, dict):
        raise LifecycleError(
            f"{file} is damaged: it is not an object. Delete it to prepare the session again."
        )
    return cast("Json", variables)
