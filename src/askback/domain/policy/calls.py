"""A tool call that wants to run, and what in it is a shell command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from askback.domain.policy import commands, files
from askback.domain.policy.digest import canonical_call, canonical_json, digest_of
from askback.domain.policy.shell.reading import Reading
from askback.domain.policy.wordlist import words

SHELL_TOOLS = words(
    """
    bash shell sh terminal exec exec_command run_command run_shell_command shell_command execute_command
    run_in_terminal local_shell command zsh fish cmd powershell pwsh
    """
)
"""Names of tools whose input is a shell command, in small letters. A rule `bash(…)` holds for all of them."""

_OTHER_SHELLS = words("sh zsh fish cmd powershell pwsh")
"""Those of them that say which shell it is; the others are taken for bash."""

EDIT_TOOLS = words(
    """
    write write_file edit edit_file multiedit notebookedit apply_patch create_file str_replace replace_in_file insert
    str_replace_editor str_replace_based_edit_tool
    """
)
"""Names of tools that write a file at a path, in small letters."""

_SEPARATOR = re.compile(r"__|[./:]")


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

    @cached_property
    def _last(self) -> str:
        return _SEPARATOR.split(self.folded)[-1]

    @property
    def shell(self) -> bool:
        """Whether the tool runs shell commands."""
        return self.folded in SHELL_TOOLS

    @property
    def edits(self) -> bool:
        """Whether the tool writes files."""
        return self.folded in EDIT_TOOLS

    @property
    def writes(self) -> bool:
        """Whether the tool may write files, judged by the last part of its name: `mcp__fs__write_file`."""
        return self._last in EDIT_TOOLS

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

    @property
    def written(self) -> tuple[str, ...]:
        """Every path that the tool may write, when it writes files."""
        return self.places if self.edits else tuple(files.paths(self.input)) if self.writes else ()

    @cached_property
    def canonical_input(self) -> bytes:
        """The canonical JSON of the input. Raises NotCanonical."""
        return canonical_json(self.input)

    @cached_property
    def digest(self) -> str:
        """What binds a decision to this call. Raises NotCanonical."""
        return digest_of(canonical_call(self.tool, self.canonical_input))

    def texts(self) -> Iterator[str]:
        """Go through every text of the input, however deep it stands."""
        yield from _texts(self.input)

    @cached_property
    def reading(self) -> Reading | None:
        """What the call would run, read once; None when no command is in sight.

        Only of a shell tool it can be clear. Of another tool it is a glimpse, for rules that deny and hard limits.
        """
        if self.shell:
            return commands.read(self.input, shell=self.folded if self.folded in _OTHER_SHELLS else "bash")
        if self._last in SHELL_TOOLS or (not self.writes and commands.holds(self.input)):
            return commands.look(self.input)
        return None


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
