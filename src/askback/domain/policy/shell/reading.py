"""One command line, read: what would run for certain, or why that is not certain, and every command in sight."""

from __future__ import annotations

import re
from dataclasses import dataclass

from askback.domain.policy.shell import limits, tree, wrapped
from askback.domain.policy.shell.characters import suspicious
from askback.domain.policy.shell.lexer import Argv, NotUnderstood, read
from askback.domain.policy.shell.programs import STATE

SHELLS = {"bash": False, "sh": True}
"""The shells that are understood, and whether only what POSIX shells share is."""

_CRUDE = re.compile(r"[;&|\n(){}`$\"'<>]+")
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Reading:
    """A command line as far as it is understood.

    `commands` are the argument vectors that would run, in order; empty when `unclear` says why they are not known.
    `seen` are all commands in sight, also in substitutions, for rules that deny. `targets` are redirected files.
    """

    commands: tuple[Argv, ...]
    seen: tuple[Argv, ...]
    targets: tuple[str, ...] = ()
    unclear: str | None = None


def read_command(text: str, shell: str = "bash") -> Reading:
    """Read the text of a command line for a shell. Never raises: what is odd is `unclear`."""
    if len(text) > limits.BYTES or len(text.encode(errors="replace")) > limits.BYTES:
        return Reading((), _crude(text[: limits.BYTES]), (), f"it is longer than {limits.BYTES} bytes")
    hidden = suspicious(text)
    sight = tree.look(text.encode(errors="replace").decode())
    seen = _crude(text) if sight is None else sight.commands
    targets = () if sight is None else sight.targets
    commands: tuple[Argv, ...] = ()
    unclear = hidden
    if unclear is None and shell not in SHELLS:
        unclear = f"the shell `{shell}` is not one that is understood"
    if unclear is None:
        try:
            commands = read(text, posix=SHELLS[shell])
        except NotUnderstood as odd:
            unclear = str(odd)
        else:
            unclear = _disagreement(commands, sight) or _state(commands)
    return Reading(() if unclear else commands, _with_inner(seen), targets, unclear)


def read_argv(argv: Argv) -> Reading:
    """Read an argument vector that runs without a shell: its words are exactly what the program gets."""
    if not argv or not argv[0]:
        return Reading((), (), (), "there is no command")
    size = sum(len(word.encode(errors="replace")) + 1 for word in argv)
    unclear = f"it is longer than {limits.BYTES} bytes" if size > limits.BYTES else None
    for word in () if unclear else argv:
        unclear = unclear or suspicious(word)
    return Reading(() if unclear else (argv,), _with_inner((argv,)), (), unclear)


def _disagreement(commands: tuple[Argv, ...], sight: tree.Sight | None) -> str | None:
    """Two readers must find the same commands; else one of them is wrong, and it is not known which."""
    if sight is None:
        return "it is too complex to be parsed"
    if sight.plain and sight.commands == commands:
        return None
    return f"it is not certain how it is read ({sight.odd or 'its words differ'})"


def _state(commands: tuple[Argv, ...]) -> str | None:
    return next((f"`{argv[0]}` changes the shell itself" for argv in commands if argv[0] in STATE), None)


def _with_inner(seen: tuple[Argv, ...]) -> tuple[Argv, ...]:
    """Add what wrappers and `sh -c` would run, to a small depth."""
    found, fresh = list(seen), list(seen)
    for _ in range(_DEPTH):
        later: list[Argv] = []
        for argv in fresh:
            later += wrapped.inner(argv)
            for text in wrapped.code(argv):
                sight = tree.look(text.encode(errors="replace").decode())
                later += () if sight is None else sight.commands
        if not later or len(found) > 10 * limits.COMMANDS:
            break
        fresh = [argv for argv in later if argv]
        found += fresh
    return tuple(found)


def _crude(text: str) -> tuple[Argv, ...]:
    """Cut at everything that could begin a command: for denying only, when no tree can be had."""
    return tuple(tuple(part.split()) for part in _CRUDE.split(text) if part.split())
