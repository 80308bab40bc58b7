"""One turn of an agent as a run: if it fails, the requests that it left open are cancelled."""

import asyncio

from askback import AsyncClient


async def main() -> None:
    async with AsyncClient(thread_id="order-1234") as ask:
        await ask.threads.update("order-1234", title="Order 1234", metadata={"crm": 99})
        async with ask.run() as run:
            size = await ask.ask("Which size?", ["S", "M", "L"], run_id=run.id, external_id="order-1234-size")
            await ask.say(f"Size {size} it is.", thread_id="order-1234", run_id=run.id)
        ended_run = await ask.runs.get(run.id)
        print(size, ended_run.reason)


asyncio.run(main())
