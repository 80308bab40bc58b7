"""Stop this agent while it waits, answer, and start it again: it finds the answer and asks nothing twice."""

import asyncio
import sys

from askback import AsyncClient, Form, Text

RUN = sys.argv[1] if len(sys.argv) > 1 else "run-1"


async def main() -> None:
    async with AsyncClient() as ask:
        form = Form(fields=[Text(id="name", label="What shall the release be called?", required=True)])
        answer = await ask.form(
            form,
            thread_id="releases",
            idempotency_key=f"{RUN}-name",  # the same key finds the same question
            cancel_on_abort=False,  # Ctrl-C leaves the question open instead of taking it back
        )
        print(answer.values["name"])


asyncio.run(main())
