"""Microsoft Agent Framework: a person decides about the tool calls that need approval.

    reply = await run(ask, agent, "go", session=session)

`human` does it within an agent, for agents that stream or that run as tools of others. `park` and `resume_agent` do the
same without a process that waits.
"""

from askback.adapters.agent_framework.agents import ResumedRun, human, mirror, park, resume_agent, run
from askback.adapters.agent_framework.calls import ask_user, request_approval, request_env_vars

__all__ = [
    "ResumedRun",
    "ask_user",
    "human",
    "mirror",
    "park",
    "request_approval",
    "request_env_vars",
    "resume_agent",
    "run",
]
