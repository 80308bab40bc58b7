"""What in the input of a call is a command: the one that would run, and every text that may be one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from askback.domain.policy.files import folded
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.reading import Reading, glimpse, read_argv, read_command
from askback.domain.policy.wordlist import words

_COMMANDS = words("command commands cmd argv script commandline shellcommand")
"""Keys that hold a command, whatever the tool is called."""

_DESCRIBE = frozenset({"command", "argv", "shell", "description", "timeout", "timeout_s", "timeout_ms"})
"""What a shell tool may be given without changing what its command does."""


def read(given: Mapping[str, Any], *, shell: str) -> Reading:
    """Read the input of a tool that runs commands for a shell, unless the input names another one.

    An input of any other shape than `{"command": …}` or `{"argv": [...]}` is unclear, and so is a second command.
    """
    beside = {name: value for name, value in given.items() if name not in _DESCRIBE}
    command = _command(given)
    if command is None:
        return replace(glimpse(_pieces(given)), unseen="the input has no single command")
    named = given.get("shell") or shell
    if isinstance(command, str):
        reading = read_command(command, named if isinstance(named, str) else "?", beside=_pieces(beside))
    else:
        reading = read_argv(command, beside=_pieces(beside))
    if holds(beside):
        two = "the input has more than one command"
        return replace(reading, commands=(), unclear=two, unseen=two)
    if beside and reading.unclear is None:
        return replace(reading, commands=(), unclear=f"`{next(iter(beside))}` in the input changes what runs")
    return reading


def look(given: Mapping[str, Any]) -> Reading:
    """Look for commands in the input of a tool of which nothing is known: below keys that hold one, or anywhere."""
    return glimpse(
        piece for value in (_below(given) if holds(given) else (given,)) for piece in _pieces(value)
    )


def holds(given: object) -> bool:
    """Tell whether an input has a key that holds a command, at any depth."""
    return next(_below(given), None) is not None


def _command(given: Mapping[str, Any]) -> str | Argv | None:
    found = [value for name in ("command", "argv") if (value := given.get(name)) is not None]
    if len(found) != 1:
        return None
    if isinstance(found[0], str):
        return found[0] if given.get("argv") is None else None
    return _vector(found[0])


def _vector(value: object) -> Argv | None:
    items = cast("list[object]", value) if isinstance(value, list | tuple) else []
    argv = tuple(item for item in items if isinstance(item, str))
    return argv if argv and len(argv) == len(items) else None


def _below(value: object) -> Iterator[object]:
    """Go through what stands below a key that holds a command, and one by one below a key that holds several."""
    if isinstance(value, Mapping):
        for name, member in cast("Mapping[str, object]", value).items():
            if folded(name) not in _COMMANDS or member is None:
                yield from _below(member)
            elif folded(name) == "commands" and isinstance(member, list | tuple):
                yield from cast("list[object]", member)
            else:
                yield member
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _below(item)


def _pieces(value: object) -> Iterator[str | Argv]:
    """Go through every text, and every list of texts both as one argument vector and as lines of their own."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in cast("Mapping[str, object]", value).values():
            yield from _pieces(member)
    elif isinstance(value, list | tuple):
        argv = _vector(cast("object", value))
        if argv is not None:
            yield argv
        for item in cast("list[object]", value):
            # A single word of a vector is an argument, and no command.
            if argv is None or " " in cast("str", item):
                yield from _pieces(item)
