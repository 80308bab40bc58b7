"""An answer that the agent checks before it counts: the person is asked again, with what was wrong."""

import asyncio

from askback import Answer, AsyncClient, Form, Text

TAKEN = {"app", "web"}
NAME = Form(title="A name for the service", fields=[Text(id="name", label="Name", required=True)])


async def free(answer: Answer) -> dict[str, str] | None:
    """Say what is wrong by field, or None when the answer holds."""
    return {"name": "This name is taken."} if answer.values["name"] in TAKEN else None


async def main() -> None:
    async with AsyncClient() as ask:
        answer = await ask.form(NAME, thread_id="services", validate=free)
        print(f"The service is called {answer.values['name']}.")


asyncio.run(main())
