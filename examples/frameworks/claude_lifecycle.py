"""Steps before Claude's first turn and before each prompt, from Python."""

import asyncio
from pathlib import Path

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

from askback import AsyncClient
from askback.adapters.claude import InjectContext, Lifecycle, SetVariable, StepContext, with_askback


def open_tasks(context: StepContext) -> dict[str, list[str]]:
    """Return the names that the template uses."""
    tasks = Path(context.cwd) / "tasks.txt"
    return {"tasks": tasks.read_text().splitlines() if tasks.exists() else []}


lifecycle = Lifecycle(
    on_session_start=[
        SetVariable("prompts", 0),
        InjectContext("Open tasks:\n{% for task in tasks %}- {{ task }}\n{% endfor %}", source=open_tasks),
    ],
    on_before_agent=[
        InjectContext("Nothing is deployed on Fridays.", when="'deploy' in prompt"),
    ],
)


async def main() -> None:
    async with AsyncClient() as ask:
        options = with_askback(ClaudeAgentOptions(), ask, lifecycle=lifecycle)
        async for message in query(prompt="Add a license to this project.", options=options):
            if isinstance(message, ResultMessage):
                print(message.result)


asyncio.run(main())
