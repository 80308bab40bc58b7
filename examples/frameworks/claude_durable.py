"""Claude waits without a process: `start` ends at the first call that needs a person, and `work` continues."""

import asyncio
import sys
from collections.abc import AsyncIterator

from claude_agent_sdk import ClaudeAgentOptions, Message, ResultMessage, query

from askback import AsyncClient
from askback.adapters.claude import continue_session, with_askback


def options(ask: AsyncClient) -> ClaudeAgentOptions:
    return with_askback(ClaudeAgentOptions(), ask, durable=True)


async def report(messages: AsyncIterator[Message]) -> bool:
    """Print how a run ended; return whether it waits for a person."""
    waits = False
    async for message in messages:
        if isinstance(message, ResultMessage):
            waits = message.deferred_tool_use is not None
            print("Waiting for a person." if waits else message.result)
    return waits


async def main() -> None:
    async with AsyncClient(thread_id="license") as ask:
        if sys.argv[1:] == ["start"]:
            await report(query(prompt="Add a license to this project.", options=options(ask)))
            return
        async for resume in ask.resumes.listen("license"):
            waits = await report(continue_session(resume, options(ask)))
            await ask.resumes.ack(resume)
            if not waits:
                break


asyncio.run(main())
