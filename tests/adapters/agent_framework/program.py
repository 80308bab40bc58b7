"""A program with an agent of Microsoft Agent Framework that is killed while it waits."""

from __future__ import annotations

import sys

from askback.adapters.agent_framework import park, resume_agent
from tests.adapters.agent_framework.models import release_agent
from tests.adapters.programs import Life, program


async def park_program(life: Life) -> None:
    agent = release_agent(life.calls, deploy=life.deploy)
    session = agent.create_session()
    await park(life.ask, agent, await agent.run("go", session=session), session, store=life.store)


async def resume_program(life: Life, stored: str) -> str | None:
    result = await resume_agent(life.ask, release_agent(deploy=life.deploy), stored)
    return None if result is None else result.reply.text


main = program(park_program, resume_program)

if __name__ == "__main__":
    main(*sys.argv[1:])
