"""The command that starts askback in another process."""

from __future__ import annotations

import sys


def python(*arguments: str) -> tuple[str, ...]:
    """Return a command of this environment's Python that imports no module of the folder where it starts.

    `-P` leaves out the folder itself, and `-E` an empty entry of `PYTHONPATH`, which means the same.
    """
    return (sys.executable, "-E", "-P", *arguments)


def program(*arguments: str) -> tuple[str, ...]:
    """Return a command of askback of this environment."""
    return python("-m", "askback", *arguments)
