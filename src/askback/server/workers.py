"""Several processes behind one port: a supervisor starts the workers, replaces one that ends, and stops them all.

The supervisor runs no server and no event loop, so each worker is forked from a process that has only imported modules.
All workers accept connections from the same socket. A pipe from each worker reports when it is ready; the
pipe closes when the worker ends. A pipe to all workers ends with the supervisor, and they stop.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from askback.domain.values import frozen

RESTART_PAUSE_S = 1.0
"""The pause between the starts of a worker that ends before it is ready."""
_READ_BYTES = 65_536
_STOPS = (signal.SIGINT, signal.SIGTERM)

Addresses = Mapping[str, str]
"""The content of the ready line."""

log = logging.getLogger(__name__)


@frozen(slots=True)
class Worker:
    """A worker: its number, and whether it replaces one that ended."""

    number: int
    replaces: bool
    status: int
    lifeline: int

    def ready(self, addresses: Addresses) -> None:
        """Report to the supervisor that requests are accepted, and stop when the supervisor ends."""
        os.write(self.status, json.dumps(dict(addresses)).encode() + b"\n")
        asyncio.get_running_loop().add_reader(self.lifeline, self._stop_without_supervisor)

    def _stop_without_supervisor(self) -> None:
        asyncio.get_running_loop().remove_reader(self.lifeline)
        signal.raise_signal(signal.SIGTERM)


@dataclass(slots=True)
class _Child:
    number: int
    pid: int
    report: bytearray = field(default_factory=bytearray)

    @property
    def is_ready(self) -> bool:
        return self.report.endswith(b"\n")


class Supervisor:
    """Keeps `count` workers; calls `announce` with the ready line of the first once all of them are ready."""

    def __init__(self, count: int, *, announce: Callable[[Addresses], None]) -> None:
        self._count = count
        self._announce = announce
        self._announced = False
        self._has_failed = False
        self._stopping = False
        self._children: dict[int, _Child] = {}
        self._due: dict[int, float] = {}
        self._selector = selectors.DefaultSelector()
        self._lifeline = os.pipe()
        self._wake_sockets = socket.socketpair()

    def run(self) -> Worker | None:
        """Return the `Worker` in each worker, and None in the supervisor after all workers have stopped.

        Raises `SystemExit` if a worker cannot start; the worker has printed why.
        """
        for end in self._wake_sockets:
            end.setblocking(False)
        self._selector.register(self._wake_sockets[0], selectors.EVENT_READ)
        signal.set_wakeup_fd(self._wake_sockets[1].fileno())
        for number in _STOPS:
            signal.signal(number, self._on_stop_signal)
        self._due[0] = 0.0  # the first worker creates the tokens for all
        while self._children or self._due:
            if (worker := self._start_due()) is not None:
                return worker
            for key, _ in self._selector.select(self._select_timeout()):
                if key.fileobj is self._wake_sockets[0]:
                    self._wake_sockets[0].recv(_READ_BYTES)
                else:
                    self._read_report(key.fd)
        if self._has_failed:
            raise SystemExit(1)
        return None

    def _start_due(self) -> Worker | None:
        now = time.monotonic()
        for number in [number for number, due_at in self._due.items() if due_at <= now]:
            del self._due[number]
            if (worker := self._start(number)) is not None:
                return worker
        return None

    def _start(self, number: int) -> Worker | None:
        read_end, write_end = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, _STOPS)  # until signals reach all children, or in a worker
        pid = os.fork()
        if pid:
            os.close(write_end)
            self._children[read_end] = _Child(number, pid)
            self._selector.register(read_end, selectors.EVENT_READ)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
            return None
        signal.set_wakeup_fd(-1)
        for item in _STOPS:
            signal.signal(item, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPS)
        self._selector.close()
        for descriptor in (read_end, self._lifeline[1], *self._children):
            os.close(descriptor)
        for end in self._wake_sockets:
            end.close()
        return Worker(number, self._announced, write_end, self._lifeline[0])

    def _select_timeout(self) -> float | None:
        return max(0.0, min(self._due.values()) - time.monotonic()) if self._due else None

    def _read_report(self, descriptor: int) -> None:
        child = self._children[descriptor]
        report = os.read(descriptor, _READ_BYTES)
        child.report += report
        if not report:
            self._selector.unregister(descriptor)
            os.close(descriptor)
            del self._children[descriptor]
            self._handle_exit(child, os.waitstatus_to_exitcode(os.waitpid(child.pid, 0)[1]))
        elif child.is_ready and not self._announced and not self._stopping:
            self._start_others()

    def _start_others(self) -> None:
        """Start the other workers once the first is ready, and announce when all are."""
        children = sorted(self._children.values(), key=lambda child: child.number)
        if len(children) == 1 < self._count:
            self._due.update(dict.fromkeys(range(1, self._count), 0.0))
        elif len(children) == self._count and all(child.is_ready for child in children):
            self._announced = True
            self._announce(json.loads(children[0].report))

    def _handle_exit(self, child: _Child, status: int) -> None:
        if self._stopping:
            return
        if not self._announced:
            self._has_failed = True
            self._on_stop_signal(signal.SIGTERM, None)
            return
        log.error("worker %d ended with status %d; another is started", child.number, status)
        self._due[child.number] = 0.0 if child.is_ready else time.monotonic() + RESTART_PAUSE_S

    def _on_stop_signal(self, number: int, _frame: object) -> None:
        self._stopping = True
        self._due.clear()
        for child in self._children.values():
            os.kill(child.pid, number)
