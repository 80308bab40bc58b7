"""A program with an agent of the OpenAI Agents SDK that is killed while it waits."""

from __future__ import annotations

import sys

from agents import Runner

from askback.adapters.openai_agents import park, resume_run
from tests.adapters.openai_agents.models import release_agent
from tests.adapters.programs import Life, program


async def park_program(life: Life) -> None:
    agent = release_agent(life.calls, deploy=life.deploy)
    await park(life.ask, await Runner.run(agent, "go"), store=life.store)


async def resume_program(life: Life, stored: str) -> str | None:
    result = await resume_run(life.ask, release_agent(deploy=life.deploy), stored)
    return None if result is None else result.final_output


main = program(park_program, resume_program)

if __name__ == "__main__":
    main(*sys.argv[1:])
