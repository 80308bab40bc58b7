"""What in the input of a call is a command: the one that would run, and every text that may be one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from askback.domain.policy.files import folded
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.handed import Step
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.reading import Reading, glimpse, read_argv, read_command
from askback.domain.policy.shell.wider import Wider
from askback.domain.policy.shell_input import ShellInput, vector
from askback.domain.policy.wordlist import words

_COMMANDS = words("command commands cmd argv script commandline shellcommand")
"""Keys that hold a command, whatever the tool is called."""

_READ_DIFFERENTLY = re.compile(r"[&|<>^!;()$`\\\\\"'\n{}@#]|\A[=~]")
"""In a word that is quoted in bash: signs that some shell reads as more than a sign."""

_SAME_QUOTES = re.compile(r"""'[^'\\\n]*'|"[^"'\\$`!\n]*\"""")
_ALIKE = re.compile(r"[\w./@+%:,=~^ |&;>-]*")
_FIRST_SIGN = re.compile(r"(?:\A|[ |&;])[=~@]")


def read(given: ShellInput) -> Reading:
    """Read the input of a tool that runs commands. One without a single command is unclear."""
    command = given.command
    if command is None:
        return replace(glimpse(_pieces(given.beside)), unseen=Reason("no_command"))
    if isinstance(command, str):
        reading = _read_text(command, given)
    else:
        reading = read_argv(command, beside=_pieces(given.beside))
    if given.beside:
        reading = replace(reading, wider=None)
    if holds(given.beside):
        two = Reason("two_commands")
        return replace(reading, commands=(), unclear=two, unseen=two)
    if given.beside and reading.unclear is None:
        return replace(reading, commands=(), unclear=Reason("input_key", name=next(iter(given.beside))))
    return reading


def _read_text(command: str, given: ShellInput) -> Reading:
    understood = "sh" if given.shell == "user" else given.shell
    reading = read_command(command, understood, beside=_pieces(given.beside))
    if given.shell == "unknown":
        return replace(reading, commands=(), unclear=Reason("unknown_shell"), wider=None)
    if given.shell != "user":
        return reading
    posix = reading.wider or (None if reading.unclear else Wider(tuple(map(Step, reading.commands)), ()))
    wider = replace(posix, posix=True) if posix and _alike(command.strip()) else None
    if reading.unclear or portable(command, reading):
        return replace(reading, wider=wider)
    return replace(reading, commands=(), unclear=Reason("not_portable"), wider=wider)


def _alike(command: str) -> bool:
    """Tell whether bash, zsh, fish and PowerShell read a text alike; `cmd.exe` knows no single quotes and no `;`."""
    bare = _SAME_QUOTES.sub("", command)
    return bool(_ALIKE.fullmatch(bare)) and not _FIRST_SIGN.search(bare)


def portable(command: str, reading: Reading) -> bool:
    """Tell whether bash, zsh, fish, PowerShell and cmd.exe would all find the same commands in a text.

    They agree on plain words and on `&&`, `||` and `|`; they do not on signs within quotes (cmd.exe knows no single
    ones), on backslashes, and on `;`.
    """
    if ";" in command or "\n" in command.strip() or "\\" in command:
        return False
    return not any(_READ_DIFFERENTLY.search(word) for argv in reading.commands for word in argv)


def look(given: Mapping[str, Any]) -> Reading:
    """Look for commands in the input of a tool of which nothing is known: below keys that hold one, or anywhere."""
    return glimpse(
        piece for value in (_below(given) if holds(given) else (given,)) for piece in _pieces(value)
    )


def holds(given: object) -> bool:
    """Tell whether an input has a key that holds a command, at any depth."""
    return next(_below(given), None) is not None


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
        argv = vector(cast("object", value))
        if argv is not None:
            yield argv
        for item in cast("list[object]", value):
            # A single word of a vector is an argument, and no command.
            if argv is None or " " in cast("str", item):
                yield from _pieces(item)
