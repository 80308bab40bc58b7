"""Run `askback …` or another Python program in a process forked from one which has done the imports.

Imports take half a second of processor time before a command does anything, and the tests start hundreds. A forked one
has its own arguments, environment, files, terminal and signals, and ends with a status like any other; it
does not test the start of the program, and the system shows other arguments and another environment. Tests of
those start `python -m askback` instead.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path
from typing import IO, Self

PARENT = Path(__file__).with_name("parent.py")


class Process:
    """A forked process, with the methods of `subprocess.Popen`. Streams that were not passed are pipes."""

    def __init__(self, pid: int, status: int, streams: Sequence[IO[bytes] | None]) -> None:
        self.pid = pid
        self.stdin, self.stdout, self.stderr = streams
        self.returncode: int | None = None
        self._status = status

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        self.wait()

    def poll(self) -> int | None:
        """Return the status if it has ended."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """Return the status once it has ended; raises `subprocess.TimeoutExpired`."""
        status = self._ended(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("askback", timeout or 0.0)
        return status

    def type_and_close(self, text: bytes) -> None:
        """Write to its input and close it. What a process that has ended did not read is lost."""
        if self.stdin is not None:
            with suppress(BrokenPipeError):
                self.stdin.write(text)
            with suppress(BrokenPipeError):
                self.stdin.close()
            self.stdin = None

    def communicate(self, typed: bytes | None = None, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Write to its input, read its output, and wait until it has ended."""
        outputs = [b"", b""]

        def read(descriptor: int, source: IO[bytes] | None) -> None:
            if source is not None:
                with source:
                    outputs[descriptor] = source.read()

        readers = [
            threading.Thread(target=read, args=item, daemon=True)
            for item in enumerate((self.stdout, self.stderr))
        ]
        for reader in readers:
            reader.start()
        self.type_and_close(typed or b"")
        for reader in readers:
            reader.join(timeout)
            if reader.is_alive():
                raise subprocess.TimeoutExpired("askback", timeout or 0.0)
        self.wait(timeout)
        return outputs[0], outputs[1]

    def send_signal(self, number: int) -> None:
        """Send a signal unless it has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            self.returncode = int(os.read(self._status, 16))
            os.close(self._status)
        return self.returncode


def fork(
    *arguments: str,
    environment: Mapping[str, str],
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    terminal: bool = False,
    program: str = "askback",
    folder: Path | None = None,
) -> Process:
    """Start `askback`, or another `program`, with these arguments and exactly this environment.

    A program is the path of a Python file, or the name of a module. It starts in `folder`, or in the current one.
    `stdin`, `stdout` and `stderr` are descriptors, or None for a pipe. With `terminal` its input is the
    terminal of a new session.
    """
    with ExitStack() as handed_over:
        theirs: list[int] = []
        ours: list[IO[bytes] | None] = []
        for descriptor, mode in ((stdin, "wb"), (stdout, "rb"), (stderr, "rb")):
            if descriptor is None:
                descriptor, mine = reversed(os.pipe()) if mode == "rb" else os.pipe()
                handed_over.callback(os.close, descriptor)
                ours.append(os.fdopen(mine, mode))
            else:
                ours.append(None)
            theirs.append(descriptor)
        ended, status = os.pipe()
        handed_over.callback(os.close, status)
        message = {
            "program": program,
            "arguments": arguments,
            "environment": dict(environment),
            "terminal": terminal,
            "folder": str(folder or Path.cwd()),
        }
        _parent().send(message, [*theirs, status])
    with os.fdopen(os.dup(ended), "rb", buffering=0) as start_pipe:
        pid = int(start_pipe.readline())
    return Process(pid, ended, ours)


class _Parent:
    """The parent of all forked processes of this test process; it ends with it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._socket, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, str(PARENT), str(theirs.fileno())]
            self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        atexit.register(self._end)

    def send(self, message: object, descriptors: Sequence[int]) -> None:
        text = json.dumps(message).encode()
        data = len(text).to_bytes(4, "big") + text
        with self._lock:
            sent = socket.send_fds(self._socket, [data], list(descriptors))
            self._socket.sendall(data[sent:])

    def _end(self) -> None:
        self._socket.close()
        self._process.wait()


_parent = cache(_Parent)
