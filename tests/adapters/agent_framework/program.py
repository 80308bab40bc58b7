"""A program with an agent of Microsoft Agent Framework that is killed while it waits."""

from __future__ import annotations

from askback import AsyncClient
from askback.adapters.agent_framework import park, resume_agent
from tests.adapters.agent_framework.models import releaser
from tests.adapters.programs import Deploy, play
from tests.adapters.promises import Turn


async def parked(ask: AsyncClient, deploy: Deploy, calls: Turn) -> str:
    agent = releaser(calls, deploy=deploy)
    session = agent.create_session()
    return await park(ask, agent, await agent.run("go", session=session), session)


async def resumed(ask: AsyncClient, deploy: Deploy, stored: str) -> str | None:
    found = await resume_agent(ask, releaser(deploy=deploy), stored)
    return None if found is None else found.reply.text


if __name__ == "__main__":
    play(parked, resumed)
