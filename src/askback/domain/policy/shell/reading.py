"""One command line, read: what would run for certain, or why that is not certain, and every command in sight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import limits, tree
from askback.domain.policy.shell.characters import suspicious
from askback.domain.policy.shell.lexer import Argv, NotUnderstood, read
from askback.domain.policy.shell.programs import STATE
from askback.domain.policy.shell.search import TOO_LONG, Search, over
from askback.domain.policy.shell.wider import Wider, read_wider, wider_argv

SHELLS = {"bash": False, "sh": True}
"""The shells that are understood, and whether only what POSIX shells share is."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A command line as far as it is understood.

    `commands` are the argument vectors that would run, in order; empty when `unclear` says why they are not known.
    `seen` are all commands in sight, also in substitutions, for rules that deny; `targets` and `inputs` are the files
    that redirections write and read, and `lines` the texts in which all were found. `unseen` says why there may be
    commands that are not even in sight.
    """

    commands: tuple[Argv, ...]
    seen: tuple[Argv, ...]
    targets: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    unclear: Reason | None = None
    unseen: Reason | None = None
    wider: Wider | None = None
    """What the ready-made lists may judge in place of `commands`; see `wider.py`."""
    inputs: tuple[str, ...] = ()


def read_command(text: str, shell: str = "bash", *, beside: Iterable[str | Argv] = ()) -> Reading:
    """Read the text of a command line for a shell. Never raises: what is odd is `unclear`.

    `beside` are other texts and vectors of the same call: they are looked into as well, and say nothing that is clear.
    """
    search = Search()
    sight = search.text(text)
    search.beside(beside)
    if over(text):
        return _reading((), search, TOO_LONG)
    unclear = suspicious(text)
    if unclear is None and shell not in SHELLS:
        unclear = Reason("other_shell", name=shell)
    if unclear is not None:
        return _reading((), search, unclear)
    try:
        commands = read(text, posix=SHELLS[shell])
        unclear = _disagreement(commands, sight) or _state(commands)
    except NotUnderstood as odd:
        commands, unclear = (), odd.why
    found = _reading(commands, search, unclear)
    more = (unclear or any(map(_hands_over, commands))) and not search.unseen
    wider = _wider(text, shell, sight) if more else None
    if wider is None:
        return found
    # Rules that deny see `cat .env` in a loop over `.env`; the input of a command is no `cat` to them.
    spelled = (step.argv for step in wider.steps if step.argv[1:2] != ("--",))
    return replace(found, wider=wider, seen=tuple(dict.fromkeys((*found.seen, *spelled))))


def _wider(text: str, shell: str, sight: tree.Sight | None) -> Wider | None:
    """Read more of the text, and return it where the second reader finds the same."""
    if sight is None or sight.outline is None:
        return None
    wider = read_wider(text, posix=SHELLS[shell])
    if wider is None or wider.outline != sight.outline or wider.inputs != sight.inputs:
        return None
    return wider


def _hands_over(argv: Argv) -> bool:
    """Tell whether a command may stand for a plainer one; see `handed.py`."""
    return argv[0] in {"find", "xargs"} or (argv[0] == "git" and argv[1:2] != () and argv[1].startswith("-"))


def read_argv(argv: Argv, *, beside: Iterable[str | Argv] = ()) -> Reading:
    """Read an argument vector that runs without a shell: its words are exactly what the program gets."""
    search = Search()
    search.vector(argv)
    search.beside(beside)
    if not argv or not argv[0]:
        return _reading((), search, Reason("empty_command"))
    if len(argv) > limits.BYTES or over(" ".join(argv)):
        return _reading((), search, TOO_LONG)
    found = _reading((argv,), search, next(filter(None, map(suspicious, argv)), None))
    more = not found.unclear and _hands_over(argv)
    return replace(found, wider=wider_argv(argv)) if more else found


def glimpse(pieces: Iterable[str | Argv]) -> Reading:
    """Look into texts and vectors of which any may be a command, and none is known to be."""
    search = Search()
    search.beside(pieces)
    return _reading((), search, Reason("no_command"))


def _reading(commands: tuple[Argv, ...], search: Search, unclear: Reason | None) -> Reading:
    """Finish a reading: where there may be more than what is in sight, nothing is clear."""
    unclear = unclear or search.unseen
    return Reading(
        () if unclear else commands,
        tuple(search.seen),
        tuple(search.targets),
        tuple(search.lines),
        unclear=unclear,
        unseen=search.unseen,
        inputs=tuple(search.inputs),
    )


def _disagreement(commands: tuple[Argv, ...], sight: tree.Sight | None) -> Reason | None:
    """Two readers must find the same commands; else one of them is wrong, and it is not known which."""
    if sight is None:
        return Reason("too_complex")
    return None if sight.plain and sight.commands == commands else Reason("uncertain")


def _state(commands: tuple[Argv, ...]) -> Reason | None:
    return next((Reason("changes_shell", name=argv[0]) for argv in commands if argv[0] in STATE), None)
