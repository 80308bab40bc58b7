"""What stops the reading of a schema at one place."""

from __future__ import annotations

from askback.compat.translation import Steps


class Unsupported(Exception):
    """A keyword has no counterpart in a form; `steps` lead to it from the schema that has it."""

    def __init__(self, reason: str, *steps: str | int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.steps: Steps = steps
