"""Approvals with a quorum: no concurrent vote is lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from askback.delivery.in_process_bus import InProcessBus
from askback.errors import Conflict
from askback.ports.store import Principal
from askback.server.system import SystemClock, SystemIds
from askback.service.context import Services
from askback.service.lifecycle import read
from askback.service.requests import answer, create
from askback.storage.sqlite.store import SqliteStore
from askback.vault.envelope import LockedVault
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

AGENT = Principal("tok_agent", "t", "requester", "agent")
YES = {"revision": 1, "decision": "approve"}


@pytest.fixture
async def ctx(tmp_path: Path) -> AsyncIterator[Services]:
    """Services on a store that suspends between reading and writing, like real ones."""
    bus = InProcessBus()
    store = SqliteStore(tmp_path / "votes.db", on_commit=bus.publish)
    await store.open()
    yield Services(store, bus, SystemClock(), SystemIds(), LockedVault())
    await store.close()


async def create_proposal(ctx: Services, *, quorum: int) -> str:
    approval = {"tool": "deploy", "input": {"to": "production"}, "quorum": quorum}
    body = {"kind": "approval", "thread_id": "t1", "approval": approval}
    return (await create.create_request(ctx, AGENT, body)).record.id


def person(n: int) -> Principal:
    return Principal(f"usr_{n}", "t", "responder", f"person {n}")


@requirement("K6")
async def test_ten_concurrent_votes_are_all_counted(ctx: Services) -> None:
    request = await create_proposal(ctx, quorum=10)
    await asyncio.gather(*(answer.answer_request(ctx, person(n), request, YES) for n in range(10)))
    record = await read.get_request(ctx, person(1), request)
    assert record.status == "answered"
    votes = record.state.members.get("votes", ())
    assert sorted(vote["by"]["name"] for vote in votes) == [f"person {n}" for n in range(10)]


@requirement("K6")
async def test_a_late_vote_gets_an_error(ctx: Services) -> None:
    request = await create_proposal(ctx, quorum=2)
    results = await asyncio.gather(
        *(answer.answer_request(ctx, person(n), request, YES) for n in range(5)), return_exceptions=True
    )
    conflicts = [result for result in results if isinstance(result, Conflict)]
    assert len(conflicts) == 3
    assert {r.code for r in conflicts} == {"already_settled"}


@requirement("K6")
async def test_one_person_with_two_sessions_has_one_vote(ctx: Services) -> None:
    request = await create_proposal(ctx, quorum=2)
    await answer.answer_request(ctx, person(1), request, YES)
    second_principal = Principal("usr_other_session", "t", "responder", "person 1")
    with pytest.raises(Conflict) as exc_info:
        await answer.answer_request(ctx, second_principal, request, YES)
    assert exc_info.value.code == "already_voted"
