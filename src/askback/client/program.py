"""The command that starts askback in another process."""

from __future__ import annotations

import sys

HOOK = "ASKBACK_HOOK"
"""The variable that turns `askback hook` off: a program sets it to `off` if it asks about the calls itself."""


def python(*arguments: str) -> tuple[str, ...]:
    """Return a command of this environment's Python that imports no module of the folder where it starts.

    `-P` leaves out the folder itself, and `-E` an empty entry of `PYTHONPATH`, which means the same.
    """
    return (sys.executable, "-E", "-P", *arguments)


def program(*arguments: str) -> tuple[str, ...]:
    """Return a command of askback of this environment."""
    return python("-m", "askback", *arguments)
