"""A program with an agent of the OpenAI Agents SDK that is killed while it waits."""

from __future__ import annotations

import sys

from agents import Runner

from askback.adapters.openai_agents import park, resume_run
from tests.adapters.openai_agents.models import releaser
from tests.adapters.programs import Life, program


async def parked(life: Life) -> None:
    agent = releaser(life.calls, deploy=life.deploy)
    await park(life.ask, await Runner.run(agent, "go"), store=life.store)


async def resumed(life: Life, stored: str) -> str | None:
    result = await resume_run(life.ask, releaser(deploy=life.deploy), stored)
    return None if result is None else result.final_output


main = program(parked, resumed)

if __name__ == "__main__":
    main(*sys.argv[1:])
