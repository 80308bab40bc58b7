"""The core of an adapter: a toy framework pauses at tool calls, and continues when they are decided."""

import asyncio
import secrets
from dataclasses import dataclass

from askback import AsyncClient, Decision, ToolCall


@dataclass
class Pause:
    """The framework's own record of a tool call that waits: its id, the tool and the arguments."""

    id: str
    tool: str
    arguments: dict[str, str]


def deploy(target: str) -> str:
    return f"Deployed {target}."


TOOLS = {"deploy": deploy}


async def result_of(ask: AsyncClient, decision: Decision) -> str:
    """Run an approved call once, with the approved input; else return the sentence for the model."""
    if not decision:
        return decision.text
    run = await ask.consume(decision, secrets.token_hex(8))
    result = TOOLS[decision.tool](**decision.input)
    await ask.report(decision, run.execution_id, "succeeded")
    return result


async def main() -> None:
    pauses = [Pause("call_0", "deploy", {"target": "web"}), Pause("call_1", "deploy", {"target": "api"})]
    async with AsyncClient(thread_id="adapter") as ask:
        # Several calls at once. The run and the call's id are its key: asked again, it is the same request.
        calls = [ToolCall(tool=pause.tool, input=pause.arguments, tool_call_id=pause.id) for pause in pauses]
        for decision in await ask.approve_many(calls, run_id="run-1"):
            print(await result_of(ask, decision))

        # Without waiting: the process may end here, and another one continues with the resume.
        await ask.approve("deploy", {"target": "docs"}, run_id="run-1", tool_call_id="call_2", wait=False)
        async for resume in ask.resumes.listen("adapter"):
            print(await result_of(ask, await ask.decision(resume.request)))
            await ask.resumes.ack(resume)
            break


asyncio.run(main())
