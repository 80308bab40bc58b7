"""The fault of a part of a schema that a form cannot express."""

from __future__ import annotations

from askback.compat.translation import Steps


class UnsupportedKeyword(Exception):
    """A keyword has no counterpart in a form; `steps` lead to it from the schema that has it."""

    def __init__(self, reason: str, *steps: str | int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.steps: Steps = steps
