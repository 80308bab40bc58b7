"""LangGraph and LangChain: a person answers the interrupts of a graph, and the graph continues.

    out = await run_graph(ask, graph, {"messages": [("user", "go")]}, {"configurable": {"thread_id": "t1"}})

It answers `HumanInTheLoopMiddleware` in both modes, `interrupt(…)` with any value and `response_schema`, requests of
Agent Inbox, and the tools below. `answer_interrupts` is for programs that stream, `park` and `resume_graph` are for
those that do not wait. All take either client; the blocking one blocks.
"""

from askback.adapters.langgraph.graph import answer_interrupts, park, resume_graph, run_graph
from askback.adapters.langgraph.tools import ask_user, mirror, request_approval, request_env_vars

__all__ = [
    "answer_interrupts",
    "ask_user",
    "mirror",
    "park",
    "request_approval",
    "request_env_vars",
    "resume_graph",
    "run_graph",
]
