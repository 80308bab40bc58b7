"""An agent in a process of its own, which tests kill: `python -m tests.adapters.claude.agent_process ARGUMENTS`.

The arguments are JSON. It prints a line of JSON for each result of Claude's.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, Message, ResultMessage

from askback import AsyncClient
from askback.adapters.claude import continue_session, with_askback
from tests.adapters.claude.cli_environment import cli_environment


@dataclass(frozen=True)
class Agent:
    """What the process does: a prompt in a session, new or resumed, where it may be empty; or the next resume."""

    url: str
    token: str
    model: str
    project: str
    thread: str
    prompt: str | None = None
    session: str | None = None
    durable: bool = False

    def start(self) -> subprocess.Popen[str]:
        """Start it."""
        words = (sys.executable, "-m", "tests.adapters.claude.agent_process", json.dumps(vars(self)))
        return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)

    async def messages(self, ask: AsyncClient) -> AsyncIterator[Message]:
        """Yield the messages of Claude."""
        environment = cli_environment(self.model, Path(self.project).parent)
        options = ClaudeAgentOptions(cwd=self.project, env=environment, resume=self.session)
        options = with_askback(options, ask, durable=self.durable)
        if self.prompt is None:
            (resume,) = await ask.resumes.pull(self.thread, wait=20)
            async for message in continue_session(resume, options):
                yield message
            await ask.resumes.ack(resume)
            return
        async with ClaudeSDKClient(options) as claude:
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
                said = {"result": message.result, "session": message.session_id}
                print(json.dumps({**said, "deferred": deferred and deferred.id}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
