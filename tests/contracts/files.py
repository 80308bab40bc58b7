"""Contracts 30 to 32: files are counted, claimed by answers, and erased."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from askback.domain.lifecycle import Status
from askback.domain.transcript import append_parts
from askback.ports.files import FileClaim, FileRefused, FileShare, StoredFile
from askback.ports.outcome import Outcome
from askback.ports.policy import SideEffects
from askback.ports.store import Store
from tests.contracts.samples import (
    NOON,
    answer,
    claim,
    message,
    message_added,
    message_updated,
    record,
    request_created,
)
from tests.contracts.suite import StoreSuite
from tests.contracts.threads import thread_event

ROOM = 1000


def upload(n: int, *, request: int = 1, person: str = "ada", field: str = "photo") -> StoredFile:
    """Make the n-th file, before its upload."""
    row = record(request)
    return StoredFile(
        row.tenant,
        f"file_{n:026d}",
        row.thread_id,
        row.id,
        field,
        person,
        f"{n}.txt",
        "",
        0,
        "",
        NOON,
        "uploading",
    )


async def upload_file(store: Store, file: StoredFile, *chunks: bytes, most: int = 9) -> StoredFile:
    """Upload a file."""
    await store.begin_file(file, limit=most)
    for number, data in enumerate(chunks):
        await store.add_chunk(file.tenant, file.id, number, data, most_bytes=ROOM, at=NOON)
    return await store.finish_file(file.tenant, file.id, type_="text/plain", sha256="ab")


async def content(store: Store, file: StoredFile, tenant: str = "main") -> bytes:
    """Read the bytes of a file."""
    parts: list[bytes] = []
    while (data := await store.file_chunk(tenant, file.id, len(parts))) is not None:
        parts.append(data)
    return b"".join(parts)


def file_claims(request: int, *files: StoredFile, ends: bool = True) -> SideEffects:
    """Claim files for an answer."""
    return SideEffects(files=(FileClaim("main", record(request).id, tuple(file.id for file in files), ends),))


async def assert_refused(reason: str, *calls: object) -> None:
    """Expect each call to be refused for this reason."""
    for call in calls:
        with pytest.raises(FileRefused) as refusal:
            await call  # type: ignore[misc]  # a coroutine
        assert refusal.value.why == reason


class FileContracts(StoreSuite):
    """Files."""

    async def test_c30_a_file_is_uploaded_in_chunks_and_read_again(self, store: Store) -> None:
        await store.insert(record(1), request_created(record(1)))
        file = upload(1)
        await store.begin_file(file, limit=1)
        await store.add_chunk("main", file.id, 0, b"\0\xff", most_bytes=ROOM, at=NOON)
        assert await store.file("main", file.id) is None
        assert await store.files_of_request("main", file.request_id) == []
        await store.add_chunk("main", file.id, 1, b"end", most_bytes=ROOM, at=NOON)
        ready = await store.finish_file("main", file.id, type_="text/plain", sha256="ab")
        assert ready == replace(file, size=5, type="text/plain", sha256="ab", state="ready")
        assert await store.file("main", file.id) == ready
        assert await store.files_of_request("main", file.request_id) == [ready]
        assert await store.files_of_thread("main", "t1") == []
        assert await content(store, file) == b"\0\xffend"
        assert await store.file("acme", file.id) is None
        assert await store.file("main", "file_\0") is None
        assert await content(store, file, "acme") == b""
        await assert_refused(
            "missing",
            store.add_chunk("main", file.id, 2, b"more", most_bytes=ROOM, at=NOON),
            store.finish_file("main", file.id, type_="text/plain", sha256="ab"),
        )

    async def test_c30_only_a_pending_request_takes_files(self, store: Store) -> None:
        await store.insert(record(1), request_created(record(1)))
        late_stored_file = upload(1)
        await store.begin_file(late_stored_file, limit=9)
        await store.settle(answer(record(1)))
        await assert_refused(
            "closed",
            store.begin_file(upload(2), limit=9),
            store.begin_file(upload(3, request=2), limit=9),
            store.finish_file("main", late_stored_file.id, type_="text/plain", sha256="ab"),
        )

    async def test_c30_files_are_counted_for_a_field_and_a_person_and_bytes_for_the_request(
        self, store: Store
    ) -> None:
        await store.insert(record(1), request_created(record(1)))
        await store.insert(record(2), request_created(record(2)))
        await upload_file(store, upload(1), b"x" * 600, most=1)
        await assert_refused("many", store.begin_file(upload(2), limit=1))
        await upload_file(store, upload(3, person="bob"), most=1)
        await upload_file(store, upload(4, field="scan"), b"x" * 400, most=1)
        await store.begin_file(upload(5, field="more"), limit=1)
        await assert_refused("full", store.add_chunk("main", upload(5).id, 0, b"x", most_bytes=ROOM, at=NOON))
        assert await store.file_chunk("main", upload(5).id, 0) is None
        await upload_file(store, upload(6, request=2), b"x" * 1000)
        assert await store.drop_file("main", upload(1).id)
        assert not await store.drop_file("main", upload(1).id)
        await store.add_chunk("main", upload(5).id, 0, b"x", most_bytes=ROOM, at=NOON)
        await upload_file(store, upload(7), most=1)

    async def test_c30_concurrent_uploads_do_not_exceed_the_limit(self, store: Store) -> None:
        await store.insert(record(1), request_created(record(1)))
        started_run = await asyncio.gather(
            *(store.begin_file(upload(n), limit=3) for n in range(12)), return_exceptions=True
        )
        assert sum(item is None for item in started_run) == 3

    async def test_c31_an_answer_claims_its_files_and_the_end_drops_the_others(self, store: Store) -> None:
        await store.insert(record(1), request_created(record(1)))
        kept_file, remaining_file = [await upload_file(store, upload(n), b"abc") for n in (1, 2)]
        change = await store.settle(answer(record(1)), claim(), file_claims(1, kept_file))
        assert change is not None
        assert change.outcome is Outcome.APPLIED
        assert await store.files_of_thread("main", "t1") == [replace(kept_file, state="claimed")]
        assert await store.files_of_request("main", kept_file.request_id) == [
            replace(kept_file, state="claimed")
        ]
        assert await store.file("main", remaining_file.id) is None
        assert (await content(store, kept_file), await content(store, remaining_file)) == (b"abc", b"")
        assert not await store.drop_file("main", kept_file.id)
        second_settlement = await store.settle(answer(record(1)), claim(), file_claims(1, kept_file))
        assert second_settlement is not None
        assert second_settlement.outcome is Outcome.REPLAYED

    async def test_c31_an_answer_that_is_checked_keeps_the_others(self, store: Store) -> None:
        await store.insert(record(1), request_created(record(1)))
        first_file, second_file = [await upload_file(store, upload(n)) for n in (1, 2)]
        await store.settle(
            answer(record(1), status=Status.RESOLVING), None, file_claims(1, first_file, ends=False)
        )
        stored_files = await store.files_of_request("main", first_file.request_id)
        assert [file.state for file in stored_files] == ["claimed", "ready"]
        await store.settle(answer(record(1)), None, file_claims(1, second_file))
        assert await store.files_of_request("main", first_file.request_id) == [
            replace(second_file, state="claimed")
        ]

    async def test_c31_an_answer_with_a_file_that_is_gone_is_not_stored(self, store: Store) -> None:
        await store.insert(record(1), request_created(record(1)))
        await store.insert(record(2), request_created(record(2)))
        present_file, missing_file = [await upload_file(store, upload(n)) for n in (1, 2)]
        other_file = await upload_file(store, upload(3, request=2))
        await store.drop_file("main", missing_file.id)
        for file in (missing_file, other_file, upload(9)):
            await assert_refused(
                "missing", store.settle(answer(record(1)), claim("k2"), file_claims(1, present_file, file))
            )
        row = await store.get("main", record(1).id)
        assert row is not None
        assert row.status is Status.PENDING
        assert await store.find_claim(claim("k2")) is None
        assert await store.file("main", present_file.id) == present_file
        assert [event.seq for event in await store.thread_events("main", "t1", after=0)] == [1, 2]

    async def test_c30_files_for_messages_are_counted_for_an_agent_and_their_bytes_for_the_thread(
        self, store: Store
    ) -> None:
        def message_file(n: int, person: str = "tok_1", thread: str = "t1") -> StoredFile:
            return replace(upload(n), request_id="", field="", person=person, thread_id=thread)

        await store.insert(record(1), request_created(record(1)))
        await upload_file(store, upload(20), b"x" * 900)
        first_file = await upload_file(store, message_file(1), b"x" * 600, most=1)
        assert (first_file.request_id, first_file.size, first_file.state) == ("", 600, "ready")
        await assert_refused("many", store.begin_file(message_file(2), limit=1))
        await upload_file(store, message_file(3, thread="t2"), b"x" * 1000, most=1)
        await upload_file(store, message_file(4, "tok_2"), b"x" * 400, most=1)
        await store.begin_file(message_file(5), limit=9)
        await assert_refused(
            "full", store.add_chunk("main", message_file(5).id, 0, b"x", most_bytes=ROOM, at=NOON)
        )
        for thread, ids in (("t2", (first_file.id,)), ("t1", (first_file.id, upload(20).id))):
            effects = SideEffects(shares=(FileShare("main", thread, ids),))
            await assert_refused(
                "missing", store.add_message("m0", message(), message_added(message()), None, effects)
            )
        share = SideEffects(shares=(FileShare("main", "t1", (first_file.id,)),))
        await store.add_message("m1", message(), message_added(message()), None, share)
        while await store.purge_files(before_ms=NOON + 1):
            continue
        assert await store.files_of_thread("main", "t1") == [
            replace(first_file, state="claimed", shared=True)
        ]
        assert not await store.drop_file("main", first_file.id)
        assert await content(store, first_file) == b"x" * 600
        other_files = [message_file(4, "tok_2"), message_file(3, thread="t2"), message_file(5)]
        assert [await store.file("main", item.id) for item in other_files] == [None] * 3
        await upload_file(store, message_file(6), b"x" * 400, most=1)
        await store.erase_thread(thread_event("thread.erased"))
        await store.scrub()
        assert [await content(store, item) for item in (first_file, message_file(6))] == [b"", b""]

    async def test_c31_of_answers_in_one_group_only_the_one_without_its_file_fails(
        self, store: Store
    ) -> None:
        for n in range(1, 9):
            await store.insert(record(n), request_created(record(n)))
        file = await upload_file(store, upload(1, request=4))
        reply = await asyncio.gather(
            *(
                store.settle(answer(record(n)), None, file_claims(n, upload(9) if n == 5 else file))
                if n in (4, 5)
                else store.settle(answer(record(n)))
                for n in range(1, 9)
            ),
            return_exceptions=True,
        )
        assert [isinstance(item, FileRefused) for item in reply] == [n == 5 for n in range(1, 9)]

    async def test_c32_a_dropped_secret_is_erased_step_by_step(self, store: Store) -> None:
        await store.insert(record(1), request_created(record(1)))
        file = await upload_file(store, upload(1), *[b"x"] * 40)
        stopped_stored_file = upload(2)
        await store.begin_file(stopped_stored_file, limit=9)
        assert not await store.purge_files(before_ms=NOON)
        await store.drop_file("main", file.id)
        assert await content(store, file) == b""
        steps = 0
        while await store.purge_files(before_ms=NOON):
            steps += 1
        assert steps > 2
        await store.add_chunk("main", stopped_stored_file.id, 0, b"x", most_bytes=ROOM, at=NOON)
        while await store.purge_files(before_ms=NOON + 1):
            continue
        await assert_refused(
            "missing", store.finish_file("main", stopped_stored_file.id, type_="text/plain", sha256="ab")
        )

    async def test_c32_files_that_no_answer_of_an_ended_request_names_are_dropped(self, store: Store) -> None:
        for n in (1, 2):
            await store.insert(record(n), request_created(record(n)))
        remaining_file, open_ = [await upload_file(store, upload(n, request=n)) for n in (1, 2)]
        await store.settle(answer(record(1)))
        while await store.purge_files(before_ms=NOON + 1):
            continue
        assert await store.file("main", remaining_file.id) is None
        assert await store.file("main", open_.id) == open_

    async def test_c32_files_are_erased_with_their_thread(self, store: Store) -> None:
        for n, thread in ((1, "t1"), (2, "t2")):
            row = record(n, thread=thread)
            await store.insert(row, request_created(row))
        file = await upload_file(store, upload(1), b"abc")
        other_file = await upload_file(store, replace(upload(2, request=2), thread_id="t2"), b"def")
        started_stored_file = upload(3)
        await store.begin_file(started_stored_file, limit=9)
        await store.erase_thread(thread_event("thread.erased"))
        await store.scrub()
        assert await store.file("main", file.id) is None
        assert (await content(store, file), await content(store, other_file)) == (b"", b"def")
        await assert_refused(
            "missing", store.add_chunk("main", started_stored_file.id, 0, b"x", most_bytes=ROOM, at=NOON)
        )

    async def test_c31_a_message_shares_the_files_that_it_names(self, store: Store) -> None:
        await store.insert(record(1), request_created(record(1)))
        kept_file, ready, later_file = [await upload_file(store, upload(n)) for n in (1, 2, 3)]
        await store.settle(
            answer(record(1), status=Status.RESOLVING), None, file_claims(1, kept_file, ends=False)
        )
        for thread, ids in (
            ("t1", (kept_file.id, ready.id)),
            ("t2", (kept_file.id,)),
            ("t1", (upload(9).id,)),
        ):
            effects = SideEffects(shares=(FileShare("main", thread, ids),))
            await assert_refused(
                "missing", store.add_message("m0", message(), message_added(message()), None, effects)
            )
        share = SideEffects(shares=(FileShare("main", "t1", (kept_file.id,)),))
        assert await store.add_message("m1", message(), message_added(message()), None, share) == (
            "m1", Outcome.APPLIED,
        )  # fmt: skip
        shared = replace(kept_file, state="claimed", shared=True)
        assert await store.file("main", kept_file.id) == shared
        await store.settle(answer(record(1)), None, file_claims(1, later_file))
        assert await store.files_of_thread("main", "t1") == [shared, replace(later_file, state="claimed")]
        part = {"type": "file", "file": later_file.upload.value}
        missing_side_effects = SideEffects(shares=(FileShare("main", "t1", (ready.id,)),))
        await assert_refused(
            "missing",
            store.change_message(
                "m1", append_parts([part]), message_updated(), missing_side_effects, limit=5_000
            ),
        )
        share = SideEffects(shares=(FileShare("main", "t1", (later_file.id,)),))
        change = await store.change_message("m1", append_parts([part]), message_updated(), share, limit=5_000)
        assert change is Outcome.APPLIED
        assert [file.shared for file in await store.files_of_thread("main", "t1")] == [True, True]
