"""A tool call that wants to run, and what in it is a shell command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

from askback.domain.policy import files
from askback.domain.policy.digest import canonical_json
from askback.domain.policy.shell.reading import Reading, read_argv, read_command
from askback.domain.policy.wordlist import words

SHELL_TOOLS = words(
    "bash shell sh terminal exec run_command run_shell_command execute_command run_in_terminal local_shell command"
)
"""Names of tools whose input is a shell command, in small letters. A rule `bash(…)` holds for all of them."""

EDIT_TOOLS = words(
    "write write_file edit edit_file multiedit notebookedit apply_patch create_file str_replace replace_in_file insert"
)
"""Names of tools that write a file at a path, in small letters."""

_DESCRIBE = frozenset({"command", "argv", "shell", "description", "timeout", "timeout_s", "timeout_ms"})


@dataclass(frozen=True)
class Call:
    """One call of a tool: its name and its input, as they would run. What is read of it is read once.

    A shell tool's input is `{"command": "git status", "shell"?: "bash"}` or `{"argv": ["git", "status"]}`; a list as
    `command` is an argument vector too.
    """

    tool: str
    input: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The tool's name, with `mcp:server:tool` written as `mcp__server__tool`."""
        return tool_name(self.tool)

    @cached_property
    def folded(self) -> str:
        """The tool's name as it is compared where a call is refused: in small letters, without blanks around it."""
        return folded_name(self.tool)

    @property
    def shell(self) -> bool:
        """Whether the tool runs shell commands."""
        return self.folded in SHELL_TOOLS

    @property
    def edits(self) -> bool:
        """Whether the tool writes files."""
        return self.folded in EDIT_TOOLS

    @property
    def path_name(self) -> str | None:
        """The name in the input under which a file tool finds its path, when there is exactly one."""
        return files.path_name(self.input)

    @property
    def path(self) -> str | None:
        """The path that a file tool works on, when the input names exactly one."""
        path = None if self.path_name is None else self.input[self.path_name]
        return path if isinstance(path, str) and path else None

    @cached_property
    def others(self) -> frozenset[str]:
        """The keys of the input that are not for the contents of a file."""
        return files.others(self.input)

    @property
    def only_path(self) -> str | None:
        """The path that a file tool works on, when the input holds nothing but contents beside it."""
        return self.path if len(self.others) == 1 else None

    @cached_property
    def places(self) -> tuple[str, ...]:
        """Every text of the input that may be a path."""
        return tuple(files.named(self.input))

    @cached_property
    def canonical_input(self) -> bytes:
        """The canonical JSON of the input. Raises NotCanonical."""
        return canonical_json(self.input)

    def texts(self) -> Iterator[str]:
        """Go through every text of the input, however deep it stands."""
        yield from _texts(self.input)

    def read(self) -> Reading:
        """Read the shell command of the call. Never raises: what is odd is `unclear`."""
        command = self.input.get("command")
        argv = self.input.get("argv", command if isinstance(command, list | tuple) else None)
        if argv is not None and (command is None or command is argv):
            reading = _vector(argv)
        elif isinstance(command, str) and argv is None:
            shell = self.input.get("shell") or "bash"
            reading = read_command(command, shell if isinstance(shell, str) else "?")
        else:
            return Reading((), (), unclear="the input has no single command")
        other = next((name for name in self.input if name not in _DESCRIBE), None)
        if other is not None and reading.unclear is None:
            return replace(reading, commands=(), unclear=f"`{other}` in the input changes what runs")
        return reading


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for member in cast("Mapping[object, object]", value).values():
            yield from _texts(member)
    elif isinstance(value, list | tuple):
        for item in cast("list[object]", value):
            yield from _texts(item)


def tool_name(name: str) -> str:
    """Write `mcp:server:tool` as `mcp__server__tool`; other names stay as they are."""
    if name.startswith("mcp:") and name.count(":") >= 2:
        _, server, tool = name.split(":", 2)
        return f"mcp__{server}__{tool}"
    return name


def folded_name(name: str) -> str:
    """Return a tool's name as it is compared where nothing must slip through."""
    return tool_name(name.strip()).casefold()


def _vector(argv: object) -> Reading:
    words = cast("list[object]", argv) if isinstance(argv, list | tuple) else []
    if not words or not all(isinstance(word, str) for word in words):
        return Reading((), (), unclear="the argument vector is not a list of texts")
    return read_argv(tuple(cast("list[str]", words)))
