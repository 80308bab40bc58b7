"""The shared configuration of all tests: the asyncio backend, and skips that count as failures in CI."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.contracts", "tests.fault", "tests.journeys")

from tests import memory_disk, quick, replies  # noqa: E402
from tests.side_by_side import SideBySide  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

    from tests.postgres_server import PostgresServer


memory_disk.use()
replies.install()
# A shell starts jobs in the background with SIGINT ignored, `nohup` with SIGHUP, and so would be what tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
# The terminals of tests have a size of their own.
for name in ("COLUMNS", "LINES"):
    os.environ.pop(name, None)
# httpx2 looks for this package, which is not installed, in all folders at each request to a server in this process.
sys.modules.setdefault("sniffio", None)  # pyright: ignore[reportArgumentType] - Python's way to say that there is none
settings.register_profile("few", max_examples=30, deadline=None)
settings.register_profile("many", max_examples=3_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "few"))


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run async tests on asyncio, like uvicorn."""
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A Postgres server that all tests of this worker share, started on first use."""
    from tests.postgres_server import start_server

    with start_server() as server:
        yield server


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without garbage collection, which takes half of the time; the objects stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure where `CI=true`: a suite that skipped has proved nothing."""
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped in CI: {reason}"
    return report


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `make test` and `make test-long`."""
    parser.addoption("--processes", type=int, default=1, help="how many forked processes run the tests")
    parser.addoption(
        "--late-parts",
        action="store_true",
        help="delay what pages load on demand (tests/journeys/windows.py)",
    )
    parts = parser.getgroup("parts of the suite, divided by tests/quick.py")
    parts.addoption("--quick", dest="part", action="store_const", const="quick", help="run the quick tests")
    parts.addoption("--long", dest="part", action="store_const", const="long", help="run the other tests")


def pytest_configure(config: pytest.Config) -> None:
    """Let several processes run the tests."""
    if config.option.processes > 1:
        config.pluginmanager.register(SideBySide(config.option.processes))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import a file of which the chosen part of the suite has nothing."""
    part = config.getoption("part")
    if part is None or not collection_path.match("test_*.py"):
        return None
    listed = quick.is_listed(collection_path)
    is_unneeded = listed and not quick.kept_of(collection_path) if part == "quick" else not listed
    return is_unneeded or None


def is_long(item: pytest.Item) -> bool:
    """Return whether `make test` does not run this test, and `make test-long` does."""
    return quick.is_listed(item.path) and item.name.partition("[")[0] not in quick.kept_of(item.path)


_LONG = ("e2e", "demo", "fault", "examples", "leaks", "chat")
"""Folders with tests that take longer than others."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the part of the suite, and run long tests first, so that no process waits for the last one.

    Those of each folder stay together, because Playwright's synchronous loop ends with the last test of its folder.
    """
    if part := config.getoption("part"):
        expected = part == "long"
        config.hook.pytest_deselected(items=[item for item in items if is_long(item) is not expected])
        items[:] = [item for item in items if is_long(item) is expected]
    items.sort(
        key=lambda item: next(
            (index for index, name in enumerate(_LONG) if name in item.path.parts), len(_LONG)
        )
    )
