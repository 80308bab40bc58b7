"""CrewAI: a person decides about tool calls, and answers flows and tasks.

    with Client() as ask, gate_tools(ask, {"deploy", "send_*"}):
        result = crew.kickoff()

`AskbackFeedback` answers `@human_feedback` and `Flow.ask`, with `wait=False` and `resume_flow` without a process that
waits; `answer_tasks` answers tasks with `human_input=True`.
"""

from askback.adapters.crewai.flows import AskbackFeedback, resume_flow
from askback.adapters.crewai.gate import ask_tools, gate_tools
from askback.adapters.crewai.tasks import answer_tasks, mirror

__all__ = [
    "AskbackFeedback",
    "answer_tasks",
    "ask_tools",
    "gate_tools",
    "mirror",
    "resume_flow",
]
