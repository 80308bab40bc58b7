"""Finds every command in a call, however it is hidden, for deny rules and hard limits.

A command may be in a substitution, behind `sudo`, in the code of `bash -c`, or in a text that no reader
understands. Nothing that is found here allows a call.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import limits, tree, wrappers
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.tree import Budget

TOO_LONG = Reason("command_too_long", max=str(limits.BYTES))

_SEGMENT = re.compile(r"[^\s;&|(){}`$\"'<>][^\n;&|(){}`$\"'<>]*")


class CommandSearch:
    """Collects the commands of a call; one budget limits the work for the whole call.

    `searched_argvs` are the commands, `targets` and `inputs` the files that redirections write and read, and `lines`
    the texts in which they were found; `unseen` says why there may be more.
    """

    def __init__(self) -> None:
        self.searched_argvs: list[Argv] = []
        self.targets: list[str] = []
        self.inputs: list[str] = []
        self.lines: list[str] = []
        self.unseen: Reason | None = None
        self._budget = Budget()
        self._waiting: deque[Argv | str] = deque()

    def search_text(self, text: str) -> tree.ParsedTree | None:
        """Search a command line. Return its parsed tree; None if there is none."""
        parsed_tree = self._search_line(text)
        if parsed_tree is not None and parsed_tree.has_errors:
            self._note_incomplete(Reason("unparsed"))
        return parsed_tree

    def search_argv(self, argv: Argv) -> None:
        """Search an argument vector."""
        self._add((argv[: limits.WORDS + 1],))
        if len(argv) > limits.BYTES or is_too_long(" ".join(argv)):
            self._note_incomplete(TOO_LONG)
        self._search_wrapped()

    def search_others(self, fragments: Iterable[str | Argv]) -> None:
        """Search texts and argument vectors that may be commands. Those that are none are ignored."""
        for fragment in fragments:
            if not self._within_budget(()):
                return
            if isinstance(fragment, str):
                self._search_line(fragment)
            else:
                self.search_argv(fragment)

    def _search_line(self, text: str) -> tree.ParsedTree | None:
        parsed_tree = self._collect(text)
        if is_too_long(text):
            self._note_incomplete(TOO_LONG)
        elif parsed_tree is None:
            self._note_incomplete(Reason("too_complex"))
        self._search_wrapped()
        return parsed_tree

    def _collect(self, text: str) -> tree.ParsedTree | None:
        text = text.replace("\0", "")  # as shells do; many of them slow the parser down
        self.lines.append(text)
        parsed_tree = None if is_too_long(text) else tree.parse_command(text, self._budget)
        if parsed_tree is not None:
            self.targets += parsed_tree.targets
            self.inputs += parsed_tree.inputs
            self._add(parsed_tree.commands)
        if parsed_tree is None or parsed_tree.has_errors:
            self._add(_split_crudely(text))
        return parsed_tree

    def _add(self, commands: Iterable[Argv]) -> None:
        """Add commands, skipping empty ones, until the budget is spent."""
        for argv in commands:
            if not argv:
                continue
            self.searched_argvs.append(argv)
            self._waiting.append(argv)
            if not self._within_budget(argv):
                return

    def _within_budget(self, argv: Argv) -> bool:
        is_affordable = self._budget.take(argv)
        if not is_affordable:
            self._note_incomplete(Reason("too_complex"))
        return is_affordable

    def _search_wrapped(self) -> None:
        """Add the commands that the found commands would run."""
        while self._waiting and not self._budget.spent:
            command = self._waiting.popleft()
            if isinstance(command, str):
                # In other code, such as Python, only words are found. Nothing is missed: rules can deny the option.
                self._collect(command)
            else:
                self._add(wrappers.wrapped_commands(command))
                self._waiting += wrappers.code_arguments(command)
        self._waiting.clear()

    def _note_incomplete(self, reason: Reason) -> None:
        self.unseen = self.unseen or reason


def is_too_long(text: str) -> bool:
    """Return whether a text is longer than a command may be."""
    return len(text) > limits.BYTES or len(text.encode(errors="replace")) > limits.BYTES


def _split_crudely(text: str) -> Iterable[Argv]:
    """Split a text wherever a command could begin: for deny rules only, if the text cannot be parsed."""
    for segment in _SEGMENT.finditer(text):
        yield tuple(segment[0].split(maxsplit=limits.WORDS))
