"""Run the collected tests in several processes, which are forked from the one that has collected them.

pytest-xdist imports and collects all tests in each process, and reports each step of each test to the first
one. Both together take a tenth of the processor time of the quick tests, and the first seconds of a run.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import warnings
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

import pytest

SLOW = 0.5
"""Seconds from which a fixture is reported, which the list of the slowest shows."""


@dataclass
class Worker:
    """A forked process, the tests that it was given but has not reported, and those that it is to get."""

    pid: int
    channel: Connection
    left: range
    given: deque[int] = field(default_factory=deque)

    def give(self, index: int | None) -> None:
        """Send the number of a test; None says that there are no more."""
        self.channel.send(index)
        if index is not None:
            self.given.append(index)


class SideBySide:
    """Gives each process a part of the tests, and to one that has no more the end of the largest part."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._workers: dict[Connection, Worker] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run the tests; a forked process returns from here as well, when it has run its part."""
        if session.testsfailed or session.config.option.collectonly:
            return None
        assert threading.active_count() == 1, "a process with threads cannot be forked"
        folder = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        bounds = [len(session.items) * at // self._processes for at in range(self._processes + 1)]
        for at in range(self._processes):
            ours, theirs = Pipe()
            sys.stdout.flush()
            if (pid := os.fork()) == 0:
                for channel in (ours, *self._workers):
                    channel.close()
                self._workers.clear()
                _become(session, folder / f"process{at}")
                return _run(session, theirs)
            theirs.close()
            self._workers[ours] = Worker(pid, ours, range(bounds[at], bounds[at + 1]))
        for worker in self._workers.values():
            for _ in range(2):  # a process knows the next test too: pytest tears down what that does not need
                worker.give(self._next(worker))
        while self._workers:
            for channel in wait(list(self._workers)):
                self._read(session, self._workers[channel])  # type: ignore[index]
        return True

    @pytest.hookimpl
    def pytest_unconfigure(self) -> None:
        """Let the processes that still run end after their test, if this one was interrupted."""
        for worker in self._workers.values():
            worker.channel.close()
            os.waitpid(worker.pid, 0)

    def _next(self, worker: Worker) -> int | None:
        if not worker.left:
            largest = max(self._workers.values(), key=lambda other: len(other.left))
            middle = len(largest.left) // 2
            largest.left, worker.left = largest.left[:middle], largest.left[middle:]
        if not worker.left:
            return None
        index, worker.left = worker.left[0], worker.left[1:]
        return index

    def _read(self, session: pytest.Session, worker: Worker) -> None:
        hook = session.config.hook
        try:
            reports, recorded = worker.channel.recv()
        except (EOFError, ConnectionResetError):
            del self._workers[worker.channel]
            status = os.waitstatus_to_exitcode(os.waitpid(worker.pid, 0)[1])
            if worker.given or status != 0:
                names = [session.items[index].nodeid for index in worker.given]
                raise session.Interrupted(f"a process ended with {status} in {names}") from None
            return
        worker.given.popleft()
        for data in reports:
            report = hook.pytest_report_from_serializable(config=session.config, data=data)
            hook.pytest_runtest_logreport(report=report)
        for nodeid, when, parts in recorded:
            message = warnings.WarningMessage(*parts)
            hook.pytest_warning_recorded.call_historic(
                kwargs={"warning_message": message, "nodeid": nodeid, "when": when, "location": None}
            )
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if len(worker.given) == 1:
            worker.give(self._next(worker))


class _Reports:
    """What a forked process has to report of the test that it runs."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self.reports: list[dict[str, Any]] = []
        self.warnings: list[tuple[object, ...]] = []

    def take(self) -> tuple[list[Any], list[Any]]:
        """Return it, and begin anew."""
        taken = self.reports, self.warnings
        self.reports, self.warnings = [], []
        return taken

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Keep each test, and of fixtures what failed or took long."""
        if report.when == "call" or not report.passed or report.duration > SLOW:
            data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
            self.reports.append(data)

    def pytest_warning_recorded(
        self, warning_message: warnings.WarningMessage, when: str, nodeid: str
    ) -> None:
        """Keep a warning as text."""
        told = warning_message
        self.warnings.append((nodeid, when, (str(told.message), told.category, told.filename, told.lineno)))

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """End like Python, but without destroying each object, which would copy the memory of the first process."""
        atexit._run_exitfuncs()
        os._exit(0)


def _become(session: pytest.Session, folder: Any) -> None:
    """Share neither the output nor the folder of temporary files with the first process, and print nothing."""
    config = session.config
    config.workerinput = {}  # type: ignore[attr-defined] - pytest's plugins leave caches and files to the first one
    config.pluginmanager.unregister(name="terminalreporter")
    config._tmp_path_factory._basetemp = folder  # type: ignore[attr-defined]
    folder.mkdir(mode=0o700)
    capture: Any = config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()


def _run(session: pytest.Session, channel: Connection) -> bool:
    reports = _Reports(session.config)
    session.config.pluginmanager.register(reports)
    with suppress(EOFError, BrokenPipeError):  # the first process was interrupted
        index, following = channel.recv(), channel.recv()
        while index is not None:
            item = session.items[index]
            next_item = None if following is None else session.items[following]
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=next_item)
            channel.send(reports.take())
            index, following = following, None if following is None else channel.recv()
    return True
