"""Read lines from a terminal or a pipe, and write plain text.

One thread reads all lines, so that a prompt can be cancelled while somebody types, and no line
is lost to a cancelled prompt. Agents' text is never printed unchanged: see `printable`.
"""

from __future__ import annotations

import asyncio
import io
import sys
import termios
import threading
import unicodedata
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from select import select

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from askback.domain.approval import Escape, Parts

JOINERS = frozenset("\u200c\u200d\u200e\u200f")
"""Invisible characters that emoji and several scripts need."""

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_LOCAL = 3
"""The index in the result of `tcgetattr` of the flags that control the echo."""
PASTE_S, MAX_CHECKS = 0.1, 10
"""How long the lines of one paste may take to arrive, in seconds, and the number of checks in that time."""
MAX_LINE_BYTES = 65_536
"""The number of bytes of one read; a terminal returns one line at a time, of 4,096 bytes at most."""
CALL, WORDS = "│ ", "> "
"""The margins of a call and of an agent's text, so that no line of either can pose as one of ours."""
WRITTEN_OUT = "reverse"
"""The style of an escaped character, which distinguishes it from the same text typed by somebody."""


class EndOfInput(Exception):
    """The input has ended."""


class Terminal:
    """Reads lines from `source` and writes to `console`."""

    def __init__(self, console: Console, source: io.RawIOBase | None = None) -> None:
        self.console = console
        # Unbuffered: a thread that waits in a buffered read holds a lock that Python needs to end.
        self._source = source or io.FileIO(sys.stdin.fileno(), closefd=False)
        self._lines: asyncio.Queue[str | None] | None = None
        self._is_ended = asyncio.Event()
        self._drops = 0
        self._is_silent = False
        self._prompt: str | None = None
        self.typed = asyncio.Event()
        """Set with each line that was read."""
        self.interactive = self._source.isatty()

    def say(self, text: str = "", style: str = "") -> None:
        """Print lines of our own or of others; hidden characters are escaped."""
        self.console.print(Text(printable(text), style=style), soft_wrap=True)

    def quote(self, text: Parts, style: str = "", *, margin: str = CALL) -> None:
        """Print a text of others, whole, behind a margin on each line that the terminal shows."""
        width = max(self.console.width - cell_len(margin), 1) if self.interactive else None
        for line in _lines(text, style, width):
            self.console.print(Text.assemble((margin, "dim"), line), soft_wrap=True)

    def notice(self, text: str) -> None:
        """Print a line while another one is being typed, and the prompt again; the typed part is kept."""
        if self._prompt is not None:
            self.console.print()
        self.say(text, "dim")
        if self._prompt is not None:
            self._show(self._prompt)

    async def line(self, prompt: str = "> ") -> str:
        """Ask for one line and return it without its end; raises `EndOfInput`."""
        self._show(prompt)
        self._prompt = prompt
        try:
            line = await self._queue().get()
        finally:
            self._prompt = None
        if line is None:
            self.console.print()
            raise EndOfInput
        self.typed.set()
        if self._is_silent or not self.interactive:
            self.console.print()
        return line

    def _show(self, prompt: str) -> None:
        self.console.print(Text(printable(prompt), style="bold"), end="", soft_wrap=True)
        self.console.file.flush()

    @contextmanager
    def hidden_input(self) -> Generator[None]:
        """Turn off the echo of typed text until the block ends."""
        if not self.interactive:
            yield
            return
        device = self._source.fileno()
        old_attributes = termios.tcgetattr(device)
        silent_attributes = [*old_attributes]
        silent_attributes[_LOCAL] = old_attributes[_LOCAL] & ~termios.ECHO
        termios.tcsetattr(device, termios.TCSADRAIN, silent_attributes)
        self._is_silent = True
        try:
            yield
        finally:
            self._is_silent = False
            with suppress(OSError, termios.error):  # the terminal is gone: reading will say so
                termios.tcsetattr(device, termios.TCSADRAIN, old_attributes)

    async def drop_rest(self) -> bool:
        """Drop the input that arrived together with the line before, such as a paste; return whether there was any."""
        is_dropped = False
        while self.interactive and await self._has_more():
            self.drop_typed()
            is_dropped = True
        return is_dropped

    async def _has_more(self) -> bool:
        """Return whether there is unread input. The reading thread may hold a line that is not queued yet."""
        for _ in range(MAX_CHECKS):
            if not self._queue().empty() or select([self._source], [], [], 0)[0]:
                return not self._is_ended.is_set()
            await asyncio.sleep(PASTE_S / MAX_CHECKS)
        return False

    def drop_typed(self) -> None:
        """Drop input that was typed before a question was shown: it cannot be its answer."""
        self._drops += 1
        if self.interactive:
            with suppress(OSError, termios.error):  # the terminal is gone: reading will say so
                termios.tcflush(self._source.fileno(), termios.TCIFLUSH)
        lines = self._queue()
        while self.interactive and not self._is_ended.is_set() and not lines.empty():
            lines.get_nowait()

    async def wait_for_end(self) -> None:
        """Return when the input has ended and every line was read."""
        lines = self._queue()
        await self._is_ended.wait()
        if lines.qsize() > 1:
            await asyncio.Event().wait()  # the remaining lines are for later prompts

    async def settle(self) -> None:
        """Discard a line that was partly typed when its question ended."""
        if self.interactive:
            await self.line("Press Enter to continue. ")

    def _queue(self) -> asyncio.Queue[str | None]:
        if self._lines is None:
            self._lines = asyncio.Queue()
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._read, args=(loop, self._lines), daemon=True).start()
        return self._lines

    def _read(self, loop: asyncio.AbstractEventLoop, lines: asyncio.Queue[str | None]) -> None:
        line: str | None = ""
        while line is not None:
            try:
                raw = self._next()
            except OSError:
                raw = b""  # the terminal is gone
            line = raw.decode("utf-8", "replace").rstrip("\r\n") if raw else None
            try:
                loop.call_soon_threadsafe(self._enqueue, lines, line, self._drops)
            except RuntimeError:
                return  # the program has ended meanwhile

    def _next(self) -> bytes:
        """Read one line. A terminal is read in large pieces: read byte by byte, half a line could survive a drop."""
        if not self.interactive:
            return self._source.readline()
        line = b""
        while not line.endswith(b"\n") and (chunk := self._source.read(MAX_LINE_BYTES) or b""):
            line += chunk
        return line

    def _enqueue(self, lines: asyncio.Queue[str | None], line: str | None, drops: int) -> None:
        """Queue a line from the reading thread, unless the input was dropped since it was read."""
        if line is None or drops == self._drops or not self.interactive:
            lines.put_nowait(line)
        if line is None:
            self._is_ended.set()


def printable(text: str) -> str:
    r"""Show hidden characters as `\u{202e}`: a text can neither steer the terminal nor disguise itself."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(_escape_hidden(char) for char in text.replace("\r\n", "\n").replace("\t", "    "))


def one_line(text: str) -> str:
    """Keep a sentence on one line, even if it quotes an agent."""
    return " ".join(text.split())


def _lines(text: Parts, style: str, width: int | None) -> Iterator[Text]:
    """Split a text into lines, and those into pieces that fit; nothing is lost at the breaks."""
    full_text = Text(style=style)
    for part in text:
        if isinstance(part, Escape):
            full_text.append(printable(part.escape), WRITTEN_OUT)
        else:
            full_text.append(printable(part))
    for line in full_text.split("\n", allow_blank=True):
        yield from line.divide(_break_positions(line.plain, width)) if width else [line]


def _break_positions(line: str, width: int) -> Iterator[int]:
    used_cells = 0
    for index, char in enumerate(line):
        char_cells = cell_len(char)
        if used_cells + char_cells > width:
            yield index
            used_cells = 0
        used_cells += char_cells


def _escape_hidden(char: str) -> str:
    if char == "\n" or char in JOINERS or unicodedata.category(char) not in HIDDEN:
        return char
    return f"\\u{{{ord(char):x}}}"


def minute(moment: datetime) -> str:
    """Write a time in the local zone, to the minute."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
