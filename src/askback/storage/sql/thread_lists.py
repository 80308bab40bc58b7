"""Titles and metadata of threads, and lists of threads."""

# ruff: noqa: S608  (no value is ever put into a text)

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from askback.domain.events import EventDraft
from askback.domain.titles import word_beginnings
from askback.ports.outcome import Outcome
from askback.ports.threads import ThreadChanges, ThreadDetails
from askback.storage import rows
from askback.storage.sql.conditions import Conditions, may_view
from askback.storage.sql.requests import OPEN
from askback.storage.sql.transaction import Area, NoChange, Transaction

_OPEN = f"SELECT count(*) FROM requests AS r WHERE {OPEN} AND r.thread = t.key"
_LAST = "SELECT e.at FROM events AS e WHERE e.thread = t.key AND e.seq = t.seq"
# In the order of the fields of `ThreadDetails`, the access as its two texts.
DETAIL_COLUMNS = f"""
t.key, t.id, t.title, t.metadata, t.answers_as_messages, t.archived_at, ({_LAST}), ({_OPEN}), t.access, t.agents"""
_THREADS = f"SELECT {DETAIL_COLUMNS} FROM threads AS t"
THREAD_DETAILS = f"{_THREADS} WHERE t.tenant = $1 AND t.id = $2"
# By the key of the thread.
DETAILS = "SELECT title, metadata, answers_as_messages FROM threads WHERE key = $1"
SET_DETAILS = "UPDATE threads SET title = $2, metadata = $3, answers_as_messages = $4 WHERE key = $1"
DROP_WORDS = "DELETE FROM thread_words WHERE thread = $1"
ADD_WORDS = """
INSERT INTO thread_words (tenant, word, thread) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])"""


def page_of_threads(
    tenant: str,
    *,
    readers: Sequence[str],
    archived: bool,
    named: str | None,
    words: Sequence[str],
    person: str | None,
    before: int | None,
    limit: int,
) -> Sequence[Any]:
    """Return the query of one page of threads, and its parameters.

    A branch walks the list of one reader, or the titles with the first word, in the order of the page.
    """
    conditions = Conditions()
    tenant_parameter = conditions.parameter(tenant)
    maximum, state = conditions.parameter(limit), f"{archived}".upper()
    list_queries = [
        f"l.tenant = {tenant_parameter} AND l.reader = {conditions.parameter(reader)} AND l.archived = {state}"
        for reader in readers
    ]
    cursor_conditions = [f"l.thread < {conditions.parameter(before)}"] if before is not None else []
    if person is not None:
        cursor_conditions.append(may_view(conditions.parameter(person)))
    if named is None:
        sources = [("thread_lists AS l", query) for query in list_queries]
    else:
        sources = [
            _titles(tenant_parameter, query, [conditions.parameter(word) for word in words])
            for query in list_queries
            if words
        ]
        name = conditions.parameter(named)
        sources += [
            ("thread_lists AS l", f"{query} AND t.tenant = {tenant_parameter} AND t.id = {name}")
            for query in list_queries
        ]
    parts = [
        f"SELECT thread FROM (SELECT l.thread FROM {source} JOIN threads AS t ON t.key = l.thread "
        f"WHERE {' AND '.join((condition, *cursor_conditions))} ORDER BY l.thread DESC LIMIT {maximum}) AS branch"
        for source, condition in sources
    ]
    page = f"SELECT thread FROM ({' UNION '.join(parts)}) AS page ORDER BY thread DESC LIMIT {maximum}"
    return f"{_THREADS} WHERE t.key IN ({page}) ORDER BY t.key DESC", *conditions.parameters


def _titles(tenant: str, condition: str, words: Sequence[str]) -> tuple[str, str]:
    """Return the source and the condition of the threads whose titles have all words: `l` is the first of them."""
    first_word, *other_words = words
    word_conditions = [_exists("thread_lists", condition)]
    word_conditions += [
        _exists("thread_words", f"l.tenant = {tenant} AND l.word = {word}") for word in other_words
    ]
    return (
        "thread_words AS l",
        f"l.tenant = {tenant} AND l.word = {first_word} AND {' AND '.join(word_conditions)}",
    )


def _exists(table: str, condition: str) -> str:
    """Return the condition that a table has a row of the thread as well."""
    return (
        f"EXISTS (SELECT 1 FROM {table} AS o WHERE {condition.replace('l.', 'o.')} AND o.thread = l.thread)"
    )


class ThreadListArea(Area):
    """See `askback.ports.threads` for what each method promises."""

    async def list_threads(
        self,
        tenant: str,
        *,
        readers: Sequence[str] = ("",),
        archived: bool = False,
        named: str | None = None,
        words: Sequence[str] = (),
        person: str | None = None,
        before: int | None = None,
        limit: int = 50,
    ) -> Sequence[ThreadDetails]:
        """Read a page of threads."""
        query = page_of_threads(
            tenant,
            readers=readers,
            archived=archived,
            named=named,
            words=words,
            person=person,
            before=before,
            limit=limit,
        )
        return [rows.thread_details(row) for row in await self._db.page(*query)]

    async def thread_details(self, tenant: str, thread_id: str) -> ThreadDetails | None:
        """Read a thread as lists show it."""
        row = await self._db.row(THREAD_DETAILS, tenant, thread_id)
        return None if row is None else rows.thread_details(row)

    async def update_thread(self, event: EventDraft, details: ThreadChanges) -> Outcome:
        """Change the title, the metadata or the settings of a thread."""

        async def update(tx: Transaction, thread: int) -> tuple[Outcome, str]:
            row = await tx.one(DETAILS, thread)
            assert row is not None
            old_details = (row[0], row[1], bool(row[2]))
            title, metadata, as_messages = new_details = (
                details.get("title", old_details[0]),
                details.get("metadata", old_details[1]),
                details.get("answers_as_messages", old_details[2]),
            )
            if new_details == old_details:
                raise NoChange(Outcome.REPLAYED)
            await tx.run(SET_DETAILS, thread, title, metadata, as_messages)
            if title != old_details[0]:
                await tx.run(DROP_WORDS, thread)
                words = [] if title is None else sorted(word_beginnings(title))
                await tx.many(ADD_WORDS, [(event.tenant, word, thread) for word in words])
            setting = ',"answers_as_messages":true' if as_messages else ""
            return (
                Outcome.APPLIED,
                f'{{"title":{json.dumps(title)},"metadata":{metadata or "null"}{setting}}}',
            )

        return await self._db.change_thread(event, update)
