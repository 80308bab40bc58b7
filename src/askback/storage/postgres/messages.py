"""The messages of a group: new ones, and texts that are appended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from askback.ports.store import IdTaken, MessageFull, MessageMissing
from askback.ports.threads import ThreadArchived
from askback.storage.postgres import queries
from askback.storage.postgres.connection import Connection
from askback.storage.postgres.jobs import AddMessage, AppendText, Job, of_kind


async def extend(db: Connection, jobs: Sequence[Job]) -> None:
    """Lock the messages of texts, each another one; texts for which there is no room have their errors."""
    texts = of_kind(jobs, AppendText)
    if not texts:
        return
    where = [(text.draft.tenant, text.draft.thread_id, text.target, text.draft.owner) for _, text in texts]
    columns = tuple(zip(*where, strict=True))
    found = await db.fetch(queries.EXTEND, *columns, [text.room for _, text in texts])
    keys = {tuple(row[:3]): row[3] for row in found}
    refused = [job for (job, _), name in zip(texts, where, strict=True) if name[:3] not in keys]
    there = await _there(db, columns) if refused else dict[Any, bool]()
    for (job, text), name in zip(texts, where, strict=True):
        job.found = keys.get(name[:3])
        if job.found is None:
            job.error = _refusal(text, archived=there.get(name[:3]))


async def _there(db: Connection, names: Sequence[Sequence[str]]) -> Mapping[Any, bool]:
    """Return those that are there, and whether their threads are archived."""
    return {tuple(row[:3]): row[3] for row in await db.fetch(queries.MESSAGES_THERE, *names)}


def _refusal(text: AppendText, *, archived: bool | None) -> Exception:
    if archived is None:
        return MessageMissing(text.target)
    return ThreadArchived(text.draft.thread_id) if archived else MessageFull(text.target)


async def add(db: Connection, jobs: Sequence[Job]) -> None:
    """Store new messages, whose threads are known; raises `IdTaken`."""
    messages = of_kind(jobs, AddMessage)
    if not messages:
        return
    new = [
        (job.place.thread, message.target, message.draft.owner, job.place.seq, message.data, message.held)
        for job, message in messages
        if job.place is not None
    ]
    stored = {tuple(row) for row in await db.fetch(queries.ADD_MESSAGES, *zip(*new, strict=True))}
    taken = [row[1] for row in new if row[:2] not in stored]
    if taken:
        raise IdTaken(taken[0])


async def add_deltas(db: Connection, jobs: Sequence[Job]) -> None:
    """Store the texts for which there is room, and count their bytes."""
    deltas = [
        (job.found, job.place.seq, text.text)
        for job, text in of_kind(jobs, AppendText)
        if job.place is not None
    ]
    if deltas:
        await db.execute(queries.ADD_DELTAS, *zip(*deltas, strict=True))
