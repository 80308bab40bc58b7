"""The cache of recent requests, and the buffer of the times at which tokens were used."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from askback.domain.fields import Form, Text
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.service.local_state.store_cache import MAX_SPEC, RecentRequests, TokenUsage
from tests.contracts.samples import NOON, record, token
from tests.temporary_store import TemporaryStore

SHORT = Form(fields=[Text(id="a", label="A", max_length=3)])


def asking(n: int, form: Form) -> Record:
    return replace(record(n), spec=Spec(json.dumps({"form": form.model_dump(exclude_none=True)})))


def test_only_the_newest_are_kept() -> None:
    recent = RecentRequests(size=1)
    first_record, second_record = asking(1, SHORT), asking(2, SHORT)
    recent.add(first_record)
    assert recent.get(first_record.tenant, first_record.id) is first_record
    recent.add(second_record)
    assert recent.get(first_record.tenant, first_record.id) is None
    assert recent.get(second_record.tenant, second_record.id) is second_record


def test_a_large_form_is_never_kept() -> None:
    recent = RecentRequests()
    large = asking(1, Form(title="x" * MAX_SPEC, fields=[Text(id="a", label="A")]))
    recent.add(large)
    assert recent.get(large.tenant, large.id) is None


class FailingStore(TemporaryStore):
    """A store that fails once at writing when tokens were used."""

    failure: Exception | None = OSError("the disk is full")

    async def touch_tokens(self, times: Mapping[tuple[str, str], int]) -> None:
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure
        await super().touch_tokens(times)


@pytest.mark.anyio
async def test_the_times_of_tokens_are_written_with_the_next_flush_after_any_error() -> None:
    usage, store = TokenUsage(), FailingStore()
    await store.open()
    try:
        await store.put_token("digest", token())
        usage.record(token().principal, NOON)
        with pytest.raises(OSError, match="full"):
            await usage.flush(store)
        await usage.flush(store)
        [found] = await store.tokens("main")
        assert found.last_used_at == NOON
    finally:
        await store.close()


def test_a_cached_request_is_absent_for_another_tenant() -> None:
    recent, own_record = RecentRequests(), asking(1, SHORT)
    recent.add(own_record)
    assert recent.get("another", own_record.id) is None
    recent.discard(own_record.id)
    assert recent.get(own_record.tenant, own_record.id) is None
