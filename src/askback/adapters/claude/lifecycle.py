"""Prepare sessions: steps when a session starts, and steps before each prompt.

The Agent SDK calls no SessionStart hook, so a session that is not prepared yet is prepared at its first prompt.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

from claude_agent_sdk import HookMatcher

from askback.adapters.claude.hooks import Hooks, Json, output
from askback.adapters.claude.steps import Function, LifecycleError, Step, StepContext, read_steps, run_steps

__all__ = ["INITIALIZED", "Lifecycle", "LifecycleError"]

INITIALIZED = "session_initialized"
"""The variable that is true once the steps for the start of a session have run."""

_SECTIONS = ("on_session_start", "on_before_agent")


@dataclass
class Lifecycle:
    """Steps for sessions; pass it to `with_askback`, or its `hooks` to the options of a session.

    `on_session_start` runs once in each session: when Claude Code reports its start, else at its first prompt, before
    `on_before_agent`, which runs at each prompt. Variables belong to a session. With a folder `state` they are kept
    there, as `SESSION_ID.json`, so that a session that another process resumes is not prepared again.

    A step that fails stops the prompt, and the session counts as not prepared.
    """

    on_session_start: Sequence[Step] = ()
    on_before_agent: Sequence[Step] = ()
    state: Path | None = None
    _variables: dict[str, Json] = field(default_factory=dict[str, Json], init=False, repr=False)
    _locks: dict[str, asyncio.Lock] = field(default_factory=dict[str, asyncio.Lock], init=False, repr=False)

    @classmethod
    def from_yaml(
        cls, source: str | Path, *, functions: Mapping[str, Function] | None = None, state: Path | None = None
    ) -> Self:
        """Read steps from a YAML file, or from its text; `functions` are those that it may name.

        Raises `LifecycleError` with the place of the fault.
        """
        import yaml

        try:
            document = yaml.safe_load(source.read_text("utf-8") if isinstance(source, Path) else source)
        except (yaml.YAMLError, RecursionError) as error:
            raise LifecycleError(f"This is not YAML: {error}") from error
        except (OSError, UnicodeDecodeError) as error:
            raise LifecycleError(f"{source} cannot be read: {error}") from error
        if not isinstance(document, dict):
            raise LifecycleError("The document must be a mapping with on_session_start and on_before_agent.")
        sections = cast("Json", document)
        if unknown_sections := sections.keys() - set(_SECTIONS):
            raise LifecycleError(
                f"{min(unknown_sections)}: unknown section. Sections are {' and '.join(_SECTIONS)}."
            )
        steps = [read_steps(name, sections.get(name), functions or {}) for name in _SECTIONS]
        return cls(*steps, state=state)

    def hooks(self) -> Hooks:
        """Return the hooks that run the steps."""
        return {
            "SessionStart": [HookMatcher(hooks=[cast("Any", self._start)])],
            "UserPromptSubmit": [HookMatcher(hooks=[cast("Any", self._before_prompt)], on_failure="block")],
        }

    def variables(self, session_id: str) -> Json:
        """Return the variables of a session; changes to the dictionary count."""
        if session_id not in self._variables:
            file = self._file(session_id)
            self._variables[session_id] = _stored(file) if file is not None and file.exists() else {}
        return self._variables[session_id]

    async def _start(self, event: Json, _id: str | None, _context: object) -> Json:
        return await self._run(event, "SessionStart", before_prompt=False)

    async def _before_prompt(self, event: Json, _id: str | None, _context: object) -> Json:
        return await self._run(event, "UserPromptSubmit", before_prompt=True)

    async def _run(self, event: Json, name: str, *, before_prompt: bool) -> Json:
        """Run the steps that are due, and return their contexts for Claude."""
        session_id = event["session_id"]
        async with self._locks.setdefault(session_id, asyncio.Lock()):
            variables = self.variables(session_id)
            step_context = StepContext(session_id, event.get("cwd", ""), event.get("prompt"), variables)
            contexts = list[str]()
            if not variables.get(INITIALIZED):
                contexts += await run_steps(self.on_session_start, step_context)
                variables[INITIALIZED] = True
            if before_prompt:
                contexts += await run_steps(self.on_before_agent, step_context)
            self._save(step_context)
        return output(name, additionalContext="\n\n".join(contexts)) if contexts else {}

    def _save(self, step_context: StepContext) -> None:
        if (file := self._file(step_context.id)) is None:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            text = json.dumps(step_context.variables)
        except (TypeError, ValueError) as error:
            step_context.variables.pop(INITIALIZED, None)  # the next prompt tries again
            raise LifecycleError(f"The variables of a session must be JSON to be kept: {error}") from error
        new_file = file.with_suffix(".new")
        new_file.write_text(text, "utf-8")
        new_file.replace(file)

    def _file(self, session_id: str) -> Path | None:
        if self.state is None or not session_id.replace("-", "").isalnum():
            return None
        return self.state / f"{session_id}.json"


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
