"""Lookups of single rows share queries, and each caller gets its own row."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import anyio
import pytest

from askback.errors import Unavailable
from askback.storage.postgres.batch_loader import MAX_BATCH, TURNS, BatchLoader, Key

pytestmark = pytest.mark.anyio


class Rows:
    """A table that holds its replies until they are released."""

    def __init__(self, *, free: bool = True) -> None:
        self.loaded_keys: list[Sequence[Key]] = []
        self.go = anyio.Event()
        self.fails = False
        if free:
            self.go.set()

    async def ask(self, keys: Sequence[Key]) -> Mapping[Key, str]:
        self.loaded_keys.append(keys)
        await self.go.wait()
        if self.fails:
            raise Unavailable("not now", retry_after=1)
        return {key: f"{key[-1]}!" for key in keys if key[-1] != "none"}


async def test_a_lookup_returns_the_value_of_its_key() -> None:
    rows = Rows()
    batch_loader = BatchLoader(rows.ask)
    assert [
        await batch_loader("main", "a"),
        await batch_loader("main", "none"),
        await batch_loader("main", "b"),
    ] == [
        "a!",
        None,
        "b!",
    ]
    assert len(rows.loaded_keys) == 3


async def test_lookups_during_a_query_share_the_next_one() -> None:
    rows = Rows(free=False)
    batch_loader = BatchLoader(rows.ask)
    calls = [asyncio.ensure_future(batch_loader("main", f"{n % 300}")) for n in range(2 * MAX_BATCH)]
    while not rows.loaded_keys:
        await asyncio.sleep(0)
    rows.go.set()
    assert await asyncio.gather(*calls) == [f"{n % 300}!" for n in range(2 * MAX_BATCH)]
    assert len(rows.loaded_keys) <= 3
    assert all(len(set(keys)) == len(keys) <= MAX_BATCH for keys in rows.loaded_keys)


async def test_lookups_soon_after_a_query_for_two_share_the_next_one() -> None:
    rows = Rows()
    look = BatchLoader(rows.ask)
    await asyncio.gather(*(look("main", f"{n}") for n in range(2)))
    first = asyncio.ensure_future(look("main", "a"))
    for _ in range(TURNS // 2):
        await asyncio.sleep(0)
    assert [await look("main", "b"), await first] == ["b!", "a!"]
    assert rows.loaded_keys[1:] == [[("main", "a"), ("main", "b")]]


async def test_a_lookup_after_a_query_for_one_does_not_wait() -> None:
    rows = Rows()
    look = BatchLoader(rows.ask)
    await look("main", "a")
    second = asyncio.ensure_future(look("main", "b"))
    for _ in range(TURNS // 2):
        await asyncio.sleep(0)
    assert second.done()


async def test_each_caller_of_a_failed_query_gets_the_error_and_the_next_query_works() -> None:
    rows = Rows()
    rows.fails = True
    batch_loader = BatchLoader(rows.ask)
    results = await asyncio.gather(*(batch_loader("main", f"{n}") for n in range(5)), return_exceptions=True)
    assert [type(error) for error in results] == [Unavailable] * 5
    assert len({id(error) for error in results}) == 5
    rows.fails = False
    assert await batch_loader("main", "a") == "a!"


async def test_a_cancelled_caller_does_not_cancel_the_others() -> None:
    rows = Rows(free=False)
    batch_loader = BatchLoader(rows.ask)
    calls = [asyncio.ensure_future(batch_loader("main", f"{n}")) for n in range(6)]
    await asyncio.sleep(0)
    for call in calls[::2]:
        call.cancel()
    rows.go.set()
    reply = await asyncio.gather(*calls, return_exceptions=True)
    assert reply[1::2] == ["1!", "3!", "5!"]


async def test_a_key_that_no_text_can_be_spoils_no_query() -> None:
    rows = Rows()
    batch_loader = BatchLoader(rows.ask)
    assert await asyncio.gather(
        batch_loader("main", "a"), batch_loader("main", "\0"), batch_loader("\0", "b")
    ) == ["a!", None, None]
    assert rows.loaded_keys == [[("main", "a")]]
