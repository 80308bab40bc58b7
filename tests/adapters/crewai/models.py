"""A fake model, crews made of it, and a blocking client in the loop of a test."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

os.environ |= {
    "CREWAI_DISABLE_TELEMETRY": "true",
    "CREWAI_TRACING_ENABLED": "false",
    "OPENAI_API_KEY": "none",  # a model that is asked after all fails
}

from crewai import Agent, Crew, Task
from crewai.flow import Flow, human_feedback, listen, start
from crewai.llms.base_llm import BaseLLM
from crewai.tools import tool

from askback import AsyncClient, Client
from askback.client.methods import Blocking, Portal
from tests.adapters.promises import Turn

T = TypeVar("T")


class FakeModel(BaseLLM):
    """Makes the calls of each turn, with ids in their order, and then says "done"."""

    left: list[Turn] = []
    number: int = 0
    read: list[Any] = []

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.read = list(messages)
        return [self._call(*item) for item in self.left.pop(0)] if self.left else "done"

    def _call(self, name: str, args: Any) -> dict[str, Any]:
        self.number += 1
        function = {"name": name, "arguments": json.dumps(args)}
        return {"id": f"call_{self.number}", "type": "function", "function": function}


class TextModel(FakeModel):
    """A model without native calls: it writes what it wants to do, once, and then is done."""

    left: list[Any] = []

    def supports_function_calling(self) -> bool:
        return False

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.read = list(messages)
        if not self.left:
            return "Thought: done\nFinal Answer: done"
        name, args_ = self.left.pop(0)
        return f"Thought: go\nAction: {name}\nAction Input: {json.dumps(args_)}\n"


def release_agent(*turns: Turn, tools: Sequence[Any] = (), name: str = "releaser", **options: Any) -> Agent:
    """Return an agent."""
    fake = FakeModel(model="fake", left=list(turns))
    return Agent(role=name, goal="Release.", backstory="-", llm=fake, tools=list(tools), **options)


def crew_of(agent: Agent, *other_agent: Agent, **task: Any) -> Crew:
    """Return a crew with one task."""
    todo = Task(description="go", expected_output="a result", agent=agent, **task)
    return Crew(agents=[agent, *other_agent], tasks=[todo])


def results_read_by(agent: Agent) -> list[str]:
    """Return the last tool results that the model of an agent read, in the order of its calls."""
    fake: Any = agent.llm
    result = {item["tool_call_id"]: item["content"] for item in fake.read if item["role"] == "tool"}
    return [result[item] for item in sorted(result)]


def deploy_tool(deploy: Any) -> Any:
    """Return a function as a tool."""
    return tool("deploy")(deploy)


class Review(Flow[Any]):
    """A flow whose draft a person reviews; it writes into a file what it has published."""

    ran: ClassVar[Path] = Path(os.devnull)

    @start()
    @human_feedback(message="Publish?", emit=["publish", "discard"], llm="gpt-5.4-mini")
    def draft(self) -> dict[str, str]:
        return {"title": "Askback"}

    @listen("publish")
    def published(self) -> str:
        with self.ran.open("a") as out:
            out.write("published\n")
        return "published"

    @listen("discard")
    def discarded(self) -> str:
        return "discarded"


class _Here(Portal):
    """Runs coroutines in the loop of the test, for which a thread of the framework waits."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


def blocking(ask: AsyncClient) -> Client:
    """Return a blocking client that shares the connection of another one."""
    client = Client.__new__(Client)
    Blocking.__init__(client, _Here(asyncio.get_running_loop()), ask)
    return client
