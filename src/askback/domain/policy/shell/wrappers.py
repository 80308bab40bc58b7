"""Finds the commands inside wrapper programs, for deny rules. Never used to allow."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import WRAPPERS, basename, is_interpreter

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_NUMBER = re.compile(r"[\d.]+[smhd]?")
_OPERAND_FIRST = frozenset("flock chroot taskset script su runuser chrt firejail unbuffer".split())
_EXECUTES = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_CODE = frozenset({"-c", "-lc", "-ic", "-ec", "-xc", "--command"})
_GIT_VALUES = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}
)


def wrapped_commands(argv: Argv) -> Iterator[Argv]:
    """Return the argument vectors that a command may run, as far as its words show.

    One at a time: there may be as many as there are words, each nearly as long as the command.
    """
    name = basename(argv[0])
    if name == "find":
        yield from (argv[i + 1 :] for i, word in enumerate(argv[:-1]) if word in _EXECUTES)
    elif name == "git":
        inner_argv = _without_git_options(argv)
        if inner_argv != argv:
            yield inner_argv
    elif name in WRAPPERS:
        yield from _candidates(name, argv)


def _candidates(name: str, argv: Argv) -> Iterator[Argv]:
    """Return where the wrapped command may begin: a word after an option may be its value or the command."""
    first_word = 1 + (name in _OPERAND_FIRST)
    for i in range(1, len(argv)):
        word = argv[i]
        if word.startswith("-") or _ASSIGNMENT.match(word) or _NUMBER.fullmatch(word):
            continue
        yield argv[i:]
        first_word -= not argv[i - 1].startswith("-")
        if not first_word:
            return


def code_arguments(argv: Argv) -> list[str]:
    """Return the shell code in a command's arguments: `bash -c CODE`, `eval CODE`, `trap CODE`."""
    name = basename(argv[0])
    if name == "eval":
        return [" ".join(argv[1:])]
    if name in {"trap", "source", "."}:
        return list(argv[1:2])
    if name in {"mapfile", "readarray"}:
        return [argv[i + 1] for i, word in enumerate(argv[:-1]) if word == "-C"]
    if not is_interpreter(name):
        return []
    return [argv[i + 1] for i, word in enumerate(argv[:-1]) if word in _CODE]


def _without_git_options(argv: Argv) -> Argv:
    index = 1
    while index < len(argv) and argv[index].startswith("-"):
        index += 2 if argv[index] in _GIT_VALUES else 1
    return (argv[0], *argv[index:])
