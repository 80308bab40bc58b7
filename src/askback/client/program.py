"""The command that starts askback in another process."""

from __future__ import annotations

import sys

HOOK = "ASKBACK_HOOK"
"""The variable that turns `askback hook` off: a program sets it to `off` if it asks about the calls itself."""


def program(*arguments: str) -> tuple[str, ...]:
    """Return a command of askback of this environment.

    Without `-P`, a module of the folder where the command starts, such as `askback`, would be run in its place.
    """
    return (sys.executable, "-P", "-m", "askback", *arguments)
