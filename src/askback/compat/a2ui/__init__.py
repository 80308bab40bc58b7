"""Forms as surfaces of A2UI v0.9, drawn from its basic catalog, and its actions as answers.

    written = write_surface(form, surface_id="req_1")     written.messages go to the renderer, in order
    action = read_action(form, message)                   what the person did: submit with values, or cancel
    write_errors("req_1", {"mail": "Invalid format."})    shows errors below the fields
    close_surface("req_1")                                removes the surface

A renderer checks little, and the values of a surface pass through it and its transport: check them as any answer, and
never ask for a secret in one.
"""

from typing import Any

from askback.compat.a2ui.actions import Action, read_action
from askback.compat.a2ui.surface import WrittenSurface, close_surface, write_errors, write_surface
from askback.domain.fields import Form

__all__ = [
    "Action",
    "WrittenSurface",
    "close_surface",
    "read_action",
    "to_a2ui",
    "write_errors",
    "write_surface",
]


def to_a2ui(form: Form, *, surface_id: str) -> list[dict[str, Any]]:
    """Return the messages of `write_surface`."""
    return list(write_surface(form, surface_id=surface_id).messages)
