"""A program with an agent of Pydantic AI that is killed while it waits."""

from __future__ import annotations

import sys

from askback.adapters.pydantic_ai import park, resume_agent
from tests.adapters.programs import Life, program
from tests.adapters.pydantic_ai.models import release_agent


async def park_program(life: Life) -> None:
    agent = release_agent(life.calls, deploy=life.deploy)
    await park(life.ask, await agent.run("go"), store=life.store)


async def resume_program(life: Life, stored: str) -> str | None:
    result = await resume_agent(life.ask, release_agent(deploy=life.deploy), stored)
    return None if result is None else result.output


main = program(park_program, resume_program)

if __name__ == "__main__":
    main(*sys.argv[1:])
