"""A process without free file descriptors logs that, and not each time."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from askback.server.process import DescriptorWatch


@contextmanager
def open_files(most: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_process_without_descriptors_says_so_once_a_minute(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    watch = DescriptorWatch(clock=lambda: now)
    watch.check()
    assert caplog.messages == []
    with open_files(3):
        for now in (1.0, 30.0, 62.0):
            watch.check()
    watch.check()
    text = "new connections are reset: the limit of open files of this process (3; ulimit -n) is reached. Raise it"
    assert caplog.messages == [text, text]
