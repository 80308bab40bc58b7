"""A program with an agent of the OpenAI Agents SDK that is killed while it waits."""

from __future__ import annotations

from agents import Runner

from askback import AsyncClient
from askback.adapters.openai_agents import park, resume_run
from tests.adapters.openai_agents.models import releaser
from tests.adapters.programs import Deploy, play
from tests.adapters.promises import Turn


async def parked(ask: AsyncClient, deploy: Deploy, calls: Turn) -> str:
    return await park(ask, await Runner.run(releaser(calls, deploy=deploy), "go"))


async def resumed(ask: AsyncClient, deploy: Deploy, stored: str) -> str | None:
    result = await resume_run(ask, releaser(deploy=deploy), stored)
    return None if result is None else result.final_output


if __name__ == "__main__":
    play(parked, resumed)
