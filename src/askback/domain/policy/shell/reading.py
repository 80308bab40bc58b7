"""Reads one command line: the commands that would run, or why they are not certain, and all commands in it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import limits, tree
from askback.domain.policy.shell.characters import why_suspicious
from askback.domain.policy.shell.command_search import TOO_LONG, CommandSearch, is_too_long
from askback.domain.policy.shell.extended import ExtendedReading, extended_argv, read_extended
from askback.domain.policy.shell.lexer import Argv, NotUnderstood, split_commands
from askback.domain.policy.shell.programs import STATE_BUILTINS
from askback.domain.values import frozen

SHELLS = {"bash": False, "sh": True}
"""The shells that are understood, and whether only their common part with POSIX shells is."""


@frozen(slots=True)
class Reading:
    """A command line as far as it is understood.

    `commands` are the argument vectors that would run, in order; empty if `unclear` says why they are not known.
    `all_commands` also has those in substitutions and the like, for deny rules. `targets` and `inputs` are the files
    that redirections write and read, and `lines` the texts in which all were found. `incomplete` says why there may be
    commands that were not found.
    """

    commands: tuple[Argv, ...]
    all_commands: tuple[Argv, ...]
    targets: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    unclear: Reason | None = None
    incomplete: Reason | None = None
    extended: ExtendedReading | None = None
    """The reading that built-in lists check instead of `commands`; see `extended.py`."""
    inputs: tuple[str, ...] = ()


def read_command(text: str, shell: str = "bash", *, others: Iterable[str | Argv] = ()) -> Reading:
    """Read the text of a command line for a shell. Never raises: anything unusual is `unclear`.

    `others` are other texts and argument vectors of the same call. Their commands are added to `all_commands` only.
    """
    search = CommandSearch()
    parsed_tree = search.search_text(text)
    search.search_others(others)
    if is_too_long(text):
        return _reading((), search, TOO_LONG)
    unclear = why_suspicious(text)
    if unclear is None and shell not in SHELLS:
        unclear = Reason("other_shell", name=shell)
    if unclear is not None:
        return _reading((), search, unclear)
    try:
        commands = split_commands(text, posix=SHELLS[shell])
        unclear = _disagreement(commands, parsed_tree) or _state_change(commands)
    except NotUnderstood as error:
        commands, unclear = (), error.why
    reading = _reading(commands, search, unclear)
    may_have_more = (unclear or any(map(_may_run_another, commands))) and not search.unseen
    extended = _read_extended(text, shell, parsed_tree) if may_have_more else None
    if extended is None:
        return reading
    # Deny rules see `cat .env` in a loop over `.env`; they do not see an input file as `cat`.
    argv_of_steps = (step.argv for step in extended.steps if step.argv[1:2] != ("--",))
    return replace(
        reading, extended=extended, all_commands=tuple(dict.fromkeys((*reading.all_commands, *argv_of_steps)))
    )


def _read_extended(text: str, shell: str, parsed_tree: tree.ParsedTree | None) -> ExtendedReading | None:
    """Read extended syntax; None unless the second reader finds the same."""
    if parsed_tree is None or parsed_tree.outline is None:
        return None
    extended = read_extended(text, posix=SHELLS[shell])
    if extended is None or extended.outline != parsed_tree.outline or extended.inputs != parsed_tree.inputs:
        return None
    return extended


def _may_run_another(argv: Argv) -> bool:
    """Return whether a command may run another one; see `delegation.py`."""
    return argv[0] in {"find", "xargs"} or (argv[0] == "git" and argv[1:2] != () and argv[1].startswith("-"))


def read_argv(argv: Argv, *, others: Iterable[str | Argv] = ()) -> Reading:
    """Read an argument vector that runs without a shell: the program gets exactly its words."""
    search = CommandSearch()
    search.search_argv(argv)
    search.search_others(others)
    if not argv or not argv[0]:
        return _reading((), search, Reason("empty_command"))
    if len(argv) > limits.BYTES or is_too_long(" ".join(argv)):
        return _reading((), search, TOO_LONG)
    reading = _reading((argv,), search, next(filter(None, map(why_suspicious, argv)), None))
    may_have_more = not reading.unclear and _may_run_another(argv)
    return replace(reading, extended=extended_argv(argv)) if may_have_more else reading


def scan_fragments(fragments: Iterable[str | Argv]) -> Reading:
    """Search texts and argument vectors that may be commands; the reading is never clear."""
    search = CommandSearch()
    search.search_others(fragments)
    return _reading((), search, Reason("no_command"))


def _reading(commands: tuple[Argv, ...], search: CommandSearch, unclear: Reason | None) -> Reading:
    """Build the reading. If commands may be missing, it is not clear."""
    unclear = unclear or search.unseen
    return Reading(
        () if unclear else commands,
        tuple(search.searched_argvs),
        tuple(search.targets),
        tuple(search.lines),
        unclear=unclear,
        incomplete=search.unseen,
        inputs=tuple(search.inputs),
    )


def _disagreement(commands: tuple[Argv, ...], parsed_tree: tree.ParsedTree | None) -> Reason | None:
    """Require that both readers find the same commands; otherwise one of them is wrong."""
    if parsed_tree is None:
        return Reason("too_complex")
    return None if parsed_tree.is_plain and parsed_tree.commands == commands else Reason("uncertain")


def _state_change(commands: tuple[Argv, ...]) -> Reason | None:
    return next(
        (Reason("changes_shell", name=argv[0]) for argv in commands if argv[0] in STATE_BUILTINS), None
    )
