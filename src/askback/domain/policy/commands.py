"""Finds the commands in the input of a call: the one that would run, and every text that may be one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast

from askback.domain.policy.files import fold_key
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.delegation import Step
from askback.domain.policy.shell.extended import ExtendedReading
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.reading import Reading, read_argv, read_command, scan_fragments
from askback.domain.policy.shell_input import ShellInput, as_argv

_COMMANDS = frozenset("command commands cmd argv script commandline shellcommand".split())
"""Keys that hold a command, whatever the tool is called."""

_READ_DIFFERENTLY = re.compile(r"[&|<>^!;()$`\\\\\"'\n{}@#]|\A[=~]")
"""Characters in a quoted bash word that some shell interprets."""

_SAME_QUOTES = re.compile(r"""'[^'\\\n]*'|"[^"'\\$`!\n]*\"""")
_READ_ALIKE = re.compile(r"[\w./@+%:,=~^ |&;>-]*")
_FIRST_SIGN = re.compile(r"(?:\A|[ |&;])[=~@]")


def read_command_input(shell_input: ShellInput) -> Reading:
    """Read the input of a shell tool. Without exactly one command the reading is unclear."""
    command = shell_input.command
    if command is None:
        return replace(
            scan_fragments(_possible_commands(shell_input.other_members)), incomplete=Reason("no_command")
        )
    if isinstance(command, str):
        reading = _read_text(command, shell_input)
    else:
        reading = read_argv(command, others=_possible_commands(shell_input.other_members))
    if shell_input.other_members:
        reading = replace(reading, extended=None)
    if has_command_key(shell_input.other_members):
        two_commands = Reason("two_commands")
        return replace(reading, commands=(), unclear=two_commands, incomplete=two_commands)
    if shell_input.other_members and reading.unclear is None:
        return replace(
            reading, commands=(), unclear=Reason("input_key", name=next(iter(shell_input.other_members)))
        )
    return reading


def _read_text(command: str, shell_input: ShellInput) -> Reading:
    shell = "sh" if shell_input.shell == "user" else shell_input.shell
    reading = read_command(command, shell, others=_possible_commands(shell_input.other_members))
    if shell_input.shell == "unknown":
        return replace(reading, commands=(), unclear=Reason("unknown_shell"), extended=None)
    if shell_input.shell != "user":
        return reading
    posix = reading.extended or (
        None if reading.unclear else ExtendedReading(tuple(map(Step, reading.commands)), ())
    )
    extended = replace(posix, posix=True) if posix and _shells_agree(command.strip()) else None
    if reading.unclear or is_portable(command, reading):
        return replace(reading, extended=extended)
    return replace(reading, commands=(), unclear=Reason("not_portable"), extended=extended)


def _shells_agree(command: str) -> bool:
    """Return whether bash, zsh, fish and PowerShell read a text alike; `cmd.exe` has no single quotes and no `;`."""
    unquoted = _SAME_QUOTES.sub("", command)
    return bool(_READ_ALIKE.fullmatch(unquoted)) and not _FIRST_SIGN.search(unquoted)


def is_portable(command: str, reading: Reading) -> bool:
    """Return whether bash, zsh, fish, PowerShell and cmd.exe would all find the same commands in a text.

    They agree on plain words and on `&&`, `||` and `|`. They differ on special characters in quotes (cmd.exe has no
    single ones), on backslashes, and on `;`.
    """
    if ";" in command or "\n" in command.strip() or "\\" in command:
        return False
    return not any(_READ_DIFFERENTLY.search(word) for argv in reading.commands for word in argv)


def scan_input(arguments: object) -> Reading:
    """Look for commands in the input of an unknown tool: below keys that hold a command, or anywhere."""
    return scan_fragments(
        fragment
        for value in (_command_values(arguments) if has_command_key(arguments) else (arguments,))
        for fragment in _possible_commands(value)
    )


def has_command_key(value: object) -> bool:
    """Return whether an input has a key that holds a command, at any depth."""
    return next(_command_values(value), None) is not None


def _command_values(value: object) -> Iterator[object]:
    """Return the values below keys that hold a command, and each item below keys that hold several."""
    if isinstance(value, Mapping):
        for name, member in cast("Mapping[str, object]", value).items():
            if fold_key(name) not in _COMMANDS or member is None:
                yield from _command_values(member)
            elif fold_key(name) == "commands" and isinstance(member, list | tuple):
                yield from cast("list[object]", member)
            else:
                yield member
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _command_values(item)


def _possible_commands(value: object) -> Iterator[str | Argv]:
    """Return every text, and every list of texts both as one argument vector and line by line."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in cast("Mapping[str, object]", value).values():
            yield from _possible_commands(member)
    elif isinstance(value, list | tuple):
        argv = as_argv(cast("object", value))
        if argv is not None:
            yield argv
        for item in cast("list[object]", value):
            # A single word of a vector is an argument, not a command.
            if argv is None or " " in cast("str", item):
                yield from _possible_commands(item)
