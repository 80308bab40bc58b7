"""The agents' notes about messages and actions: lines of JSON in files, which survive their processes.

An effect is a separate file that only one process can create, so that an agent acts once on an outcome that
may arrive twice.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EFFECTS = "effects"


class Notes:
    """One host's notes, and the effects of all of them."""

    def __init__(self, folder: Path, name: str) -> None:
        self._path = folder / f"{name}.notes"
        self._effects = folder / EFFECTS
        self._effects.mkdir(exist_ok=True)
        self.before = list(read(self._path))
        """What was noted by those who had this name before."""
        self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(self._file, b"\n")  # the last one may have died in the middle of a line

    def note(self, note_kind: str, **facts: Any) -> None:
        """Write one line; it survives even if the process dies right after."""
        os.write(self._file, json.dumps({"what": note_kind, "at": now_ms(), **facts}).encode() + b"\n")

    def act(self, request_id: str, **facts: Any) -> None:
        """Continue with the outcome of a request, unless somebody did."""
        try:
            os.close(os.open(self._effects / request_id, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        self.note("acted", request=request_id, **facts)

    def was_accepted(self, request_id: str) -> bool:
        """Return whether anybody has continued."""
        return (self._effects / request_id).exists()


def read(path: Path, start: int = 0) -> Iterator[dict[str, Any]]:
    """Read the complete notes, from a position in the file on."""
    if not path.exists():
        return
    with path.open("rb") as file:
        file.seek(start)
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:
                continue


def now_ms() -> int:
    """The clock of this machine, which the server has as well."""
    return time.time_ns() // 1_000_000
