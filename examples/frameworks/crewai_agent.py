"""A crew of CrewAI whose deployments a person approves, with a fake model."""

import json
import os
from typing import Any

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")

from crewai import Agent, Crew, Task
from crewai.llms.base_llm import BaseLLM
from crewai.tools import tool

from askback import Client
from askback.adapters.crewai import ask_tools, gate_tools

TURNS = [
    ("ask_user", {"question": "Which version?", "options": ["1.4", "2.0"]}),
    ("deploy", {"to": "production"}),
]


class FakeModel(BaseLLM):
    """A model that says what it is given."""

    def supports_function_calling(self) -> bool:
        return True

    def call(self, messages: Any, *more: Any, **rest: Any) -> Any:
        print(messages[-1])
        if not TURNS:
            return "Done."
        name, arguments = TURNS.pop(0)
        function = {"name": name, "arguments": json.dumps(arguments)}
        return [{"id": f"call_{name}", "type": "function", "function": function}]


@tool
def deploy(to: str) -> str:
    """Deploy the new version."""
    print(f"Deploying to {to}.")
    return f"Deployed to {to}."


with Client(thread_id="release") as ask:
    model = FakeModel(model="fake")
    agent = Agent(role="releaser", goal="Release.", backstory="", llm=model, tools=[deploy, *ask_tools(ask)])
    task = Task(description="Release it.", expected_output="What was done.", agent=agent)
    crew: Any = Crew(agents=[agent], tasks=[task])  # strict type checkers reject its method kickoff
    with gate_tools(ask, {"deploy"}):
        print(crew.kickoff())
