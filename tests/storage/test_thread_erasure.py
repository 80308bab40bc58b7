"""Contract 25 on the real files: what was erased with a thread is in neither the database nor its log."""

import random
import re
from pathlib import Path

import pytest

from askback.ports.store import Store
from askback.storage.sqlite import SqliteStore
from askback.testing.store_samples import added, answer, created, message, record
from askback.testing.store_threads import happened
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

THREADS = 12


def mark(thread: str) -> str:
    return f"<{thread}!>"


def marks(path: Path) -> set[str]:
    """The threads of which anything is in a file of the store."""
    return {
        found.decode()
        for file in path.parent.iterdir()
        for found in re.findall(rb"<(t\d+)!>", file.read_bytes())
    }


async def talk(store: Store, numbers: range, sizes: random.Random) -> None:
    """Ask, answer and write in many threads at once, texts of all sizes."""
    for n in numbers:
        thread = f"t{n % THREADS}"
        row, text = record(n, thread=thread), mark(thread) * sizes.randrange(1, 40)
        await store.insert(row, created(row))
        await store.settle(answer(row, text))
        said = message(text)
        await store.add_message(f"m{n}", said, added(said, thread=thread))


@requirement("H11")
async def test_no_page_keeps_what_it_gave_to_another(tmp_path: Path) -> None:
    path, sizes = tmp_path / "db" / "askback.db", random.Random(3)  # noqa: S311 - sizes, no secrets
    store = SqliteStore(path)
    await store.open()
    await talk(store, range(120), sizes)
    erased = {f"t{n}" for n in (3, 7)}
    for thread in sorted(erased):
        assert await store.erase_thread(happened("thread.erased", thread=thread))
    await store.scrub()
    assert marks(path) == {f"t{n}" for n in range(THREADS)} - erased
    await store.close()
    assert not marks(path) & erased
