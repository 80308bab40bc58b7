"""The questionnaires and interactions of kcosr/assistant: its HTTP operations, its WebSocket, its results."""

from askback.compat.kcosr.connection import PageConnection
from askback.compat.kcosr.interaction import InteractionRequest, UserResponse, request_interaction
from askback.compat.kcosr.operations import ask, events, interact, refuse
from askback.compat.kcosr.outcomes import ToolError, follow_up
from askback.compat.kcosr.schema import to_form
from askback.ports.systems import Route, Socket, System
from askback.wire.operation import PEOPLE, REQUESTER

__all__ = [
    "SYSTEM",
    "InteractionRequest",
    "ToolError",
    "UserResponse",
    "follow_up",
    "request_interaction",
    "to_form",
]

SYSTEM = System(
    routes=[
        Route("POST /api/plugins/questions/operations/ask", REQUESTER, ask, lasts=True),
        Route("POST /api/sessions/{session}/interactions", REQUESTER, interact, lasts=True),
        Route("POST /api/plugins/sessions/operations/events", PEOPLE, events),
    ],
    sockets=[Socket("/ws", PEOPLE, PageConnection)],
    refuse=refuse,
)
