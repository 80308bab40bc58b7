"""An agent in a process of its own, which tests kill: `python -m tests.adapters.claude.agent_process ARGUMENTS`.

The arguments are JSON. It prints a line of JSON for each result of Claude's.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, HookMatcher, Message, ResultMessage
from claude_agent_sdk.types import HookJSONOutput

from askback import AsyncClient
from askback.adapters.claude import continue_session, with_askback
from tests.adapters.claude.cli_environment import cli_environment


async def block_forever(*_: object) -> HookJSONOutput:
    """Keep Claude Code from going on, also with the output of the other hooks."""
    await asyncio.Event().wait()
    return {}


@dataclass(frozen=True)
class Agent:
    """What the process does: a prompt in a session, new or resumed, where it may be empty; or the next resume.

    SIGUSR1 interrupts Claude. `errors` is a file for what the process prints to standard error. If it is `is_held`,
    Claude Code never gets the output of the hook before a call.
    """

    url: str
    token: str
    model: str
    project: str
    thread: str
    prompt: str | None = None
    session: str | None = None
    new_session: str | None = None
    durable: bool = False
    errors: str | None = None
    is_held: bool = False

    def start(self) -> subprocess.Popen[str]:
        """Start it."""
        words = (sys.executable, "-m", "tests.adapters.claude.agent_process", json.dumps(vars(self)))
        with ExitStack() as files:
            errors = None if self.errors is None else files.enter_context(Path(self.errors).open("a"))
            return subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
            )

    async def messages(self, ask: AsyncClient) -> AsyncIterator[Message]:
        """Yield the messages of Claude."""
        environment = cli_environment(self.model, Path(self.project).parent)
        environment |= {"ASKBACK_URL": self.url, "ASKBACK_TOKEN": self.token}
        options = ClaudeAgentOptions(
            cwd=self.project,
            env=environment,
            resume=self.session,
            session_id=self.new_session,
            hooks={"PreToolUse": [HookMatcher(hooks=[block_forever])]} if self.is_held else None,
        )
        options = with_askback(options, ask, durable=self.durable)
        if self.prompt is None:
            (resume,) = await ask.resumes.pull(self.thread, wait=20)
            async for message in continue_session(resume, options):
                yield message
            await ask.resumes.ack(resume)
            return
        async with ClaudeSDKClient(options) as claude:
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGUSR1, lambda: loop.create_task(claude.interrupt()))
            if self.prompt:
                await claude.query(self.prompt)
            async for message in claude.receive_response():
                yield message


async def main(arguments: dict[str, Any]) -> None:
    """Do it."""
    agent = Agent(**arguments)
    async with AsyncClient(agent.url, agent.token, thread_id=agent.thread) as ask:
        async for message in agent.messages(ask):
            if isinstance(message, ResultMessage):
                deferred = message.deferred_tool_use
                result = {"result": message.result, "session": message.session_id}
                print(json.dumps({**result, "deferred": deferred and deferred.id}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
