"""Claude works on a project: a person answers its questions and decides about its tool calls."""

import asyncio

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage

from askback import AsyncClient
from askback.adapters.claude import with_askback


async def main() -> None:
    async with AsyncClient() as ask:
        options = with_askback(ClaudeAgentOptions(), ask)
        async with ClaudeSDKClient(options) as claude:
            await claude.query("Add a license to this project.")
            async for message in claude.receive_response():
                if isinstance(message, ResultMessage):
                    print(message.result)


asyncio.run(main())
