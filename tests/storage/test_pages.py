"""A page of a list costs what is on the page, however much is in the table: each filter walks an index in its order."""

from __future__ import annotations

import re
import sqlite3
from itertools import product
from pathlib import Path

import pytest

from askback.storage.branches import branches
from askback.storage.postgres import queries as postgres_queries
from askback.storage.sqlite import (
    connection,
    policy_queries,
    queries,
    schema,
    secret_queries,
    webhook_queries,
)
from tests.postgres_server import PostgresServer
from tests.requirements import requirement

SCAN = re.compile("SCAN (?!p )|SEARCH .*TEMP")
"""Of what is scanned, `p` are the people in the access of one thread."""
FLAGS = (False, True)


@pytest.fixture
def database(tmp_path: Path) -> connection.Connection:
    opened = connection.connect(tmp_path / "askback.db")
    schema.upgrade(opened)
    return opened


def plan(database: connection.Connection, sql: str) -> list[str]:
    rows = database.execute(f"EXPLAIN QUERY PLAN {sql}", [None] * sql.count("?")).fetchall()
    return [row[3] for row in rows]


@requirement("N20")
@pytest.mark.parametrize(("requester", "person", "before"), list(product(FLAGS, repeat=3)))
def test_a_branch_of_a_page_walks_its_index_and_sorts_nothing_but_the_page(
    database: sqlite3.Connection, requester: bool, person: bool, before: bool
) -> None:
    sql = queries.list_branches(branches=2, requester=requester, person=person, before=before)
    steps = plan(database, sql)
    index = "requests_requester" if requester else "requests_kind"
    walks = [step for step in steps if index in step]
    assert len(walks) == 2, steps
    assert all(("id<?" in step) == before and "status=?" in step for step in walks), steps
    # What is scanned are the branches, each of which has ended after a page, and the people of one thread's access.
    scanned = [step for step in steps if step.startswith("SCAN") and not step.startswith("SCAN p ")]
    assert all(re.match(r"SCAN (\(subquery|subquery|\d|r?$)", step) for step in scanned), steps


@requirement("N20")
@pytest.mark.parametrize(("person", "before"), list(product(FLAGS, repeat=2)))
def test_a_thread_and_what_is_open_are_listed_in_the_order_of_an_index(
    database: sqlite3.Connection, person: bool, before: bool
) -> None:
    chosen = {"kind": False, "requester": False, "person": person, "before": before}
    everything = plan(database, queries.list_requests(thread=False, statuses=0, only_open=False, **chosen))
    thread = plan(database, queries.list_requests(thread=True, statuses=0, only_open=False, **chosen))
    opened = plan(database, queries.list_requests(thread=False, statuses=2, only_open=True, **chosen))
    for steps, index in (
        (everything, "sqlite_autoindex_requests_1"),
        (thread, "requests_thread"),
        (opened, "requests_open"),
    ):
        assert any(index in step for step in steps), steps
        assert not any(SCAN.match(step) or "TEMP" in step for step in steps), steps


@requirement("N20")
@pytest.mark.parametrize(
    "sql",
    [
        *(
            policy_queries.list_rules(subjects=0, ended=ended, person=person, before=before)
            for ended, person, before in product(FLAGS, repeat=3)
        ),
        *(secret_queries.list_secrets(person=p, before=before) for p, before in product(FLAGS, repeat=2)),
        *(webhook_queries.deliveries(before=before) for before in FLAGS),
        policy_queries.AUDIT,
        webhook_queries.WEBHOOKS,
    ],
)
def test_every_other_list_walks_an_index_in_its_order(database: sqlite3.Connection, sql: str) -> None:
    steps = plan(database, sql)
    assert not any(SCAN.match(step) or "TEMP" in step for step in steps), steps


@requirement("N20")
@pytest.mark.anyio
@pytest.mark.parametrize("person", [None, "ada"])
@pytest.mark.parametrize(("requester", "kind"), [(None, "form"), ("tok_1", None), (None, None)])
async def test_postgres_walks_the_same_indexes(
    postgres: PostgresServer, requester: str | None, kind: str | None, person: str | None
) -> None:
    name = await postgres.new()
    db = await postgres.database(name).connect()
    sql, parameters = postgres_queries.list_requests(
        "default", thread_id=None, statuses=["declined"], only_open=False, kind=kind, requester=requester,
        person=person, before="req_9", limit=50,
    )  # fmt: skip
    # The planner of an empty table would rather read it whole.
    await db.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
    lines = "\n".join(row[0] for row in await db.fetch(f"EXPLAIN {sql}", *parameters))
    await db.close()
    await postgres.drop(name)
    index = "requests_kind" if requester is None else "requests_requester"
    assert lines.count(f"using {index} on requests") == len(branches(kind=kind, statuses=["declined"])), lines
