"""Send a person to a page, and continue when they say that it is done."""

import asyncio

from askback import AsyncClient


async def main() -> None:
    async with AsyncClient() as ask:
        answer = await ask.action(
            "Install the plugin",
            thread_id="plugins",
            url="https://shop.example.com/plugin",
            label="Open the shop",
            description="Choose the *free* plan.",
        )
        print(answer.outcome, answer.reason or "")


asyncio.run(main())
