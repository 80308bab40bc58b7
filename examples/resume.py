"""An agent that asks, ends its turn, and continues with the answer: in this process or in another, days later."""

import asyncio

from askback import AsyncClient, Form, Select

WHERE = Select(id="where", label="Where to?", options=["sea", "mountains"], required=True)


async def ask_and_leave() -> None:
    async with AsyncClient() as ask:
        form = Form(title="Holidays", fields=[WHERE])
        await ask.requests.create(form, thread_id="holidays", delivery="resume", idempotency_key="holidays-1")


async def go_on() -> None:
    async with AsyncClient() as ask:
        async for resume in ask.resumes.listen("holidays"):
            print(resume.text)  # what a model reads first in its next turn
            await ask.resumes.ack(resume)  # otherwise it is delivered again
            break


asyncio.run(ask_and_leave())
asyncio.run(go_on())
