"""Runs a command with secrets in its environment; its output is redacted, and it gets our signals."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from selectors import EVENT_READ, DefaultSelector
from typing import IO

from askback.domain.redaction import RedactedStream

CHUNK = 64 * 1024
PAUSE_S = 0.1
"""Seconds without output after which an unfinished line is shown."""
NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""The exit statuses of a shell for commands that it cannot run."""


class CommandNotStarted(Exception):
    """The command cannot be run; `status` is what a shell would return."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


def start(argv: Sequence[str], environment: Mapping[str, str], *, piped: bool) -> subprocess.Popen[bytes]:
    """Start a command with exactly this environment and our standard input; raises `CommandNotStarted`."""
    output = subprocess.PIPE if piped else None
    try:
        return subprocess.Popen(  # noqa: S603 - it is the command that the user has given
            argv, env=environment, stdout=output, stderr=output, bufsize=0
        )
    except OSError as error:
        # The traceback would keep a reference to the environment.
        message = f"{argv[0]} cannot be run: {error.strerror}."
        status = NOT_FOUND if isinstance(error, FileNotFoundError) else NOT_EXECUTABLE
    except ValueError:
        message, status = f"{argv[0]} cannot be run: an argument holds a NUL character.", NOT_EXECUTABLE
    raise CommandNotStarted(message, status=status)


async def forward_until_exit(
    child: subprocess.Popen[bytes], scrubbers: Mapping[int, RedactedStream[bytes]]
) -> int:
    """Forward output and signals until a command has ended; return its status as a shell does.

    `scrubbers` are by the descriptor to which they write, 1 and 2; there are none if the output is not piped.
    Raises `OSError` if the output cannot be written, except for a reader that has gone.
    """
    loop = asyncio.get_running_loop()
    interrupted = asyncio.Event()

    def forward(number: int) -> None:
        if child.poll() is not None:
            interrupted.set()  # processes that it left running may hold its output open forever
        elif number != signal.SIGINT or not _is_in_foreground():
            child.send_signal(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, forward, number)
    pipes = {1: child.stdout, 2: child.stderr}
    forwarders = [_OutputForwarder(pipes[target], target, scrubber) for target, scrubber in scrubbers.items()]
    status = await asyncio.to_thread(child.wait)
    interrupt_task = asyncio.create_task(interrupted.wait())
    for forwarder in forwarders:
        await asyncio.wait({interrupt_task, forwarder.done}, return_when=asyncio.FIRST_COMPLETED)
    interrupt_task.cancel()
    for forwarder in forwarders:
        if forwarder.done.done():
            forwarder.done.result()
    return status if status >= 0 else 128 - status


class _OutputForwarder:
    """One output of a command, redacted by a daemon thread."""

    def __init__(self, source: IO[bytes] | None, target: int, scrubber: RedactedStream[bytes]) -> None:
        assert source is not None
        self._source = source
        self._target = target
        self._scrubber = scrubber
        self._loop = asyncio.get_running_loop()
        self.done: asyncio.Future[None] = self._loop.create_future()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        failure: OSError | None = None
        try:
            with self._source, DefaultSelector() as selector:
                selector.register(self._source, EVENT_READ)
                self._forward(selector)
        except BrokenPipeError:
            pass  # the reader has gone; the command notices when it writes again
        except OSError as error:
            failure = error
        with suppress(RuntimeError):  # the program has ended meanwhile
            self._loop.call_soon_threadsafe(self._end, failure)

    def _forward(self, selector: DefaultSelector) -> None:
        resting = True
        while True:
            if not selector.select(None if resting else PAUSE_S):
                _write(self._target, self._scrubber.pause())
                resting = True
                continue
            if not (chunk := self._source.read(CHUNK)):
                _write(self._target, self._scrubber.close())
                return
            _write(self._target, self._scrubber.feed(chunk))
            resting = False

    def _end(self, failure: OSError | None) -> None:
        if failure is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(failure)


def _write(target: int, data: bytes) -> None:
    unwritten = memoryview(data)
    while unwritten:
        unwritten = unwritten[os.write(target, unwritten) :]


def _is_in_foreground() -> bool:
    """Return whether Ctrl-C at the terminal reaches the command directly, as a member of the foreground group."""
    try:
        with open("/dev/tty", "rb", buffering=0) as terminal:
            return os.tcgetpgrp(terminal.fileno()) == os.getpgrp()
    except OSError:
        return False
