"""A little more of bash, for the ready-made lists alone: patterns among the operands, and `cd FOLDER &&` in front.

A pattern is read with a sign in place of each `*` and `?`, so that the same lexer finds the same words. What it may
expand to is judged in `bounds`. See ADR 0031.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from askback.domain.policy.shell.lexer import Argv, NotUnderstood, read, tokens

_HIDE = str.maketrans({"*": "\ue000", "?": "\ue001"})
_SHOW = str.maketrans({"\ue000": "*", "\ue001": "?"})
_SIGN = re.compile("[\ue000\ue001]")
_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)
_PLAIN_FOLDER = re.compile(r"[A-Za-z0-9_/][\w@+,./-]*|\.")


@dataclass(frozen=True, slots=True)
class Wider:
    """Commands of which some words are patterns, as they are written; all run in `folder` where there is one."""

    commands: tuple[Argv, ...]
    patterns: tuple[frozenset[str], ...]
    folder: str | None = None

    @property
    def whole(self) -> tuple[Argv, ...]:
        """All commands, with the one that changes the folder."""
        return self.commands if self.folder is None else (("cd", self.folder), *self.commands)


def read_wider(text: str, *, posix: bool) -> Wider | None:
    """Read a command line without characters that hide; None when it has no pattern and no `cd`, or more than that."""
    hidden = text.translate(_HIDE)
    try:
        commands = read(hidden, posix=posix)
        found = tokens(hidden)
    except NotUnderstood:
        return None
    raw = iter([part for kind, part, _ in found if kind == "word"])
    patterns = [frozenset(_shown(word) for word in argv if _expands(next(raw))) for argv in commands]
    shown = [tuple(map(_shown, argv)) for argv in commands]
    if any(argv[0] in words for argv, words in zip(shown, patterns, strict=True)):
        return None
    if shown[0][0] != "cd":
        return Wider(tuple(shown), tuple(patterns))
    joins = [part for kind, part, _ in found if kind in {"join", "end"}]
    return _moved(shown, patterns, joins)


def _moved(shown: list[Argv], patterns: list[frozenset[str]], joins: list[str]) -> Wider | None:
    # Behind anything but `&&`, a command would run where the `cd` failed.
    only = joins[:1] == ["&&"] and set(joins) <= {"&&", "|"}
    if not only or len(shown[0]) != 2 or patterns[0] or not _PLAIN_FOLDER.fullmatch(shown[0][1]):
        return None
    folder = shown[0][1]
    names = [name for name in folder.split("/") if name]
    if any(name.startswith(".") for name in names if folder != ".") or any(map(_up, shown[1:])):
        return None
    return Wider(tuple(shown[1:]), tuple(patterns[1:]), folder)


def _up(argv: Argv) -> bool:
    """Tell whether a word leads up: of a folder that is a link, that is somewhere else."""
    return any(".." in re.split(r"[/=:,]", word) for word in argv)


def _shown(word: str) -> str:
    return word.translate(_SHOW)


def _expands(raw: str) -> bool:
    return bool(_SIGN.search(_QUOTED.sub("", raw)))
