"""A command that the agent would like to run: shown, asked about, run at most once, and reported.

A killed agent must not run it a second time, and nobody can know for sure whether it ran when the agent died in the
middle. So the approval is used up by an execution with a name, "Running it." is said before it begins, and an agent
that finds this said but nothing reported leaves it: a commit that is missing is easier to mend than one made twice.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from askback.client import Execution
from askback.demo.conversation import Conversation
from askback.errors import Conflict

TIME_S = 60.0
MOST_OUTPUT = 2_000
"""Characters of what a command wrote that are told."""
TOOL = "bash"

_ENDED = {"succeeded": "Done.", "failed": "That failed, so I leave it there. The files are as they were."}


@dataclass(frozen=True, slots=True)
class Command:
    """What would run, as an argument vector, and why; `name` is its short form, `step` that in the conversation."""

    step: str
    name: str
    argv: tuple[str, ...]
    title: str
    reason: str

    async def run(self, talk: Conversation, folder: Path) -> bool:
        """Ask whether it may run in a folder, and run it if so; true when it succeeded, now or in an earlier life."""
        call_input = {"argv": list(self.argv), "cwd": str(folder)}
        await talk.tool(self.step, self.name, call_input, status=None)
        decision = await talk.approve(self.step, TOOL, call_input, title=self.title, reason=self.reason)
        if not decision or decision.request is None:
            said = f" You said: {decision.note}" if decision.note else ""
            await talk.say(f"{self.step}-left", f"All right, I do not run {self.name}.{said}")
            return False
        try:
            execution = await talk.client.consume(
                decision.request, talk.id_of(self.step), tool=TOOL, input=decision.input
            )
        except Conflict as late:  # the approval came of age, or a rule was made meanwhile
            await talk.say(f"{self.step}-late", f"I may not run {self.name} any more. {late.message}")
            return False
        outcome = execution.outcome or await self._executed(talk, execution)
        await talk.say(f"{self.step}-{outcome}", _ENDED[outcome])
        return outcome == "succeeded"

    async def _executed(self, talk: Conversation, execution: Execution) -> Literal["succeeded", "failed"]:
        if talk.has_said(f"{self.step}-runs"):
            ran = _Ran("failed", "The agent was stopped while it ran; how it ended is not known.")
        else:
            await talk.say(f"{self.step}-runs", "Running it.")
            ran = await _run(execution.input)
        await talk.client.report(execution.request_id, execution.execution_id, ran.outcome, note=ran.note)
        if ran.output:
            await talk.say(f"{self.step}-output", ran.output)
        return ran.outcome


@dataclass(frozen=True, slots=True)
class _Ran:
    """How a command ended; `note` says what there is to know of a failure, `output` is what it wrote."""

    outcome: Literal["succeeded", "failed"]
    note: str | None = None
    output: str = ""


async def _run(call_input: Mapping[str, Any]) -> _Ran:
    """Run what was approved, without a shell."""
    # A repository that the demo was started from must not be the one that git works on.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        process = await asyncio.create_subprocess_exec(
            *cast("list[str]", call_input["argv"]),
            cwd=call_input["cwd"],
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    except OSError as failed:
        return _Ran("failed", f"It could not be started: {failed.strerror}.")
    try:
        async with asyncio.timeout(TIME_S):
            output, _ = await process.communicate()
    except TimeoutError:
        return _Ran("failed", f"It took longer than {TIME_S:.0f} seconds.")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    said = output.decode(errors="replace").strip()[:MOST_OUTPUT]
    if process.returncode == 0:
        return _Ran("succeeded", output=said)
    return _Ran("failed", f"It ended with {process.returncode}.", said)
