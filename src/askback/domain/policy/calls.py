"""A tool call that an agent wants to run, and the shell commands in it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from askback.domain.canonicaljson import canonical_json
from askback.domain.policy import commands, files, shell_tools
from askback.domain.policy.digest import canonical_call, digest_of
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.reading import SHELLS, Reading
from askback.domain.policy.shell_input import ShellInput, normalize_folder, read_shell_input
from askback.domain.values import frozen

SHELL_TOOLS = shell_tools.NAMES

EDIT_TOOLS = frozenset(
    """
    write write_file edit edit_file multiedit notebookedit apply_patch create_file str_replace replace_in_file insert
    str_replace_editor str_replace_based_edit_tool file_editor multi_edit notebook_edit edit_notebook writefile
    write_to_file apply_diff insert_content search_and_replace search_replace replace_string_in_file fs_write
    insert_edit_into_file multi_replace_string_in_file edit_existing_file single_find_and_replace create_new_file
    strreplace replace_file_content multi_replace_file_content edit_notebook_file
    """.split()
)
"""Names of tools that write a file at a path, in lower case."""

_OF_GENERAL_NAME = frozenset("replace patch".split())
"""Names of tools that write a file if their input has a path, and may do anything else if it has none."""

READ_TOOLS = frozenset(
    """
    read read_file read_many_files view view_file notebookread ls list_files list_dir list_directory glob grep
    grep_search search_file_content search_files file_search find_by_name codebase_search webfetch web_fetch
    """.split()
)
"""Names of tools that only read, in lower case."""

_READ = ("read_", "fs_read")
"""How names of tools that only read begin, in other servers."""

_EDITORS = frozenset("str_replace_editor str_replace_based_edit_tool file_editor".split())
"""Edit tools whose command `view` only reads."""

_OF_VIEW = frozenset("command path viewrange securityrisk summary".split())
"""All keys that an editor accepts for `view`. With any other key its effect is unknown."""

_SAID_OF_ITSELF = frozenset(
    "description explanation justification security_risk task_progress toolaction toolsummary".split()
)
"""Keys that explain a call and have no effect."""

_NO_FILES = frozenset("0 1 2 /dev/null".split())
"""Redirection targets that store nothing."""

_SEPARATOR = re.compile(r"__|[./:]")


@frozen()
class Call:
    """One call of a tool: its name and its input. Everything that is derived from them is computed once.

    `input` is any JSON value. `cwd` is the folder that it runs in, according to its adapter. The input of a shell tool
    is `{"command": "git status", "shell"?: "bash"}` or `{"argv": ["git", "status"]}`; a list as `command` is an
    argument vector too.
    """

    tool: str
    input: Any
    cwd: str | None = None

    @property
    def name(self) -> str:
        """The tool's name, with `mcp:server:tool` written as `mcp__server__tool`."""
        return tool_name(self.tool)

    @cached_property
    def folded_name(self) -> str:
        """The tool's name as deny and ask rules compare it: in lower case, without surrounding blanks."""
        return fold_tool_name(self.tool)

    @cached_property
    def _last_part(self) -> str:
        return _SEPARATOR.split(self.folded_name)[-1]

    @property
    def has_members(self) -> bool:
        """Whether the input is an object."""
        return isinstance(self.input, Mapping)

    @cached_property
    def members(self) -> Mapping[str, Any]:
        """The members of the input. Any other value counts as a member without a name, whose effect is unknown."""
        return self.input if self.has_members else {"": self.input}

    @property
    def is_shell(self) -> bool:
        """Whether the tool runs shell commands."""
        return self.folded_name in SHELL_TOOLS

    @property
    def is_edit(self) -> bool:
        """Whether the tool writes files."""
        is_edit_name = self.folded_name in EDIT_TOOLS or (
            self.folded_name in _OF_GENERAL_NAME and files.names_file(self.members)
        )
        return is_edit_name and not self.is_view

    @property
    def may_write(self) -> bool:
        """Whether the tool may write files, judged by the last part of its name: `mcp__fs__write_file`."""
        return self._last_part in EDIT_TOOLS and not self.is_view

    @property
    def may_read(self) -> bool:
        """Whether the tool reads files, judged by the last part of its name: `mcp__fs__read_file`."""
        return self._last_part in READ_TOOLS or self._last_part.startswith(_READ) or self.is_view

    @property
    def is_view(self) -> bool:
        """Whether this is an editor's command that only shows a file or a folder."""
        return (
            self.folded_name in _EDITORS
            and self.members.get("command") == "view"
            and isinstance(self.members.get("path"), str)
            and {files.fold_key(name) for name in self.members} <= _OF_VIEW
        )

    @property
    def path_key(self) -> str | None:
        """The key of the input that holds the path of a file tool, if there is exactly one."""
        return files.path_key(self.members)

    @property
    def path(self) -> str | None:
        """The path that a file tool works on, if the input has exactly one."""
        path = None if self.path_key is None else self.members[self.path_key]
        return path if isinstance(path, str) and path else None

    @cached_property
    def other_keys(self) -> frozenset[str]:
        """The keys of the input that do not hold contents of a file."""
        return files.other_keys(self.members)

    @property
    def sole_path(self) -> str | None:
        """The path that a file tool works on, if the input has nothing else but contents."""
        return self.path if len(self.other_keys) == 1 else None

    @cached_property
    def possible_paths(self) -> tuple[str, ...]:
        """Every text of the input that may be a path."""
        return tuple(files.possible_paths(self.members))

    @property
    def written_paths(self) -> tuple[str, ...]:
        """Every path that the tool may write; empty if it writes no files."""
        return (
            self.possible_paths
            if self.is_edit or (self.may_write and not self.has_members)
            else tuple(files.path_values(self.input))
            if self.may_write
            else ()
        )

    @cached_property
    def canonical_input(self) -> bytes:
        """The canonical JSON of the input. Raises NotCanonical."""
        return canonical_json(self.input)

    @cached_property
    def digest(self) -> str:
        """The digest that binds a decision to this call. Raises NotCanonical."""
        return digest_of(canonical_call(self.tool, self.canonical_input))

    @cached_property
    def shell_input(self) -> ShellInput:
        """The parsed input of a shell tool: command, shell, folder, and keys that may change what runs."""
        return read_shell_input(self.folded_name, self.members)

    @cached_property
    def folder(self) -> str | None:
        """The folder that the call runs in, from its input or its adapter; it may be relative."""
        shell_folder = self.shell_input.folder if self.is_shell else None
        if self.cwd is None or (shell_folder or "").startswith("~"):
            return shell_folder
        return normalize_folder(posixpath.join(self.cwd, shell_folder or "")) or None

    @cached_property
    def exact_call(self) -> tuple[str, bytes]:
        """The shell (or the tool, if the shell is unknown) and the canonical JSON of the input without explanations.

        A rule for exactly this call of a shell tool names both, and the folder. Raises NotCanonical.
        """
        shell_input = self.shell_input
        if shell_input.shell in SHELLS:
            return shell_input.shell, canonical_json(
                {**shell_input.other_members, "command": shell_input.text}
            )
        is_plain_shell = self.folded_name == shell_input.shell or (
            shell_input.shell in {"user", "unknown"} and self.folded_name not in SHELLS
        )
        shell = {} if is_plain_shell else {"shell": shell_input.shell}
        return self.folded_name, canonical_json(
            {**shell_input.other_members, **shell, "command": shell_input.text}
        )

    @cached_property
    def identity(self) -> str:
        """A digest that calls with the same effect share. Raises NotCanonical.

        Nothing is bound to it; see `digest`. A command that is understood is identified by the words that run and the
        files it redirects to, however it is spaced, quoted, joined or wrapped. Explanations do not count.
        """
        return digest_of(canonical_json(self._relevant_input()))

    def _relevant_input(self) -> dict[str, Any]:
        shell_input = self.shell_input if self.is_shell else None
        if shell_input is not None and shell_input.command is not None:
            return {
                **self._command_members(shell_input),
                "folder": self.folder,
                "beside": dict(shell_input.other_members),
            }
        if not self.has_members:
            return {"tool": self.folded_name, "input": self.input}
        is_file_tool = self.folded_name in EDIT_TOOLS or self.folded_name in READ_TOOLS
        relevant_members = {
            key: value
            for key, value in self.members.items()
            if not (is_file_tool and isinstance(value, str) and key.casefold() in _SAID_OF_ITSELF)
        }
        return {"tool": self.folded_name, "input": relevant_members}

    def _command_members(self, shell_input: ShellInput) -> dict[str, Any]:
        """Return the words that run and their redirection targets, or the text if they are not certain."""
        if shell_input.words:
            inner_call = Call("bash", {"argv": shell_input.words})
            is_delegated = inner_call.shell_input.words != shell_input.words
            return (
                inner_call._command_members(inner_call.shell_input)
                if is_delegated
                else {"commands": [shell_input.words]}
            )
        reading = self.reading
        commands = () if reading is None else _certain_words(reading, shell_input.text)
        if reading is None or not commands:
            return {"text": shell_input.text, "shell": shell_input.shell, "tool": self.folded_name}
        files = [
            [name for name in names if name not in _NO_FILES] for names in (reading.targets, reading.inputs)
        ]
        return {"commands": commands, **({"files": files} if any(files) else {})}

    def texts(self) -> Iterator[str]:
        """Return every text of the input, at any depth."""
        yield from files.texts_in(self.input)

    @cached_property
    def reading(self) -> Reading | None:
        """The commands that the call would run; None if it has no command.

        Only the reading of a shell tool can be clear. That of another tool serves deny rules and hard limits only.
        """
        if self.is_shell:
            return commands.read_command_input(self.shell_input)
        if self._last_part in SHELL_TOOLS or (not self.may_write and commands.has_command_key(self.input)):
            return commands.scan_input(self.input)
        return None


def _certain_words(reading: Reading, text: str) -> tuple[Argv, ...]:
    """Return the words of all commands if they are certain."""
    if not reading.unclear:
        return reading.commands
    steps = reading.extended.steps if reading.extended and "<<" not in text else ()
    is_certain = not any(step.patterns or step.folders != (None,) for step in steps)
    return tuple(step.argv for step in steps) if is_certain else ()


def tool_name(name: str) -> str:
    """Write `mcp:server:tool` as `mcp__server__tool`; other names stay as they are."""
    if name.startswith("mcp:") and name.count(":") >= 2:
        _, server, tool = name.split(":", 2)
        return f"mcp__{server}__{tool}"
    return name


def fold_tool_name(name: str) -> str:
    """Return a tool's name as deny and ask rules compare it."""
    return tool_name(name.strip()).casefold()
