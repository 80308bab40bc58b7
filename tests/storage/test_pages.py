"""The cost of a page of a list does not depend on the size of the table: each filter walks an index in its order."""

from __future__ import annotations

import re
import sqlite3
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from askback.domain.record import Labels
from askback.storage.sql import audit, conversations, health, inbox, rules, runs, secrets, webhooks
from askback.storage.sql.conditions import branches
from askback.storage.sql.requests import page_of_requests
from askback.storage.sql.thread_lists import page_of_threads
from askback.storage.sqlite import connection, schema
from askback.storage.sqlite.dialect import rewrite
from tests.postgres_server import PostgresServer
from tests.requirements import requirement

SCAN = re.compile("SCAN (?!p )|SEARCH .*TEMP")
"""Of what is scanned, `p` are the people in the access of one thread."""


@pytest.fixture
def database(tmp_path: Path) -> connection.Connection:
    opened_items = connection.connect(tmp_path / "askback.db")
    schema.upgrade(opened_items)
    return opened_items


def query_plan(database: connection.Connection, sql: str, *parameters: object) -> list[str]:
    """The steps of a query, whatever its parameters."""
    given = parameters or [None] * max(map(int, re.findall(r"\$(\d+)", sql)), default=0)
    return [row[3] for row in database.execute(f"EXPLAIN QUERY PLAN {rewrite(sql)}", given).fetchall()]


def page(**filters: Any) -> Any:
    """The query of a page of requests with some filters, and its parameters."""
    none: dict[str, Any] = dict.fromkeys(("thread_id", "statuses", "kind", "requester", "person", "before"))
    return page_of_requests("main", **(none | filters), limit=9)


@requirement("N20")
@pytest.mark.parametrize(
    ("requester", "person", "before"), list(product((None, "tok_1"), (None, "ada"), (None, "req_9")))
)
def test_a_branch_of_a_page_walks_its_index_and_sorts_nothing_but_the_page(
    database: sqlite3.Connection, requester: str | None, person: str | None, before: str | None
) -> None:
    statuses = ["pending", "resolving"]
    steps = query_plan(
        database, *page(kind="form", statuses=statuses, requester=requester, person=person, before=before)
    )
    index = f"INDEX requests_open_{'requester' if requester else 'kind'} ("
    walks = [step for step in steps if index in step]
    assert len(walks) == 2, steps
    assert all(("id<?" in step) == bool(before) and "status=?" in step for step in walks), steps
    # What is scanned are the branches, each of which has ended after a page, and the people of one thread's access.
    scanned = [step for step in steps if step.startswith("SCAN") and not step.startswith("SCAN p ")]
    assert all(re.match(r"SCAN (\(subquery|subquery|branch|page|\d|r?$)", step) for step in scanned), steps


@requirement("N20")
@pytest.mark.parametrize(("person", "before"), list(product((None, "ada"), (None, "req_9"))))
def test_all_requests_and_those_of_a_thread_are_listed_in_the_order_of_an_index(
    database: sqlite3.Connection, person: str | None, before: str | None
) -> None:
    for query, index in (
        (page(person=person, before=before), "sqlite_autoindex_requests_1"),
        (page(person=person, before=before, thread_id="t1"), "requests_thread"),
    ):
        steps = query_plan(database, *query)
        assert any(index in step for step in steps), steps
        assert not any(SCAN.match(step) or "TEMP" in step for step in steps), steps


@requirement("N20")
@pytest.mark.parametrize(
    ("label", "thread_id", "before"),
    list(product(("run_id", "tool_call_id", "external_id"), (None, "t1"), (None, "req_9"))),
)
def test_requests_of_a_label_are_found_by_its_index(
    database: sqlite3.Connection, label: str, thread_id: str | None, before: str | None
) -> None:
    filters = {"thread_id": thread_id, "requester": "tok_1", "person": "ada", "before": before}
    steps = query_plan(database, *page(labels=Labels(**{label: "x"}), after="req_1", **filters))
    index = f"requests_{label}_thread" if thread_id else f"requests_{label}"
    assert any(f"{index} (" in step for step in steps), steps
    assert not any(SCAN.match(step) for step in steps), steps
    # One row for each agent of the thread is sorted.
    assert label == "external_id" or not any("TEMP" in step for step in steps), steps


@requirement("N20")
@pytest.mark.parametrize(("readers", "person"), list(product([("",), ("agt_1", "user:ada")], (None, "ada"))))
@pytest.mark.parametrize("words", [None, ("shoe",), ("shoes", "red")])
@pytest.mark.parametrize("before", [None, 9])
def test_a_page_of_threads_walks_lists_in_their_order(
    database: sqlite3.Connection,
    readers: tuple[str, ...],
    person: str | None,
    words: tuple[str, ...] | None,
    before: int | None,
) -> None:
    sql, *parameters = page_of_threads(
        "main",
        readers=readers,
        archived=False,
        named=None if words is None else "red shoes",
        words=words or (),
        person=person,
        before=before,
        limit=9,
    )
    steps = query_plan(database, sql, *parameters)
    walks = [step for step in steps if "SEARCH l USING PRIMARY KEY" in step]
    assert len(walks) == len(readers) * (1 if words is None else 2), steps
    by_words = [step for step in walks if "(tenant=? AND word=?" in step]
    assert len(by_words) == (len(readers) if words else 0), steps
    assert all(("thread<?" in step) == (before is not None) for step in by_words), steps
    # What is scanned are the branches, each of which has ended after a page, and the people of one thread's access.
    scanned = [step for step in steps if step.startswith("SCAN") and not step.startswith("SCAN p ")]
    assert all(re.match(r"SCAN (\(subquery|subquery|branch|page|\d)", step) for step in scanned), steps


@requirement("N20")
@pytest.mark.parametrize("agent", [None, "agt_1"])
@pytest.mark.parametrize("running", [False, True])
@pytest.mark.parametrize("before", [None, 9])
def test_a_page_of_runs_walks_an_index_in_its_order(
    database: sqlite3.Connection, agent: str | None, *, running: bool, before: int | None
) -> None:
    query = runs.page_of_runs("main", "t1", agent=agent, running=running, before=before, limit=9)
    steps = query_plan(database, *query)
    index = "runs_open" if running else "runs_agent" if agent else "runs_thread"
    assert any(f"{index} (" in step for step in steps), steps
    assert not any(SCAN.match(step) or "TEMP" in step for step in steps), steps


FILTERS = {
    "requests_settled_thread": {"thread_id": "t1"},
    "requests_settled_requester": {"requester": "agt_1"},
    "requests_settled_person": {"person": "ada"},
    "requests_settled": {},
}


SETTLED = """
INSERT INTO threads (tenant, id, seq) SELECT 'main', 't' || n, 1 FROM generate_series(1, 99) AS n;
INSERT INTO requests (tenant, id, thread, kind, requester, status, revision, created_at, created_seq, state, spec,
                      hides_names, settled_at, person, outcome)
SELECT t.tenant, 'req_' || n, t.key, 'form', 'agt_' || n % 99, 'answered', 1, n, 1, '{}', '{}', FALSE,
    (2000 + n)::text, 'user_' || n % 99, 'answered'
FROM generate_series(1, 999) AS n JOIN threads AS t ON t.id = 't' || (n % 99 + 1);
ANALYZE threads, requests"""
"""Requests of many threads, agents and people: the planner of an empty table takes any index."""


def history(**filters: Any) -> Any:
    """The query of a page of the history with some filters, and its parameters."""
    names = ("thread_id", "requester", "person", "since", "until", "before")
    return inbox.page_of_history("main", **{**dict.fromkeys(names), **filters}, limit=9)


@requirement("K14", "N20")
@pytest.mark.parametrize("index", FILTERS)
@pytest.mark.parametrize("before", [None, ("2026", "req_9")])
@pytest.mark.parametrize("time", [{}, {"since": "2025", "until": "2027"}])
def test_each_filter_of_the_history_walks_an_index_in_the_order_of_the_page(
    database: sqlite3.Connection, index: str, before: Any, time: dict[str, str]
) -> None:
    steps = query_plan(database, *history(**FILTERS[index], **time, before=before))
    assert any(step.startswith(f"SEARCH r USING INDEX {index} ") for step in steps), steps
    assert not any(SCAN.match(step) or "TEMP" in step for step in steps), steps


@requirement("K14", "N20")
@pytest.mark.anyio
@pytest.mark.parametrize("index", FILTERS)
async def test_postgres_walks_the_same_indexes_of_the_history(postgres: PostgresServer, index: str) -> None:
    name = await postgres.new()
    db = await postgres.database(name).connect()
    sql, *parameters = history(**FILTERS[index], before=("2026", "req_9"))
    await db.execute(SETTLED)
    await db.execute("SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off")
    lines = "\n".join(row[0] for row in await db.fetch(f"EXPLAIN {sql}", *parameters))
    await db.close()
    await postgres.drop(name)
    assert f"using {index} on requests" in lines, lines
    assert "Sort" not in lines, lines


@requirement("K13", "N20")
@pytest.mark.parametrize(("viewer", "before"), list(product((None, "ada"), (None, ("2026", "req_9")))))
def test_a_page_of_missed_requests_uses_the_index_of_expired_ones(
    database: sqlite3.Connection, viewer: str | None, before: Any
) -> None:
    query = inbox.page_of_missed("main", "ada", since="2025", viewer=viewer, before=before, limit=9)
    steps = query_plan(database, *query)
    assert any("requests_expired (" in step for step in steps), steps
    assert not any(SCAN.match(step) or "TEMP" in step for step in steps), steps


@requirement("N20")
@pytest.mark.parametrize(("person", "before"), list(product((None, "ada"), (None, 9))))
def test_a_page_of_conversations_uses_the_index_by_activity(
    database: sqlite3.Connection, person: str | None, before: int | None
) -> None:
    steps = query_plan(database, *conversations.page_of_active("main", person=person, before=before, limit=9))
    assert any("thread_activity_tenant" in step for step in steps), steps
    assert not any(SCAN.match(step) or "TEMP" in step for step in steps), steps


@requirement("N20")
def test_the_newest_messages_of_a_thread_are_found_without_reading_the_others(
    database: sqlite3.Connection,
) -> None:
    steps = query_plan(database, conversations.LATEST_MESSAGES, "main", "[]", 9)
    assert any(
        re.search(r"SEARCH m USING INDEX messages_seq \(thread=\? AND seq>\?\)", step) for step in steps
    ), steps


@requirement("N20")
def test_the_metrics_count_open_requests_without_reading_them(database: sqlite3.Connection) -> None:
    steps = query_plan(database, health.OPEN_BY_KIND)
    assert any(step.startswith("SCAN requests USING COVERING INDEX requests_open_") for step in steps), steps


LISTS = [
    inbox.REMINDERS,
    inbox.COMMENTS,
    *(
        rules.page_of_rules("main", subjects=[], now_ms=now, person=person, before=before, limit=9)[0]
        for now, person, before in product((None, 1), (None, "ada"), (None, "rul_9"))
    ),
    *(
        secrets.page_of_secrets("main", person=person, before=before, limit=9)[0]
        for person, before in product((None, "ada"), (None, "sec_9"))
    ),
    *(webhooks.deliveries_page("main", "whk_1", before=before, limit=9)[0] for before in (None, "dlv_9")),
    audit.AUDIT,
    webhooks.WEBHOOKS,
    runs.SILENT_RUNS,
    runs.RUN,
    runs.LAST_REQUEST,
]


@requirement("N20")
@pytest.mark.parametrize("sql", LISTS)
def test_every_other_list_walks_an_index_in_its_order(database: sqlite3.Connection, sql: str) -> None:
    steps = query_plan(database, sql)
    assert not any(SCAN.match(step) or "TEMP" in step for step in steps), steps


@requirement("N20")
@pytest.mark.anyio
@pytest.mark.parametrize("person", [None, "ada"])
@pytest.mark.parametrize(("requester", "kind"), [(None, "form"), ("tok_1", None), (None, None)])
@pytest.mark.parametrize(("status", "open_or_not"), [("pending", "open_"), ("declined", "")])
async def test_postgres_walks_the_same_indexes(
    postgres: PostgresServer,
    requester: str | None,
    kind: str | None,
    person: str | None,
    status: str,
    open_or_not: str,
) -> None:
    name = await postgres.new()
    db = await postgres.database(name).connect()
    sql, *parameters = page(statuses=[status], kind=kind, requester=requester, person=person, before="req_9")
    # For an empty table the planner would prefer to scan it.
    await db.execute("SET enable_seqscan = off; SET enable_bitmapscan = off")
    lines = "\n".join(row[0] for row in await db.fetch(f"EXPLAIN {sql}", *parameters))
    await db.close()
    await postgres.drop(name)
    index = f"requests_{open_or_not}{'kind' if requester is None else 'requester'}"
    assert lines.count(f"using {index} on requests") == len(branches(kind=kind, statuses=[status])), lines
