"""Requirement E5: a sent value is found only in the lease, on every way and after every outcome."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from askback.domain.modeltext import model_text
from askback.domain.request import InputRequest
from askback.storage.sqlite.auditfile import read_audit
from tests.leaks.canary import Canary
from tests.leaks.crashes import check_values_in_transit, submissions_in_transit
from tests.leaks.evidence import leaks
from tests.leaks.handovers import submit_values
from tests.leaks.mistakes import send_misplaced_frames, send_misplaced_values
from tests.leaks.participants import THREAD, Participants, participants
from tests.leaks.refusals import send_refused_values
from tests.leaks.serving import Serving, read_process_files
from tests.leaks.witness import Notes
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio]


@requirement("E5", "E19", "E22", "E23", "E25", "H12", "I10")
async def test_a_value_is_found_nowhere_but_in_the_lease(tmp_path: Path) -> None:
    serving, notes, canaries, given = Serving(tmp_path), Notes(), list[Canary](), list[str]()
    seen_items: list[tuple[str, bytes]] = []
    try:
        await serving.start()
        async with participants(serving, notes, canaries) as people:
            async with notes.watching(serving.url, THREAD):
                given += await submit_values(people)
                await send_refused_values(people)
                await send_misplaced_values(people)
            seen_items += read_process_files()
            async with submissions_in_transit(people) as sent_bodies:
                serving.kill()
            seen_items += serving.traces()
        await serving.start()
        async with participants(serving, notes, canaries) as people:
            async with notes.watching(serving.url, THREAD):
                given += await check_values_in_transit(people, sent_bodies)
                await read_all(people)
            seen_items += read_process_files()
        serving.back_up()
        serving.stop()
    finally:
        serving.kill()
    seen_items += [*serving.traces(), *notes.recordings, *log_of_decisions(serving)]
    assert leaks(seen_items, canaries) == []
    # Their expected places show that they were sent, and that the search finds them.
    leased = {leak.origin for leak in leaks((("lease", body) for body in notes.leases), canaries)}
    assert leased == {canary.origin for canary in canaries if any(canary.secret in value for value in given)}
    assert Counter(origin.partition(" ")[0] for origin in leased) == {
        "given:": 3,
        "kept": 1,
        "tried,": 2,
        "tried": 2,
        "a": 4,
        "sent": 2,
        "was": 3,
    }


async def read_all(people: Participants) -> None:
    """Read every route as every caller, with a request of each kind and status, and the text for a model of each request."""
    document = (await people.ada.http.get("/openapi.json")).json()
    paths = [path for path, item in document["paths"].items() if "get" in item and "events" not in path]
    requests = (await people.ada.http.get("/v1/requests", params={"limit": 200})).json()["requests"]
    various = list({(item["kind"], item["status"]): item["id"] for item in requests}.values())
    for person in (people.agent, people.other, people.ada, people.bob, people.admin, people.foreigner):
        for path in paths:
            ids = [THREAD] if "threads" in path else various
            for name in ids if "{id}" in path else [""]:
                assert (await person.http.get(path.replace("{id}", name))).status_code != 500
    for request in requests:
        text = model_text(InputRequest.model_validate(request))
        people.notes.recordings.append((f"text for the model, {request['kind']}", text.encode()))


def log_of_decisions(serving: Serving) -> list[tuple[str, bytes]]:
    """The exported audit log."""
    with read_audit(serving.database) as logs:
        return [("audit log", entry.encode()) for log in logs for entry in log.entries]


@requirement("E5", "I10", "G2")
async def test_a_value_that_was_sent_over_a_websocket_by_mistake_is_found_nowhere(tmp_path: Path) -> None:
    serving, notes, canaries = Serving(tmp_path), Notes(), list[Canary]()
    try:
        await serving.start()
        async with (
            participants(serving, notes, canaries) as people,
            notes.watching(serving.url, THREAD),
        ):
            await send_misplaced_frames(people)
        serving.stop()
    finally:
        serving.kill()
    assert leaks([*serving.traces(), *notes.recordings], canaries) == []


@requirement("E5")
async def test_a_server_writes_no_core_dump_for_any_parent(tmp_path: Path) -> None:
    serving = Serving(tmp_path)
    try:
        await serving.start()
        limits = Path(f"/proc/{serving.pid}/limits").read_text()
    finally:
        serving.kill()
    [core] = [line.split()[4] for line in limits.splitlines() if line.startswith("Max core file size")]
    assert core == "0"
