"""LangGraph and LangChain: a person answers the interrupts of a graph, and the graph continues.

    out = await run_graph(ask, graph, {"messages": [("user", "go")]}, {"configurable": {"thread_id": "t1"}})

It answers `HumanInTheLoopMiddleware` in both modes, `interrupt(…)` with any value and `response_schema`, requests of
Agent Inbox, and the tools below. `park` and `resume_graph` do the same without a process that waits.
"""

from askback.adapters.langgraph.graph import park, resume_graph, run_graph
from askback.adapters.langgraph.tools import ask_user, mirror, request_approval, request_env_vars

__all__ = [
    "ask_user",
    "mirror",
    "park",
    "request_approval",
    "request_env_vars",
    "resume_graph",
    "run_graph",
]
