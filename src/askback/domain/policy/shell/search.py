"""Look for every command in a call, wherever it hides: for rules that deny, and for hard limits.

A command may stand in a substitution, behind `sudo`, in the code of `bash -c`, or in a text that no reader
understands. Nothing that is found here is a reason to allow.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import limits, tree, wrapped
from askback.domain.policy.shell.budget import Budget
from askback.domain.policy.shell.lexer import Argv

TOO_LONG = Reason("command_too_long", max=str(limits.BYTES))

_SEGMENT = re.compile(r"[^\s;&|(){}`$\"'<>][^\n;&|(){}`$\"'<>]*")


class Search:
    """What was found so far. All that is looked into shares one budget, so no input costs more than another.

    `seen` are the commands in sight, `targets` and `inputs` the files that redirections write and read, and `lines` the
    texts in which all were found; `unseen` says why there may be more than these.
    """

    def __init__(self) -> None:
        self.seen: list[Argv] = []
        self.targets: list[str] = []
        self.inputs: list[str] = []
        self.lines: list[str] = []
        self.unseen: Reason | None = None
        self._budget = Budget()
        self._waiting: deque[Argv | str] = deque()

    def text(self, text: str) -> tree.Sight | None:
        """Look into the command line. Return what its tree shows; None when there is none."""
        sight = self._line(text)
        if sight is not None and sight.broken:
            self._miss(Reason("unparsed"))
        return sight

    def vector(self, argv: Argv) -> None:
        """Look into an argument vector."""
        self._take((argv[: limits.WORDS + 1],))
        if len(argv) > limits.BYTES or over(" ".join(argv)):
            self._miss(TOO_LONG)
        self._follow()

    def beside(self, pieces: Iterable[str | Argv]) -> None:
        """Look into texts and vectors of which any may be a command; nothing is said of those that are none."""
        for piece in pieces:
            if not self._paid(()):
                return
            if isinstance(piece, str):
                self._line(piece)
            else:
                self.vector(piece)

    def _line(self, text: str) -> tree.Sight | None:
        sight = self._look(text)
        if over(text):
            self._miss(TOO_LONG)
        elif sight is None:
            self._miss(Reason("too_complex"))
        self._follow()
        return sight

    def _look(self, text: str) -> tree.Sight | None:
        text = text.replace("\0", "")  # as shells do; and over many of them the parser takes its time
        self.lines.append(text)
        sight = None if over(text) else tree.look(text, self._budget)
        if sight is not None:
            self.targets += sight.targets
            self.inputs += sight.inputs
            self._take(sight.commands)
        if sight is None or sight.broken:
            self._take(_crude(text))
        return sight

    def _take(self, commands: Iterable[Argv]) -> None:
        """Add commands, of which some may be empty, until the budget is spent."""
        for argv in commands:
            if not argv:
                continue
            self.seen.append(argv)
            self._waiting.append(argv)
            if not self._paid(argv):
                return

    def _paid(self, argv: Argv) -> bool:
        paid = self._budget.take(argv)
        if not paid:
            self._miss(Reason("too_complex"))
        return paid

    def _follow(self) -> None:
        """Add what the commands would run in their turn."""
        while self._waiting and not self._budget.spent:
            found = self._waiting.popleft()
            if isinstance(found, str):
                # Of code in Python, say, only words can be found. That is no miss: the option says enough.
                self._look(found)
            else:
                self._take(wrapped.inner(found))
                self._waiting += wrapped.code(found)
        self._waiting.clear()

    def _miss(self, why: Reason) -> None:
        self.unseen = self.unseen or why


def over(text: str) -> bool:
    """Tell whether a text is longer than a command may be."""
    return len(text) > limits.BYTES or len(text.encode(errors="replace")) > limits.BYTES


def _crude(text: str) -> Iterable[Argv]:
    """Cut at everything that could begin a command: for denying only, when no tree can be had."""
    for segment in _SEGMENT.finditer(text):
        yield tuple(segment[0].split(maxsplit=limits.WORDS))
