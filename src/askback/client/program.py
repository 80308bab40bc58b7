"""The command that starts askback in another process."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

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


def starts_askback(words: Sequence[str], command: str) -> bool:
    """Return whether the words of a command start this command of askback, as `program` or by its name."""
    program, *arguments = words or ("",)
    while arguments[:1] in (["-E"], ["-P"]):
        del arguments[0]
    return arguments[:3] == ["-m", "askback", command] or (
        Path(program).name == "askback" and arguments[:1] == [command]
    )
