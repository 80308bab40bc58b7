"""Look through programs that run other commands, for rules that deny. Never used to allow."""

from __future__ import annotations

import re

from askback.domain.policy.shell import limits
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import WRAPPERS, basename, interpreter
from askback.domain.policy.wordlist import words

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_NUMBER = re.compile(r"[\d.]+[smhd]?")
_OPERAND_FIRST = words("flock chroot taskset script su runuser chrt firejail unbuffer")
_EXECUTES = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_CODE = frozenset({"-c", "-lc", "-ic", "-ec", "-xc", "--command"})
_GIT_VALUES = frozenset(
    {"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"}
)


def inner(argv: Argv) -> list[Argv]:
    """Return the argument vectors that a command may hand to another program, as far as words can tell."""
    name = basename(argv[0])
    if name == "find":
        return [argv[i + 1 :] for i, word in enumerate(argv[:-1]) if word in _EXECUTES][: limits.COMMANDS]
    if name == "git":
        plain = _without_git_options(argv)
        return [] if plain == argv else [plain]
    if name not in WRAPPERS:
        return []
    return _candidates(name, argv)


def _candidates(name: str, argv: Argv) -> list[Argv]:
    """Where the wrapped command may begin: a word behind an option may be its value or the command already."""
    found: list[Argv] = []
    more = 1 + (name in _OPERAND_FIRST)
    for i in range(1, len(argv)):
        word = argv[i]
        if word.startswith("-") or _ASSIGNMENT.match(word) or _NUMBER.fullmatch(word):
            continue
        found.append(argv[i:])
        more -= not argv[i - 1].startswith("-")
        if not more:
            break
    return found


def code(argv: Argv) -> list[str]:
    """Return the shell code in a command's arguments: `bash -c CODE`, `eval CODE`, `trap CODE`."""
    name = basename(argv[0])
    if name == "eval":
        return [" ".join(argv[1:])]
    if name in {"trap", "source", "."}:
        return list(argv[1:2])
    if name in {"mapfile", "readarray"}:
        return [argv[i + 1] for i, word in enumerate(argv[:-1]) if word == "-C"]
    if not interpreter(name):
        return []
    return [argv[i + 1] for i, word in enumerate(argv[:-1]) if word in _CODE]


def _without_git_options(argv: Argv) -> Argv:
    at = 1
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in _GIT_VALUES else 1
    return (argv[0], *argv[at:])
