"""`askback thread`: conversations are put away, written out and erased."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import start
from tests.cli.scripts import complete


def thread(data: Path, *arguments: str, status: int = 0) -> str:
    ended, out, err = complete(start("thread", *arguments, ASKBACK_DATA_DIR=str(data)))
    assert ended == status, err
    return err if status else out


def test_a_thread_is_written_out_and_erased_without_a_server(tmp_path: Path) -> None:
    made = complete(start("rules", "add", "bash(make)", ASKBACK_DATA_DIR=str(tmp_path)))
    assert made[0] == 0, made
    thread(tmp_path, "archive", "t1")
    thread(tmp_path, "archive", "t1", "--undo")
    found = json.loads(thread(tmp_path, "export", "t1"))
    assert [each["type"] for each in found["events"]] == ["thread.archived", "thread.unarchived"]
    thread(tmp_path, "erase", "t1", "--yes")
    found = json.loads(thread(tmp_path, "export", "t1"))
    assert [each["type"] for each in found["events"]] == ["thread.erased"]
    assert "There is no such thread" in thread(tmp_path, "erase", "never", "--yes", status=1)
