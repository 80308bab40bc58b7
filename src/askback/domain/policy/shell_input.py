"""Parses the input of a shell tool: the command, its shell and folder, and keys that may change what runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from functools import cached_property
from typing import Any, cast

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell.characters import why_suspicious
from askback.domain.policy.shell.lexer import Argv, NotUnderstood, split_words
from askback.domain.policy.shell.literal import LiteralCheck, check_literal, check_literal_argv
from askback.domain.policy.shell.reading import SHELLS
from askback.domain.policy.shell_tools import NAMED_SHELLS, UNKNOWN_TOOL, ShellTool, tool_of
from askback.domain.values import frozen

_SYSTEM_FOLDERS = ("", "/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/")
_KNOWN_SHELLS = {f"{folder}{name}": name for folder in _SYSTEM_FOLDERS for name in ("bash", "sh")}
_RUNS_TEXT = frozenset({"-c", "-lc", "-cl"})
_BLANKS_AND_WORDS = re.compile(
    r"""(?P<blank>[ \t]+)|(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^ \t'"\\])+""", re.DOTALL
)
_EXPANSION = re.compile(r"[$`#]|<<|\\\n")
_PLAIN_CHARACTERS = re.compile(r"[\w./@%+:, -]*", re.ASCII)
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


@frozen()
class ShellInput:
    """The parsed input of a shell tool.

    `command` is a text for `shell` or an argument vector; None if there is not exactly one. `shell` is `bash`, `sh`,
    `user` (the person's own shell) or the name of one that is not understood. `folder` is where it runs, if the input
    says so. `other_members` are those that may change what runs; `command_key` and `folder_key` hold the command and
    the folder.
    """

    command: str | Argv | None
    shell: str
    folder: str | None
    other_members: Mapping[str, Any]
    command_key: str | None = None
    folder_key: str | None = None

    @cached_property
    def words(self) -> Argv | None:
        """The words of one simple command without redirections, if every shell splits it alike; None otherwise."""
        if not isinstance(self.command, str):
            return self.command
        if self.shell not in SHELLS and not _PLAIN_CHARACTERS.fullmatch(self.command):
            return None
        try:
            return None if why_suspicious(self.command) else split_words(self.command.strip())
        except NotUnderstood:
            return None

    @cached_property
    def literal(self) -> LiteralCheck:
        """Whether it is clear what the command runs, and the files that it runs by name."""
        if self.command is None:
            return LiteralCheck(Reason("no_command"))
        return (
            check_literal(self.command) if isinstance(self.command, str) else check_literal_argv(self.command)
        )

    @cached_property
    def text(self) -> str:
        """The command as a text, with single blanks where the shell reads the same words."""
        if self.words:
            return shlex.join(self.words)
        return collapse_blanks(self.command) if isinstance(self.command, str) else ""


def read_shell_input(name: str, arguments: Mapping[str, Any]) -> ShellInput:
    """Parse the input of a shell tool, whose name is in lower case."""
    arguments = _unpack_action(arguments)
    tool = tool_of(name, arguments)
    unread_members = {key: value for key, value in arguments.items() if value is not None}
    keys = set(unread_members)
    command = _take_command(unread_members, tool)
    command_key = next(iter(keys - set(unread_members)), None)
    keys = set(unread_members)
    folder = _take_folder(unread_members, tool)
    folder_key = None if folder is None else next(iter(keys - set(unread_members)), None)
    shell = _take_shell(name, unread_members, tool)
    other_members = {
        key: value for key, value in unread_members.items() if not _is_irrelevant(key, value, tool)
    }
    if isinstance(command, tuple):
        command, shell = _unwrap_shell(command, shell)
    if folder is not None and _WINDOWS.match(folder):
        shell = "unknown"
    return ShellInput(command, shell, folder, other_members, command_key, folder_key)


def _unpack_action(arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the action of `local_shell`, which is in its own key."""
    action = arguments.get("action")
    if set(arguments) == {"action"} and isinstance(action, Mapping):
        inner = cast("Mapping[str, Any]", action)
        return inner if inner.get("type") == "exec" else arguments
    return arguments


def _take_command(unread_members: dict[str, Any], tool: ShellTool) -> str | Argv | None:
    """Take the command out of the input, if there is exactly one."""
    keys = [
        key
        for key in dict.fromkeys((*tool.command.split(), *UNKNOWN_TOOL.command.split()))
        if key in unread_members
    ]
    if len(keys) != 1:
        return None
    value = unread_members[keys[0]]
    command = value if isinstance(value, str) else as_argv(value)
    if command is not None and not (isinstance(value, str) and keys[0] == "argv"):
        del unread_members[keys[0]]
        return command
    return None


def as_argv(value: object) -> Argv | None:
    """Return a list of texts as an argument vector; None for anything else."""
    items = cast("list[object]", value) if isinstance(value, list | tuple) else []
    argv = tuple(item for item in items if isinstance(item, str))
    return argv if argv and len(argv) == len(items) else None


def _take_folder(unread_members: dict[str, Any], tool: ShellTool) -> str | None:
    """Take the folder out of the input; if there are several, they stay in it."""
    keys = [
        key
        for key in dict.fromkeys((*tool.folder.split(), *UNKNOWN_TOOL.folder.split()))
        if key in unread_members
    ]
    if len(keys) != 1 or not isinstance(unread_members[keys[0]], str):
        return None
    return normalize_folder(unread_members.pop(keys[0])) or None


def normalize_folder(folder: str) -> str:
    """Return a folder without `.`, double slashes and a trailing slash; `..` stays, because of links."""
    parts = [part for part in folder.split("/") if part not in {"", "."}]
    root = "/" if folder.startswith("/") else ""
    return root + "/".join(parts) or ("." if folder.strip() else "")


def _take_shell(name: str, unread_members: dict[str, Any], tool: ShellTool) -> str:
    """Take the shell out of the input; the default is the shell of the tool."""
    shell_name = unread_members.pop("shell", None) or None
    if isinstance(shell_name, str):
        return _KNOWN_SHELLS.get(shell_name, shell_name if shell_name not in {"user", "unknown"} else "?")
    if shell_name is not None:
        return "?"
    return name if name in NAMED_SHELLS else tool.syntax


def _is_irrelevant(key: str, value: object, tool: ShellTool) -> bool:
    if isinstance(value, str | int | float) and key in {
        *tool.ignored_keys.split(),
        *UNKNOWN_TOOL.ignored_keys.split(),
    }:
        return True
    harmless_values = (*tool.defaults.get(key, ()), *UNKNOWN_TOOL.defaults.get(key, ()))
    return any(type(value) is type(default) and value == default for default in harmless_values)


def _unwrap_shell(argv: Argv, shell: str) -> tuple[str | Argv, str]:
    """Return the text and the shell of `["bash", "-lc", text]`."""
    if len(argv) == 3 and argv[1] in _RUNS_TEXT and argv[0] in _KNOWN_SHELLS:
        return argv[2], _KNOWN_SHELLS[argv[0]]
    return argv, shell


def collapse_blanks(text: str) -> str:
    """Return a command with single blanks between its words and none around it.

    A text in which blanks may matter (quotes in substitutions, here-documents, comments) stays as it is.
    """
    if _EXPANSION.search(text):
        stripped = text.strip(" \t\n")
        return text if "<<" in text or stripped.endswith("\\") else stripped
    parts: list[str] = []
    offset = 0
    for part in _BLANKS_AND_WORDS.finditer(text):
        if part.start() != offset:
            return text
        offset = part.end()
        parts.append(" " if part.lastgroup else part[0])
    return "".join(parts).strip(" \n") if offset == len(text) else text
