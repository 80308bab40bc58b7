"""Commands that the agent wants to run: shown, approved, run at most once, and reported.

A killed agent must not run a command twice, and if it died in the middle, nobody knows whether the command ran. So
the approval is consumed by an execution with an id, and "Running it." is written before the command starts. An
agent that finds this message without a report does not run the command again: a missing commit is easier to fix
than a duplicate.

The git commands work on a machine where git was never set up, and use none of a machine's templates, hooks or
signing.
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
from askback.demo.project.plan import Plan
from askback.errors import Conflict

TIME_S = 60.0
MAX_OUTPUT = 2_000
"""The maximum length of a command's output that is shown, in characters."""
TOOL = "bash"

_END_TEXTS = {"succeeded": "Done.", "failed": "That failed, so I leave it there. The files are as they were."}


@dataclass(frozen=True, slots=True)
class Command:
    """A command as an argument vector, and why it should run; `name` is its short form, `step` its step."""

    step: str
    name: str
    argv: tuple[str, ...]
    title: str
    reason: str

    async def run(self, conversation: Conversation, folder: Path) -> bool:
        """Ask whether it may run in a folder, and run it if so; true if it succeeded, now or before a restart."""
        call_input = {"argv": list(self.argv), "cwd": str(folder)}
        await conversation.tool(self.step, self.name, call_input, status=None)
        decision = await conversation.approve(
            self.step, TOOL, call_input, title=self.title, reason=self.reason
        )
        if not decision or decision.request is None:
            text = f" You said: {decision.note}" if decision.note else ""
            await conversation.say(f"{self.step}-left", f"All right, I do not run {self.name}.{text}")
            return False
        try:
            execution = await conversation.client.consume(
                decision.request, conversation.id_of(self.step), tool=TOOL, input=decision.input
            )
        except Conflict as error:  # the approval expired, or a rule was added meanwhile
            await conversation.say(f"{self.step}-late", f"I may no longer run {self.name}. {error.message}")
            return False
        outcome = execution.outcome or await self._execute(conversation, execution)
        await conversation.say(f"{self.step}-{outcome}", _END_TEXTS[outcome])
        return outcome == "succeeded"

    async def _execute(
        self, conversation: Conversation, execution: Execution
    ) -> Literal["succeeded", "failed"]:
        if conversation.has_said(f"{self.step}-runs"):
            result = _CommandResult(
                "failed", "The agent was stopped while it ran; how it ended is not known."
            )
        else:
            await conversation.say(f"{self.step}-runs", "Running it.")
            result = await _run(execution.input)
        await conversation.client.report(
            execution.request_id, execution.execution_id, result.outcome, note=result.note
        )
        if result.output:
            await conversation.say(f"{self.step}-output", result.output)
        return result.outcome


@dataclass(frozen=True, slots=True)
class _CommandResult:
    """The result of a command; `note` describes a failure, `output` is its output."""

    outcome: Literal["succeeded", "failed"]
    note: str | None = None
    output: str = ""


async def _run(call_input: Mapping[str, Any]) -> _CommandResult:
    """Run an approved command, without a shell."""
    # Git must not work on the repository that the demo was started from, and runs no hook that nobody was shown.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), os.devnull)
    try:
        process = await asyncio.create_subprocess_exec(
            *cast("list[str]", call_input["argv"]),
            cwd=call_input["cwd"],
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    except OSError as error:
        return _CommandResult("failed", f"It could not be started: {error.strerror}.")
    try:
        async with asyncio.timeout(TIME_S):
            output, _ = await process.communicate()
    except TimeoutError:
        return _CommandResult("failed", f"It took longer than {TIME_S:.0f} seconds.")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    text = output.decode(errors="replace").strip()[:MAX_OUTPUT]
    if process.returncode == 0:
        return _CommandResult("succeeded", output=text)
    return _CommandResult("failed", f"It ended with {process.returncode}.", text)


_AUTHOR = ("-c", "user.name=Scaffolder", "-c", "user.email=scaffolder@localhost")


def git_commands(plan: Plan) -> tuple[Command, ...]:
    """Return the git commands in their order; each needs the one before it."""
    return (
        Command(
            step="git-init",
            name="git init",
            argv=("git", "init", "--quiet", "--template=", "--initial-branch=main"),
            title="Make the folder a git repository",
            reason="Then each later change can be reviewed and undone.",
        ),
        Command(
            step="git-add",
            name="git add",
            argv=("git", "add", "--all"),
            title="Put the files into it",
            reason="The first commit is made of them.",
        ),
        Command(
            step="git-commit",
            name="git commit",
            argv=("git", *_AUTHOR, "commit", "--quiet", "--message", f"Begin {plan.name}"),
            title="Make the first commit",
            reason="It is what later changes are compared with. It stays on this machine.",
        ),
    )
