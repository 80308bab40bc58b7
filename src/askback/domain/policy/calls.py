"""A tool call that wants to run, and what in it is a shell command."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from askback.domain.policy import commands, files, shell_tools
from askback.domain.policy.digest import canonical_call, canonical_json, digest_of
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.reading import SHELLS, Reading
from askback.domain.policy.shell_input import ShellInput, normal_folder, read_shell_input
from askback.domain.policy.wordlist import words

SHELL_TOOLS = shell_tools.NAMES

EDIT_TOOLS = words(
    """
    write write_file edit edit_file multiedit notebookedit apply_patch create_file str_replace replace_in_file insert
    str_replace_editor str_replace_based_edit_tool file_editor multi_edit notebook_edit edit_notebook writefile
    write_to_file apply_diff insert_content search_and_replace search_replace replace_string_in_file fs_write
    insert_edit_into_file multi_replace_string_in_file edit_existing_file single_find_and_replace create_new_file
    strreplace replace_file_content multi_replace_file_content edit_notebook_file
    """
)
"""Names of tools that write a file at a path, in small letters."""

_OF_GENERAL_NAME = words("replace patch")
"""Names of tools that write a file when their input names one, and may be anything else when it does not."""

READ_TOOLS = words(
    """
    read read_file read_many_files view view_file notebookread ls list_files list_dir list_directory glob grep
    grep_search search_file_content search_files file_search find_by_name codebase_search webfetch web_fetch
    """
)
"""Names of tools that only look, in small letters."""

_EDITORS = words("str_replace_editor str_replace_based_edit_tool file_editor")
"""Edit tools of which the command `view` only looks."""

_OF_VIEW = words("command path viewrange securityrisk summary")
"""All that an editor takes for `view`. With another key nobody knows what it does."""

_SAID_OF_ITSELF = words(
    "description explanation justification security_risk task_progress toolaction toolsummary"
)
"""What these tools are told about a call and do nothing with."""

_NO_FILES = words("0 1 2 /dev/null")
"""Targets of redirections that keep nothing."""

_SEPARATOR = re.compile(r"__|[./:]")


@dataclass(frozen=True)
class Call:
    """One call of a tool: its name and its input, as they would run. What is read of it is read once.

    `cwd` is the folder that it runs in as its adapter says.

    A shell tool's input is `{"command": "git status", "shell"?: "bash"}` or `{"argv": ["git", "status"]}`; a list as
    `command` is an argument vector too.
    """

    tool: str
    input: Mapping[str, Any]
    cwd: str | None = None

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
        named = self.folded in EDIT_TOOLS or (
            self.folded in _OF_GENERAL_NAME and files.names_file(self.input)
        )
        return named and not self.views

    @property
    def writes(self) -> bool:
        """Whether the tool may write files, judged by the last part of its name: `mcp__fs__write_file`."""
        return self._last in EDIT_TOOLS and not self.views

    @property
    def views(self) -> bool:
        """Whether this is an editor's command that shows a file or a folder, and nothing more."""
        return (
            self.folded in _EDITORS
            and self.input.get("command") == "view"
            and isinstance(self.input.get("path"), str)
            and {files.folded(name) for name in self.input} <= _OF_VIEW
        )

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

    @cached_property
    def shell_input(self) -> ShellInput:
        """What a shell tool was called with: the command, its shell and folder, and what may change what runs."""
        return read_shell_input(self.folded, self.input)

    @cached_property
    def folder(self) -> str | None:
        """The folder that the call runs in, as its input says, or else its adapter; it may be relative."""
        own = self.shell_input.folder if self.shell else None
        if self.cwd is None or (own or "").startswith("~"):
            return own
        return normal_folder(posixpath.join(self.cwd, own or "")) or None

    @cached_property
    def exact(self) -> tuple[str, bytes]:
        """The shell, or the tool of an unknown one, and the canonical JSON of the input without what says nothing.

        A rule for exactly this call of a shell tool names both, and the folder. Raises NotCanonical.
        """
        given = self.shell_input
        if given.shell in SHELLS:
            return given.shell, canonical_json({**given.beside, "command": given.text})
        own = self.folded == given.shell or (given.shell in {"user", "unknown"} and self.folded not in SHELLS)
        shell = {} if own else {"shell": given.shell}
        return self.folded, canonical_json({**given.beside, **shell, "command": given.text})

    @cached_property
    def identity(self) -> str:
        """Two calls with the same identity do the same: a digest without what says nothing. Raises NotCanonical.

        Nothing is bound to it; see `digest`. A command that is understood counts by the words that run and the files
        it redirects, however it is spaced, quoted, joined or handed over; an explanation counts for nothing.
        """
        return digest_of(canonical_json(self._essence()))

    def _essence(self) -> dict[str, Any]:
        given = self.shell_input if self.shell else None
        if given is not None and given.command is not None:
            return {**self._command(given), "folder": self.folder, "beside": dict(given.beside)}
        known = self.folded in EDIT_TOOLS or self.folded in READ_TOOLS
        left = {
            key: value
            for key, value in self.input.items()
            if not (known and isinstance(value, str) and key.casefold() in _SAID_OF_ITSELF)
        }
        return {"tool": self.folded, "input": left}

    def _command(self, given: ShellInput) -> dict[str, Any]:
        """Return the words that run and the files they are redirected to; the text where they are not certain."""
        if given.words:
            inner = Call("bash", {"argv": given.words})
            handed_over = inner.shell_input.words != given.words
            return inner._command(inner.shell_input) if handed_over else {"commands": [given.words]}
        reading = self.reading
        commands = () if reading is None else _certain(reading, given.text)
        if reading is None or not commands:
            return {"text": given.text, "shell": given.shell, "tool": self.folded}
        files = [
            [name for name in names if name not in _NO_FILES] for names in (reading.targets, reading.inputs)
        ]
        return {"commands": commands, **({"files": files} if any(files) else {})}

    def texts(self) -> Iterator[str]:
        """Go through every text of the input, however deep it stands."""
        yield from _texts(self.input)

    @cached_property
    def reading(self) -> Reading | None:
        """What the call would run, read once; None when no command is in sight.

        Only of a shell tool it can be clear. Of another tool it is a glimpse, for rules that deny and hard limits.
        """
        if self.shell:
            return commands.read(self.shell_input)
        if self._last in SHELL_TOOLS or (not self.writes and commands.holds(self.input)):
            return commands.look(self.input)
        return None


def _certain(reading: Reading, text: str) -> tuple[Argv, ...]:
    """Return the words of all commands that run, when nothing is left open."""
    if not reading.unclear:
        return reading.commands
    steps = reading.wider.steps if reading.wider and "<<" not in text else ()
    plain = not any(step.patterns or step.folders != (None,) for step in steps)
    return tuple(step.argv for step in steps) if plain else ()


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
