"""Agor's widgets: the tools that an agent asks with, the paths that its page uses, and its errors."""

from askback.compat.agor import page
from askback.compat.agor.asking import PREFIX, TOOLS, call_tool, tool_call
from askback.compat.agor.widgets import refuse
from askback.ports.systems import Route, System, Tools
from askback.wire.operation import PEOPLE, REQUESTER

__all__ = ["SYSTEM"]

SYSTEM = System(
    routes=[
        Route("POST /sessions/{session}/tools/{tool}", REQUESTER, tool_call),
        Route("POST /widgets/{widget}/submit", PEOPLE, page.submit),
        Route("POST /widgets/{widget}/dismiss", PEOPLE, page.dismiss),
        Route("POST /widgets/{widget}/oauth-start", PEOPLE, page.oauth_start),
        Route("POST /widgets/{widget}/oauth-resolve", PEOPLE, page.oauth_resolve),
        Route("GET /messages/{widget}", PEOPLE, page.message),
        Route("GET /messages", PEOPLE, page.messages),
        Route("GET /sessions/{session}/events", PEOPLE, page.events, lasts=True),
    ],
    refuse=refuse,
    connects_accounts=True,
    tools=Tools("/mcp", {PREFIX + type_: tool for type_, tool in TOOLS.items()}, call_tool),
)
