"""The harness is tested too: each planted leak is found at its place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.leaks.canary import Canary
from tests.leaks.evidence import leaks
from tests.leaks.participants import THREAD, participants
from tests.leaks.planted import LEAKS, STORED
from tests.leaks.serving import Serving, read_process_files
from tests.leaks.witness import Notes

pytestmark = [pytest.mark.anyio]

PLANTED = (sys.executable, str(Path(__file__).with_name("planted.py")))

LOG, DATA = (
    {"file log/stderr-1"},
    {
        "file data/askback.db",
        "file data/askback.db-wal",
        "file data/backup-1/vacuum.db",
        "file data/backup-1/online.db",
        "file data/backup-1/copy.db-wal",
    },
)
OWN = {
    "LOGGED": LOG,
    "LOGGED_IN_BASE64": LOG,
    "LOGGED_IN_PART": LOG,
    "IN_A_BODY": LOG,
    "PRINTED": {"file log/stdout-1"},
    "IN_A_FILE": {"file tmp/askback-debug"},
    "IN_AN_ENVIRONMENT": {"environ of a process"},
    "IN_AN_ARGUMENT": {"cmdline of a process"},
    "STORED": DATA,
    "STORED_IN_HEX": DATA,
    "CUT": {"reply 422 to responder: POST /v1/requests"},
    "SEALED": set[str](),
}
"""Where the value of each name is found, of the name that stands for an answer apart: that is found all over."""


async def test_every_hole_is_found_where_it_is(tmp_path: Path) -> None:
    serving, notes, canaries = Serving(tmp_path, command=PLANTED), Notes(), list[Canary]()
    try:
        await serving.start()
        async with participants(serving, notes, canaries) as people, notes.watching(serving.url, THREAD):
            for name in (*LEAKS, *STORED, "IN_A_BODY", "SEALED", "ANSWERED"):
                request_id = await people.need(name)
                reply = await people.ada.hand_over(request_id, {name: people.value(name)})
                assert reply.status_code == 200, reply.text
            waits = await people.need("CUT")
            cut = f'{{"revision": 1, "secrets": {{"CUT": "{people.value("CUT")}'
            assert (await people.post(waits, cut.encode())).status_code == 422
            await people.admin.http.get("/v1/audit")
        seen_items = [*read_process_files(), *serving.traces()]
        serving.back_up()
        serving.stop()
        seen_items += [*serving.traces(), *notes.recordings]
    finally:
        serving.kill()
    findings: dict[str, set[str]] = {canary.origin: set() for canary in canaries}
    for leak in leaks(seen_items, canaries):
        findings[leak.origin].add(leak.place)
    common_findings = findings.pop("ANSWERED")
    assert findings == OWN
    assert common_findings >= {
        "events of /v1/events",
        "events of /v1/threads",
        "frames of the WebSocket",
        "reply 200 to responder: POST /v1/requests",
        "file data/askback.db",
        "file data/askback.db-wal",
        "file data/backup-1/online.db",
    }
