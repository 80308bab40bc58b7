"""Run `askback …` on its own terminal, like a person."""

from __future__ import annotations

import os
import pty
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio

from tests.cli.conftest import ENVIRONMENT
from tests.forks.process import Process, fork

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Screen:
    """The output of a command on its terminal so far, without colours; and the keyboard."""

    def __init__(self, primary: int) -> None:
        self._primary = primary
        self._raw = b""

    @property
    def text(self) -> str:
        return _STYLE.sub("", self._raw.decode(errors="replace"))

    def type(self, text: str) -> None:
        os.write(self._primary, text.encode())

    async def shows(self, expected: str) -> None:
        """Read until the screen shows a text."""
        with anyio.fail_after(120):
            while expected not in self.text:
                await anyio.wait_readable(self._primary)
                self._raw += os.read(self._primary, 65536)

    async def rest(self) -> str:
        """Read until the command has released the terminal; return its whole output."""
        with anyio.fail_after(120):
            while True:
                await anyio.wait_readable(self._primary)
                try:
                    read = os.read(self._primary, 65536)
                except OSError:  # on Linux: the other end is closed
                    read = b""
                if not read:
                    return self.text
                self._raw += read


@asynccontextmanager
async def run_on_terminal(
    data: Path, *arguments: str, **environment: str
) -> AsyncIterator[tuple[Screen, Process]]:
    """Run `askback …` with a data folder."""
    primary, secondary = pty.openpty()
    process = fork(
        *arguments,
        environment={
            **ENVIRONMENT,
            "ASKBACK_DATA_DIR": str(data),
            "TERM": "xterm",
            "COLUMNS": "200",
            **environment,
        },
        stdin=secondary,
        stdout=secondary,
        stderr=secondary,
        terminal=True,
    )
    os.close(secondary)
    try:
        yield Screen(primary), process
    finally:
        process.kill()
        process.wait()
        os.close(primary)
