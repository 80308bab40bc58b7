"""The shared configuration of all tests: the asyncio backend, and skips that count as failures in CI."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.contracts", "tests.fault", "tests.journeys")

from tests import memory_disk, quick, replies  # noqa: E402

if TYPE_CHECKING:
    from pathlib import Path

    from tests.postgres_server import PostgresServer


memory_disk.use()
replies.install()
# A shell starts jobs in the background with SIGINT ignored, and so would be the processes that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
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
    from tests.postgres_server import running

    with running() as server:
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
    """Add the option of `make test`."""
    parser.addoption(
        "--quick", action="store_true", help="leave out the long tests that tests/quick.py lists"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not even import a file of which `make test` runs nothing."""
    if config.getoption("quick") and quick.is_listed(collection_path) and not quick.kept_of(collection_path):
        return True
    return None


def is_left_out(item: pytest.Item) -> bool:
    """Whether `make test` does not run this test."""
    return quick.is_listed(item.path) and item.name.partition("[")[0] not in quick.kept_of(item.path)


_LONG = ("e2e", "demo", "fault", "examples", "leaks", "chat")
"""Folders with tests that take longer than others."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what `make test` does not run, and run long tests first, so that no process waits for the last one.

    Those of each folder stay together, because Playwright's synchronous loop ends with the last test of its folder.
    """
    if config.getoption("quick"):
        left_out = [item for item in items if is_left_out(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_left_out(item)]
    items.sort(
        key=lambda item: next((at for at, name in enumerate(_LONG) if name in item.path.parts), len(_LONG))
    )
