"""An agent that asks a person for two things and continues with the answer."""

import asyncio

from askback import AsyncClient, Form, Select, Text

REPORT = Form(
    title="Which report?",
    fields=[
        Select(id="format", label="Format", options=["PDF", "Word"], required=True),
        Text(id="topic", label="Topic", required=True, max_length=80),
    ],
)


async def main() -> None:
    async with AsyncClient() as ask:  # finds the server of this machine, or ASKBACK_URL and ASKBACK_TOKEN
        answer = await ask.form(REPORT, thread_id="reports")
        await ask.say("Thanks, writing it now.", thread_id="reports")
        print(answer.values)


asyncio.run(main())
