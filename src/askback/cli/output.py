"""What the commands print: whole lines, as they are."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console


def plain_console(*, stderr: bool = False) -> Console:
    """Return a console that changes no text: it breaks no line, for a pipe has no width, and `[b]` and `:key:` stay."""
    from rich.console import Console  # here: a server started by a program prints only one line of JSON

    return Console(stderr=stderr, highlight=False, soft_wrap=True, markup=False, emoji=False)


def discard_stdout() -> None:
    """Write the rest to nowhere when its reader has gone, so that the interpreter does not fail at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
