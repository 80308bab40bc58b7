"""Lines typed before a question is shown are not answers to it."""

from __future__ import annotations

import io
import os
import threading

from rich.console import Console

from askback.cli.terminal import Terminal
from tests.requirements import requirement


class Keyboard(io.FileIO):
    """A terminal with one line typed early and one late; reports when the early one has been passed on."""

    def __init__(self) -> None:
        super().__init__(os.devnull)
        self.early_is_passed_on = threading.Event()
        self.question_is_there = threading.Event()
        self._lines = iter([b"early\n", b"late\n"])

    def isatty(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        line = next(self._lines, b"")
        if line == b"late\n":
            self.early_is_passed_on.set()
            self.question_is_there.wait(120)
        return line


@requirement("B27")
async def test_a_line_that_the_reader_thread_already_read_is_dropped_too() -> None:
    keyboard = Keyboard()
    terminal = Terminal(Console(file=io.StringIO()), keyboard)
    terminal.drop_typed()  # the thread begins to read
    assert keyboard.early_is_passed_on.wait(120)
    terminal.drop_typed()
    keyboard.question_is_there.set()
    assert await terminal.line() == "late"
