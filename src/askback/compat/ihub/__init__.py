"""iHub's `ask_user`: questions of a model over SSE, answered by the next message of the chat."""

from askback.compat.ihub.routes import SYSTEM, tool

__all__ = ["SYSTEM", "tool"]
