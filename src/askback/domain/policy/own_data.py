"""askback's own data needs approval at every level: its folder, and its commands that have the rights of people."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import chain

from askback.domain.policy.calls import Call
from askback.domain.policy.read_scope import ReadScope
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.lexer import Argv

COMMANDS_OF_AGENTS = frozenset("approve ask demo hook mcp run".split())
"""The commands of askback that have no more rights than an agent."""
COMMANDS_OF_PEOPLE = frozenset(
    """
    agent audit backup chat db inbox install login policy restore rules secrets serve session stop thread token
    uninstall webhook
    """.split()
)
"""The commands of askback that use the rights of a person or an administrator of this machine."""

_PROGRAM = re.compile(
    r"(?:.*[/\\])?(?:askback(?:\.[\w.]+)?(?:[\[@=].*)?|askback[/\\](?:.*[/\\])?\w+\.py)", re.IGNORECASE
)
"""askback as a program, as a module after `-m`, as a file of its package, and as a requirement after `uvx`."""
_CHANGE_FOLDER = frozenset({"cd", "pushd"})


def why_own_data(call: Call, read_scope: ReadScope) -> Reason | None:
    """Say how a call reaches askback's own data."""
    if read_scope.find_own_data(_possible_paths(call, read_scope)) is not None:
        return Reason("own_data")
    commands = () if call.reading is None else call.reading.all_commands
    return Reason("own_command") if any(map(_runs_command_of_people, commands)) else None


def _runs_command_of_people(argv: Argv) -> bool:
    """Return whether a command runs such a command of askback, also through another program."""
    for index, word in enumerate(argv, 1):
        if _PROGRAM.fullmatch(word):
            arguments = [argument for argument in argv[index:] if not argument.startswith("-")]
            is_of_agents = arguments[:1] and arguments[0] in COMMANDS_OF_AGENTS
            if not is_of_agents and not COMMANDS_OF_PEOPLE.isdisjoint(arguments):
                return True
    return False


def _possible_paths(call: Call, read_scope: ReadScope) -> Iterator[str]:
    if read_scope.folder is not None:
        yield read_scope.folder
    if call.is_edit:
        yield from call.possible_paths
        return
    yield from call.texts()
    if call.reading is not None:
        commands = call.reading.all_commands
        words = [*chain(*commands), *call.reading.targets, *call.reading.inputs]
        yield from words
        folders = [argv[1] for argv in commands if argv[0] in _CHANGE_FOLDER and len(argv) > 1]
        yield from (posixpath.join(folder, word) for folder in folders for word in words)
