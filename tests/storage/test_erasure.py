"""Contract 15 on the real files: erased texts are in neither the database nor its log, even with concurrent readers."""

import asyncio
import random
import re
import shutil
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from askback.ports.policy import SideEffects
from askback.ports.secrets import SecretRecord
from askback.storage.sqlite import SqliteStore
from tests.contracts.samples import secret, secret_id
from tests.requirements import requirement


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "db" / "askback.db"


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteStore]:
    store = SqliteStore(path)
    await store.open()
    yield store
    await store.close()


def long_secret(n: int, *, version: int = 1, size: int = 600) -> SecretRecord:
    """A secret whose sealed text is recognizable in any part of a file."""
    mark = f"<{n}.{version}>"
    return replace(secret(n, version=version), sealed=mark * (size // len(mark) + 1))


def sealed_texts_in(path: Path) -> set[str]:
    """The sealed texts of which at least a part is in a file of the store."""
    return {
        mark.decode()
        for file in path.parent.iterdir()
        for mark in re.findall(rb"<\d+\.\d+>", file.read_bytes())
    }


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Another process that reads the current state until the context ends."""
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM secrets").fetchone()
        yield


async def wait_until_erased(mark: str, path: Path) -> None:
    """Wait until no file of the store has a part of a text."""
    with anyio.fail_after(120):
        while mark in sealed_texts_in(path):
            await anyio.sleep(0.01)


OLD, NEW = long_secret(1), long_secret(1, version=2)
ENDS: dict[str, Callable[[SqliteStore], Awaitable[object]]] = {
    "deleted": lambda store: store.drop_secret("main", OLD.id, SideEffects()),
    "replaced": lambda store: store.write(SideEffects(secrets=(NEW,))),
    "rewrapped": lambda store: store.rewrap(OLD.id, sealed=NEW.sealed, instead=OLD.sealed),
}
TRIED_ENDS: dict[str, Callable[[SqliteStore], Awaitable[object]]] = {
    "dropped": lambda store: store.write(SideEffects(discard=("main", "req_1"))),
    "tried again": lambda store: store.write(SideEffects(candidates=(("req_1", NEW),))),
    "placed and deleted": lambda store: asyncio.gather(
        store.write(SideEffects(promote=("main", "req_1"))), store.drop_secret("main", OLD.id, SideEffects())
    ),
    "rewrapped": lambda store: store.rewrap(OLD.id, sealed=NEW.sealed, instead=OLD.sealed),
}


@requirement("E19")
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
async def test_c15_nothing_of_a_secret_that_is_over_is_in_the_files(
    store: SqliteStore, path: Path, end: Callable[[SqliteStore], Awaitable[object]]
) -> None:
    await store.write(SideEffects(secrets=(OLD,)))
    assert "<1.1>" in sealed_texts_in(path)
    await end(store)
    assert "<1.1>" not in sealed_texts_in(path)


@requirement("E19")
@pytest.mark.parametrize("end", TRIED_ENDS.values(), ids=TRIED_ENDS)
async def test_c15_nothing_of_a_candidate_that_is_over_is_in_the_files(
    store: SqliteStore, path: Path, end: Callable[[SqliteStore], Awaitable[object]]
) -> None:
    await store.write(SideEffects(candidates=(("req_1", OLD),)))
    assert "<1.1>" in sealed_texts_in(path)
    await end(store)
    assert "<1.1>" not in sealed_texts_in(path)


@requirement("E19")
@pytest.mark.parametrize("seed", [12, 17, 19])
async def test_c15_the_files_contain_only_secrets_that_were_not_erased(
    store: SqliteStore, path: Path, seed: int
) -> None:
    # Each of these seeds splits and joins pages so that, without the room in a row, a part of an erased text would stay
    # in the gap of a page.
    chance = random.Random(seed)
    revisions: dict[int, int] = {}
    for _ in range(12):
        calls: list[Awaitable[object]] = []
        for n in chance.sample(range(120), 40):
            size, version = chance.randint(150, 700), revisions.get(n, 0) + 1
            if version > 1 and chance.random() < 0.5:
                del revisions[n]
                calls.append(store.drop_secret("main", secret_id(n), SideEffects()))
            else:
                revisions[n] = version
                calls.append(store.write(SideEffects(secrets=(long_secret(n, version=version, size=size),))))
        await asyncio.gather(*calls)
        assert sealed_texts_in(path) == {f"<{n}.{version}>" for n, version in revisions.items()}


@requirement("E19")
@pytest.mark.parametrize("size", [20, 4_000, 9_000, 20_000])
async def test_c15_a_text_of_any_size_is_erased_completely(store: SqliteStore, path: Path, size: int) -> None:
    for n in range(3):
        await store.write(SideEffects(secrets=(long_secret(n, size=size),)))
    for n in (1, 2, 0):
        assert await store.drop_secret("main", secret_id(n), SideEffects())
        assert f"<{n}.1>" not in sealed_texts_in(path)


@requirement("E19")
async def test_c15_erased_text_held_by_a_reader_is_gone_after_the_read(
    store: SqliteStore, path: Path
) -> None:
    await store.write(SideEffects(secrets=(OLD,)))
    with reading(path), anyio.fail_after(3):
        assert await store.drop_secret("main", OLD.id, SideEffects())
        assert await store.secret("main", OLD.id) is None
        await store.write(SideEffects(secrets=(long_secret(2),)))
        assert "<1.1>" in sealed_texts_in(path)
    await wait_until_erased("<1.1>", path)
    assert await store.secrets("main") == [long_secret(2)]


@requirement("E19")
async def test_c15_erased_text_left_in_the_log_by_a_crash_is_gone_after_the_next_start(
    store: SqliteStore, path: Path, tmp_path: Path
) -> None:
    await store.write(SideEffects(secrets=(OLD,)))
    left = tmp_path / "left" / path.name
    with reading(path):
        await store.drop_secret("main", OLD.id, SideEffects())
        left.parent.mkdir()
        for end in ("", "-wal"):  # the files on the disk if the process dies now
            shutil.copy(f"{path}{end}", f"{left}{end}")
    assert "<1.1>" in sealed_texts_in(left)
    second_sqlite_store = SqliteStore(left)
    await second_sqlite_store.open()
    await wait_until_erased("<1.1>", left)
    assert await second_sqlite_store.secrets("main") == []
    await second_sqlite_store.close()
