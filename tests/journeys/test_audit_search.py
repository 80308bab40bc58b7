"""Group B: the audit log is searched, verified and exported over the API."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from askback.domain.audit import GENESIS, verify_chain
from tests.journeys.conftest import KillableServer
from tests.journeys.people import Person, Team, faults, request_of
from tests.requirements import requirement

pytestmark = pytest.mark.anyio


async def search_page(admin: Person, **query: Any) -> dict[str, Any]:
    """A page of entries."""
    reply = await admin.http.get("/v1/audit/entries", params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def actions(admin: Person, **query: Any) -> list[str]:
    """The actions of entries."""
    return [entry["action"] for entry in (await search_page(admin, **query))["entries"]]


async def audit_page(admin: Person, **query: Any) -> dict[str, Any]:
    """A piece of the log."""
    reply = await admin.http.get("/v1/audit/verification", params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()


@requirement("B28")
async def test_entries_are_found_by_person_action_request_and_thread(team: Team, thread: str) -> None:
    request = request_of(await team.agent.bash(thread, "make test"))
    await team.ada.decide(request["id"], "approve", scope="always")
    await team.agent.bash("another", "make test")
    assert await actions(team.admin, request_id=request["id"]) == ["decide"]
    assert await actions(team.admin, thread_id=thread) == ["decide"]
    [rule] = (await search_page(team.admin, action="decide", actor="policy"))["entries"]
    assert (rule["rule"], rule["thread_id"]) == ("bash(make test)", "another")
    [ada] = (await search_page(team.admin, action="decide", actor="ADA"))["entries"]
    assert ada["request_id"] == request["id"]
    assert await actions(team.admin, actor=ada["actor"]["id"]) == ["decide"]
    assert set(await actions(team.admin, action="token")) == {"token.add"}
    assert await actions(team.admin, action="tok") == []
    assert await actions(team.admin, request_id="req_none") == []
    assert await actions(team.admin, thread_id="a\0b") == []


@requirement("B28")
async def test_ids_have_names(team: Team, thread: str) -> None:
    await team.agent.http.patch(f"/v1/threads/{thread}", json={"title": "Release 4.2"})
    await team.agent.bash(thread, "git status")
    result = await search_page(team.admin, action="decide")
    [entry] = result["entries"]
    assert result["names"]["threads"] == {thread: "Release 4.2"}
    assert result["names"]["agents"][entry["requester"]]


@requirement("B28")
async def test_entries_come_newest_first_page_by_page_and_by_time(team: Team, thread: str) -> None:
    for n in range(5):
        await team.agent.bash(thread, f"git log -{n}")
    first = await search_page(team.admin, action="decide", limit=2)
    remaining_items = await search_page(team.admin, action="decide", limit=9, cursor=first["next_cursor"])
    seqs = [entry["seq"] for page in (first, remaining_items) for entry in page["entries"]]
    assert (seqs, remaining_items["next_cursor"]) == (sorted(seqs, reverse=True), None)
    assert (len(seqs), first["checked_to"]) == (5, seqs[1])
    moment = remaining_items["entries"][1]["at"]
    later = await search_page(team.admin, action="decide", created_after=moment)
    earlier = await search_page(team.admin, action="decide", created_before=moment)
    assert len(later["entries"]) + len(earlier["entries"]) >= 5
    assert all(entry["at"] >= moment for entry in later["entries"])
    assert all(entry["at"] <= moment for entry in earlier["entries"])
    assert await actions(team.admin, created_before="2001-01-01T00:00:00Z") == []
    assert await actions(team.admin, created_after="2999-01-01T00:00:00Z") == []


@requirement("B28")
async def test_a_page_looks_at_a_bounded_number_of_entries_and_says_so(team: Team) -> None:
    row = {"rules": [{"rule": f"make t{n}"} for n in range(1_000)]}
    assert (await team.admin.http.post("/v1/rules/import", json=row)).json()["added"] == 1_000
    result = await search_page(team.admin, action="token")
    assert (result["entries"], result["checked"]) == ([], 1_000)
    remaining_items = await search_page(team.admin, action="token", cursor=result["next_cursor"])
    assert (len(remaining_items["entries"]), remaining_items["next_cursor"]) == (
        remaining_items["checked"],
        None,
    )


@pytest.mark.parametrize(
    "query",
    [{"created_after": "yesterday"}, {"created_before": "7"}, {"cursor": "x"}, {"limit": 0}, {"limit": 999}],
)
async def test_a_filter_that_cannot_be_read_is_named(team: Team, query: dict[str, Any]) -> None:
    refusal = await team.admin.http.get("/v1/audit/entries", params=query)
    assert (refusal.status_code, [path for path, _ in faults(refusal)]) == (422, list(query))


@requirement("B28")
async def test_the_log_is_verified_in_pieces_up_to_its_sealed_head(team: Team, thread: str) -> None:
    for n in range(5):
        await team.agent.bash(thread, f"git log -{n}")
    start: dict[str, Any] = {}
    pieces: list[dict[str, Any]] = []
    while not pieces or not pieces[-1]["complete"]:
        pieces.append(await audit_page(team.admin, limit=4, **start))
        assert pieces[-1]["broken"] is None
        start = {"after": pieces[-1]["end"]["seq"], "hash": pieces[-1]["end"]["hash"]}
    assert len(pieces) > 2
    assert pieces[0]["start"] == {"seq": 0, "hash": GENESIS}
    assert [p["start"] for p in pieces[1:]] == [p["end"] for p in pieces[:-1]]
    last = pieces[-1]
    assert last["end"] == {name: last["head"][name] for name in ("seq", "hash")}
    assert last["head"]["seal"]["status"] == "sealed"
    assert sum(piece["checked"] for piece in pieces) == last["head"]["seq"]


@pytest.mark.parametrize("query", [{"after": 3}, {"after": 3, "hash": "abc"}, {"after": -1}])
async def test_a_piece_needs_the_entry_before_it(team: Team, query: dict[str, Any]) -> None:
    refusal = await team.admin.http.get("/v1/audit/verification", params=query)
    assert refusal.status_code == 422
    assert (await audit_page(team.admin, after=2, hash="f" * 64))["broken"]["seq"] == 3
    page_after_the_end = await audit_page(team.admin, after=10**9, hash="f" * 64)
    assert (page_after_the_end["complete"], page_after_the_end["broken"] is None) == (False, False)


@requirement("B28")
async def test_a_changed_entry_breaks_the_chain_there_and_is_still_listed(
    killable_server: KillableServer, thread: str
) -> None:
    async with killable_server.team() as team:
        for n in range(4):
            await team.agent.bash(thread, f"git log -{n}")
        last_entries = (await search_page(team.admin))["entries"][1]
        killable_server.dies()
        with closing(sqlite3.connect(killable_server.server.data / "askback.db")) as db:
            db.execute(
                "UPDATE audit SET entry = 'rubbish' WHERE entry LIKE ?", (f'%{last_entries["hash"]}"}}',)
            )
            db.commit()
        await killable_server.returns()
        assert (await search_page(team.admin))["entries"][1] == {
            "seq": last_entries["seq"],
            "action": "unreadable",
        }
        result = await audit_page(team.admin)
        assert (result["broken"]["seq"], result["end"]["seq"]) == (
            last_entries["seq"],
            last_entries["seq"] - 1,
        )
        assert result["complete"] is False


@requirement("B28")
async def test_the_exported_log_is_the_whole_chain(team: Team, thread: str) -> None:
    for n in range(3):
        await team.agent.bash(thread, f"git log -{n}")
    reply = await team.admin.http.get("/v1/audit/export")
    assert reply.headers["content-type"] == "application/x-ndjson"
    assert reply.headers["content-disposition"] == 'attachment; filename="audit.jsonl"'
    lines = reply.text.splitlines()
    head = (await audit_page(team.admin))["head"]
    assert verify_chain(lines) == (head["seq"], head["hash"])
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, head["seq"] + 1))
    assert (await team.admin.http.head("/v1/audit/export")).content == b""
