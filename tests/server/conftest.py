"""The server of the command-line tests, for tests that need one as a process."""

from __future__ import annotations

from tests.cli.conftest import server

__all__ = ["server"]
