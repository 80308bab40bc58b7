"""A server that runs in the background: its address after a kill, and its end with `askback stop`."""

from __future__ import annotations

import os
import re
import signal
import socket
from pathlib import Path

import psutil
import pytest

from askback.cli.background import (
    LOCK,
    PID,
    NotStopped,
    ServerNotStarted,
    ensure_server,
    stop_server,
)
from askback.server import server_file
from askback.storage.private import try_lock


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
        assert (
            tmp_path / PID
        ).read_text() == f"{process_id} stopped\n"  # so nothing starts it again after that
    finally:
        os.kill(process_id, signal.SIGCONT)
    stop_server(tmp_path)
    assert not stop_server(tmp_path)
    assert (tmp_path / PID).read_text() == ""  # so a call that waits does not start it again


def test_a_killed_server_comes_back_at_its_address_though_another_program_has_the_port_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("ASKBACK_PORT", str(taken.getsockname()[1]))
        ensure_server(tmp_path)
        url = server_file.read(tmp_path / "server.json")["url"]
        process = psutil.Process(int((tmp_path / PID).read_text()))
        process.kill()
        process.wait(10)
        ensure_server(tmp_path)
        assert server_file.read(tmp_path / "server.json")["url"] == url
    assert stop_server(tmp_path)


def test_no_other_user_can_open_the_files_that_are_locked_to_start_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASKBACK_PORT", "0")
    (tmp_path / LOCK).touch(0o644)  # as an earlier version has created it
    ensure_server(tmp_path)
    try:
        assert [(tmp_path / name).stat().st_mode & 0o777 for name in (LOCK, PID)] == [0o600, 0o600]
    finally:
        stop_server(tmp_path)


def test_a_lock_that_another_process_holds_ends_a_start_and_a_stop_in_time(tmp_path: Path) -> None:
    (tmp_path / PID).touch()
    with (tmp_path / LOCK).open("w") as lock:
        assert try_lock(lock.fileno())
        with pytest.raises(ServerNotStarted, match=re.escape("not ready after 0.1 seconds")):
            ensure_server(tmp_path, start_s=0.1)
        with pytest.raises(
            NotStopped, match=re.escape(f"Another process has kept {tmp_path / LOCK} locked.")
        ):
            stop_server(tmp_path, stop_s=0.1)
