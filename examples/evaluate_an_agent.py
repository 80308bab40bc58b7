"""Measure what people approve, and run an agent again with the answers that they gave."""

import asyncio

from askback import AsyncClient
from askback.testing import approval_rates, person, replay


async def release(ask: AsyncClient, target: str) -> bool:
    """The agent that is evaluated."""
    return bool(await ask.approve("deploy", {"to": target}))


async def main() -> None:
    async with AsyncClient(thread_id="evaluation") as ask:  # people answer, on a real server
        first = [await release(ask, target) for target in ("staging", "production")]
        answered_items = (
            await ask.requests.list(thread_id="evaluation", kind="approval", status="answered")
        ).items
    for tool, rate in approval_rates(answered_items).items():
        print(f"{tool}: {rate.approved} of {rate.decided} approved, {rate.edited} with changes")

    recorded = person(replay(answered_items))
    async with recorded, AsyncClient(app=recorded.app, thread_id="evaluation") as ask:
        second_outcomes = [await release(ask, target) for target in ("staging", "production")]
    print("same" if second_outcomes == first else "different")


asyncio.run(main())
