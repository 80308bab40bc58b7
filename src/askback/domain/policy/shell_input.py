"""The input of a shell tool, read: the command, its shell and folder, and what else may change what runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.characters import suspicious
from askback.domain.policy.shell.lexer import Argv, NotUnderstood, split_words
from askback.domain.policy.shell.literal import Literal, read_literal, read_literal_argv
from askback.domain.policy.shell.reading import SHELLS
from askback.domain.policy.shell_tools import ANY, NAMED_SHELLS, ShellTool, tool_of

_SYSTEM_FOLDERS = ("", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_UNDERSTOOD = {f"{folder}{name}": name for folder in _SYSTEM_FOLDERS for name in ("bash", "sh")}
_RUNS_TEXT = frozenset({"-c", "-lc", "-cl"})
_PIECES = re.compile(r"""(?P<blank>[ \t]+)|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^ \t'"\\])+""", re.DOTALL)
_NESTED = re.compile(r"[$`#]|<<|\\\n")
_PLAIN = re.compile(r"[\w./@%+:, -]*", re.ASCII)
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


@dataclass(frozen=True)
class ShellInput:
    """What a shell tool was called with.

    `command` is a text for `shell` or an argument vector; None when there is not exactly one. `shell` is `bash`, `sh`,
    `user` (the one that the person has chosen) or the name of one that is not understood. `folder` is where it runs,
    when the input says so. `beside` are the keys that may change what runs; `command_key` and `folder_key` hold the
    command and the folder.
    """

    command: str | Argv | None
    shell: str
    folder: str | None
    beside: Mapping[str, Any]
    command_key: str | None = None
    folder_key: str | None = None

    @cached_property
    def words(self) -> Argv | None:
        """The words of one simple command without redirections, whoever splits them; None for anything else."""
        if not isinstance(self.command, str):
            return self.command
        if self.shell not in SHELLS and not _PLAIN.fullmatch(self.command):
            return None
        try:
            return None if suspicious(self.command) else split_words(self.command.strip())
        except NotUnderstood:
            return None

    @cached_property
    def literal(self) -> Literal:
        """Whether the command says what it runs, and which files it runs by name."""
        if self.command is None:
            return Literal(Reason("no_command"))
        return (
            read_literal(self.command) if isinstance(self.command, str) else read_literal_argv(self.command)
        )

    @cached_property
    def text(self) -> str:
        """The command as a text, with single blanks where the shell reads the same words."""
        if self.words:
            return shlex.join(self.words)
        return collapsed(self.command) if isinstance(self.command, str) else ""


def read_shell_input(name: str, given: Mapping[str, Any]) -> ShellInput:
    """Read the input of a shell tool, whose name is in small letters."""
    given = _unpacked(given)
    tool = tool_of(name, given)
    left = {key: value for key, value in given.items() if value is not None}
    keys = set(left)
    command = _command(left, tool)
    command_key = next(iter(keys - set(left)), None)
    keys = set(left)
    folder = _folder(left, tool)
    folder_key = None if folder is None else next(iter(keys - set(left)), None)
    shell = _shell(name, left, tool)
    beside = {key: value for key, value in left.items() if not _says_nothing(key, value, tool)}
    if isinstance(command, tuple):
        command, shell = _unwrapped(command, shell)
    if folder is not None and _WINDOWS.match(folder):
        shell = "unknown"
    return ShellInput(command, shell, folder, beside, command_key, folder_key)


def _unpacked(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the action of `local_shell`, which stands in a key of its own."""
    action = given.get("action")
    if set(given) == {"action"} and isinstance(action, Mapping):
        inner = cast("Mapping[str, Any]", action)
        return inner if inner.get("type") == "exec" else given
    return given


def _command(left: dict[str, Any], tool: ShellTool) -> str | Argv | None:
    """Take the only command out of the input."""
    keys = [key for key in dict.fromkeys((*tool.command.split(), *ANY.command.split())) if key in left]
    if len(keys) != 1:
        return None
    value = left[keys[0]]
    command = value if isinstance(value, str) else vector(value)
    if command is not None and not (isinstance(value, str) and keys[0] == "argv"):
        del left[keys[0]]
        return command
    return None


def vector(value: object) -> Argv | None:
    """Return a list of texts as an argument vector; None for anything else."""
    items = cast("list[object]", value) if isinstance(value, list | tuple) else []
    argv = tuple(item for item in items if isinstance(item, str))
    return argv if argv and len(argv) == len(items) else None


def _folder(left: dict[str, Any], tool: ShellTool) -> str | None:
    """Take the folder out of the input; where there are several, they stay in it."""
    keys = [key for key in dict.fromkeys((*tool.folder.split(), *ANY.folder.split())) if key in left]
    if len(keys) != 1 or not isinstance(left[keys[0]], str):
        return None
    return normal_folder(left.pop(keys[0])) or None


def normal_folder(folder: str) -> str:
    """Write a folder without `.`, doubled slashes and a slash at its end; `..` stays, because links decide about it."""
    parts = [part for part in folder.split("/") if part not in {"", "."}]
    rooted = "/" if folder.startswith("/") else ""
    return rooted + "/".join(parts) or ("." if folder.strip() else "")


def _shell(name: str, left: dict[str, Any], tool: ShellTool) -> str:
    """Take the shell out of the input; else it is the one of the tool."""
    named = left.pop("shell", None) or None
    if isinstance(named, str):
        return _UNDERSTOOD.get(named, named if named not in {"user", "unknown"} else "?")
    if named is not None:
        return "?"
    return name if name in NAMED_SHELLS else tool.syntax


def _says_nothing(key: str, value: object, tool: ShellTool) -> bool:
    if isinstance(value, str | int | float) and key in {*tool.ignored.split(), *ANY.ignored.split()}:
        return True
    known = (*tool.defaults.get(key, ()), *ANY.defaults.get(key, ()))
    return any(type(value) is type(default) and value == default for default in known)


def _unwrapped(argv: Argv, shell: str) -> tuple[str | Argv, str]:
    """Return the text that `["bash", "-lc", text]` hands to a shell, and that shell."""
    if len(argv) == 3 and argv[1] in _RUNS_TEXT and argv[0] in _UNDERSTOOD:
        return argv[2], _UNDERSTOOD[argv[0]]
    return argv, shell


def collapsed(text: str) -> str:
    """Return a command with one blank between its words and none around it.

    A text in which blanks may be more than that (quotes in substitutions, here-documents, comments) stays as it is.
    """
    if _NESTED.search(text):
        bare = text.strip(" \t\n")
        return text if "<<" in text or bare.endswith("\\") else bare
    found: list[str] = []
    at = 0
    for piece in _PIECES.finditer(text):
        if piece.start() != at:
            return text
        at = piece.end()
        found.append(" " if piece.lastgroup else piece[0])
    return "".join(found).strip(" \n") if at == len(text) else text
