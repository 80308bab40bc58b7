"""Three questions at once, answered in any order: each `await` gets its own answer."""

import asyncio

from askback import AsyncClient

QUESTIONS = {"color": ["red", "green"], "size": ["small", "large"], "shape": ["round", "square"]}


async def main() -> None:
    async with AsyncClient() as ask, asyncio.TaskGroup() as tasks:
        answers = {
            name: tasks.create_task(ask.ask(f"Which {name}?", choices, thread_id="parallel"))
            for name, choices in QUESTIONS.items()
        }
    print({name: task.result() for name, task in answers.items()})


asyncio.run(main())
