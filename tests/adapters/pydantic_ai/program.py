"""A program with an agent of Pydantic AI that is killed while it waits."""

from __future__ import annotations

from askback import AsyncClient
from askback.adapters.pydantic_ai import park, resume_agent
from tests.adapters.programs import Deploy, play
from tests.adapters.promises import Turn
from tests.adapters.pydantic_ai.models import releaser


async def parked(ask: AsyncClient, deploy: Deploy, calls: Turn) -> str:
    return (await park(ask, await releaser(calls, deploy=deploy).run("go"))).decode()


async def resumed(ask: AsyncClient, deploy: Deploy, stored: str) -> str | None:
    result = await resume_agent(ask, releaser(deploy=deploy), stored)
    return None if result is None else result.output


if __name__ == "__main__":
    play(parked, resumed)
