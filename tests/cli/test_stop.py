"""`askback stop`: the end of a server that runs in the background."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from askback.cli.background import PID, NotStopped, ensure_server, stop_server


def test_a_server_that_does_not_stop_is_named_with_the_command_that_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKBACK_PORT", "0")
    ensure_server(tmp_path)
    process_id = int((tmp_path / PID).read_text())
    os.kill(process_id, signal.SIGSTOP)  # it cannot react to SIGTERM
    try:
        said = f"process {process_id}, has not ended after 0.1 seconds; {tmp_path}/server.log may say why. End it with"
        with pytest.raises(NotStopped, match=re.escape(f"{said} `kill -9 {process_id}`")):
            stop_server(tmp_path, stop_s=0.1)
    finally:
        os.kill(process_id, signal.SIGCONT)
    stop_server(tmp_path)
    assert not stop_server(tmp_path)
