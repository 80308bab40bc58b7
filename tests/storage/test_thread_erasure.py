"""Contract 25 on the real files: data erased with a thread is in neither the database nor its log."""

import asyncio
import random
import re
from pathlib import Path

import pytest

from askback.domain.record import Record
from askback.ports.store import Store
from askback.storage.sqlite import SqliteStore
from tests.contracts.samples import answer, message, message_added, record, request_created
from tests.contracts.threads import thread_event
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

THREADS = 12


def thread_mark(thread: str) -> str:
    return f"<{thread}!>"


def threads_in(path: Path) -> set[str]:
    """The threads of which anything is in a file of the store."""
    return {
        found.decode()
        for file in path.parent.iterdir()
        for found in re.findall(rb"<(t\d+)!>", file.read_bytes())
    }


async def write_conversations(
    store: Store, numbers: range, threads: list[str], chance: random.Random
) -> None:
    """Ask, answer and write in many threads, texts of all sizes. What is done at once is done in this order."""
    new_request: list[tuple[Record, str]] = []
    for n in numbers:
        thread = chance.choice(threads)
        text = thread_mark(thread) * chance.randrange(1, 400 if chance.random() < 0.3 else 40)
        new_request.append((record(n, thread=thread), text))
    await asyncio.gather(*(store.insert(row, request_created(row)) for row, _ in new_request))
    chance.shuffle(new_request)
    await asyncio.gather(*(store.settle(answer(row, text)) for row, text in new_request))
    messages = [(row, message(text)) for row, text in new_request]
    await asyncio.gather(
        *(
            store.add_message(row.id, text, message_added(text, thread=row.thread_id))
            for row, text in messages
        )
    )


@requirement("H11")
@pytest.mark.parametrize("seed", [22, 29])
async def test_no_database_page_keeps_data_that_moved_to_another(tmp_path: Path, seed: int) -> None:
    # With each of these seeds a part of what was erased stays in the gap of a page, unless the file is rewritten:
    # secure_delete overwrites what is deleted, and not what a page held that was moved to another one before.
    path, chance = tmp_path / "db" / "askback.db", random.Random(seed)  # noqa: S311 - no secrets
    threads = [f"t{n}" for n in range(THREADS)]
    store = SqliteStore(path)
    await store.open()
    for first in (0, 60, 120):
        await write_conversations(store, range(first, first + 60), threads, chance)
        erased = threads.pop(chance.randrange(len(threads)))
        assert erased in threads_in(path)
        assert await store.erase_thread(thread_event("thread.erased", thread=erased))
        await store.scrub()
        assert threads_in(path) <= {*threads}
    assert threads_in(path) == {*threads}
    await store.close()
    assert threads_in(path) == {*threads}
