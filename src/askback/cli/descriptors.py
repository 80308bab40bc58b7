"""Says that the process has no file descriptors left: uvloop resets new connections then, and tells nobody."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import resource
import time
from collections.abc import Callable

EVERY_S = 1.0
SAY_AGAIN_S = 60.0

log = logging.getLogger(__name__)


class DescriptorWatch:
    """Logs, at most once a minute, that no connection can be accepted, and which limit is reached."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._said: float | None = None

    def look(self) -> None:
        """Try to open a descriptor, and log it when there is none."""
        try:
            os.close(os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._say(error.errno)

    async def run(self) -> None:
        """Look every second, until it is cancelled."""
        while True:
            self.look()
            await asyncio.sleep(EVERY_S)

    def _say(self, code: int) -> None:
        now = self._clock()
        if self._said is not None and now - self._said < SAY_AGAIN_S:
            return
        self._said = now
        limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        whose = (
            f"of this process ({limit}; ulimit -n)" if code == errno.EMFILE else "of the system (fs.file-max)"
        )
        log.error("new connections are reset: the limit of open files %s is reached. Raise it", whose)
