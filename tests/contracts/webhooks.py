"""Contracts 18 to 20: webhooks, and deliveries that are written once, leased to one at a time, and ended once."""

# ruff: noqa: D102 - the name of a test is its sentence

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from askback.ports.policy import AuditDraft, SideEffects
from askback.ports.store import Store
from askback.ports.webhooks import Delivery, DeliveryState, Webhook
from tests.contracts.resumes import resume, settled
from tests.contracts.samples import NOON, entry, request_id, secret
from tests.contracts.suite import StoreSuite

WAITING, DELIVERED, DEAD = DeliveryState.WAITING, DeliveryState.DELIVERED, DeliveryState.DEAD


def webhook(n: int = 1, *, tenant: str = "main", requester: str | None = None) -> Webhook:
    """Make the n-th webhook."""
    expected = ("resume", "request.created")
    return Webhook(
        f"whk_{n:026d}",
        tenant,
        f"https://h{n}.example/x",
        requester,
        expected,
        f"sec_{n:026d}",
        NOON,
        cursor=0,
    )


def delivery(n: int, *, time: int = NOON, hook: Webhook | None = None) -> Delivery:
    """Make the n-th delivery, about the event at position n."""
    to = hook or webhook()
    return Delivery(f"dlv_{n:026d}", to.tenant, to.id, "request.created", str(n), since=time, next_at=time)


async def queued(store: Store, *deliveries: Delivery) -> Webhook:
    """Store a webhook with these deliveries."""
    hook = webhook()
    assert await store.add_webhook(hook, limit=9)
    assert await store.queue_deliveries(hook, deliveries, cursor=5)
    return replace(hook, cursor=5)


async def lease_deliveries(
    store: Store, hook: Webhook, *, now: int = NOON, until: int = NOON + 60, limit: int = 9
) -> list[tuple[str, int]]:
    """Lease, and return the subjects and attempts."""
    deliveries = await store.lease_deliveries(hook, now_ms=now, until_ms=until, limit=limit)
    return [(item.subject, item.attempt) for item in deliveries]


class WebhookContracts(StoreSuite):
    """Webhooks and their deliveries."""

    async def test_webhooks_are_read_by_tenant_or_all_of_them(self, store: Store) -> None:
        first_webhook, second_webhook = webhook(1), webhook(2, tenant="other", requester="tok_1")
        for item in (second_webhook, first_webhook):
            assert await store.add_webhook(item, limit=1)
        assert await store.webhooks("main") == [first_webhook]
        assert await store.webhooks() == [first_webhook, second_webhook]
        assert await store.webhook("other", second_webhook.id) == second_webhook
        assert await store.webhook("main", second_webhook.id) is None
        assert await store.drop_webhook("main", second_webhook.id) is False

    async def test_a_tenant_has_as_many_webhooks_as_it_may_and_no_more(self, store: Store) -> None:
        entry = SideEffects(audit=(AuditDraft("main", '{"action":"webhook.add"}'),))
        results = await asyncio.gather(*(store.add_webhook(webhook(n), entry, limit=2) for n in range(5)))
        assert sorted(results) == [False, False, False, True, True]
        assert len(await store.webhooks("main")) == len(await store.audit("main")) == 2

    async def test_a_removed_webhook_is_gone_with_its_deliveries_and_its_secret(self, store: Store) -> None:
        hook = await queued(store, delivery(1))
        await store.write(SideEffects(secrets=(secret(1),)))
        assert hook.secret_id == secret(1).id
        assert await store.drop_webhook("main", hook.id, SideEffects(audit=(AuditDraft("main", "{}"),)))
        assert await store.webhooks() == []
        assert await store.secret("main", hook.secret_id) is None
        assert await store.deliveries("main", hook.id) == []
        assert await store.next_delivery(hook) is None
        assert len(await store.audit("main")) == 1
        assert await store.queue_deliveries(hook, [delivery(2)], cursor=6) is False

    async def test_c18_one_of_many_readers_of_a_cursor_writes_the_deliveries(self, store: Store) -> None:
        hook = webhook()
        await store.add_webhook(hook, limit=9)
        wrote = await asyncio.gather(
            *(store.queue_deliveries(hook, [delivery(n)], cursor=n) for n in range(1, 9))
        )
        assert sum(wrote) == 1
        [found_delivery] = await store.deliveries("main", hook.id)
        current_webhook = await store.webhook("main", hook.id)
        assert current_webhook is not None
        assert current_webhook == replace(hook, cursor=int(found_delivery.subject))
        assert await store.queue_deliveries(
            current_webhook, [delivery(int(found_delivery.subject))], cursor=20
        )
        assert len(await store.deliveries("main", hook.id)) == 1

    async def test_c19_one_of_many_concurrent_pulls_gets_the_delivery(self, store: Store) -> None:
        hook = await queued(store, *(delivery(n) for n in range(1, 6)))
        result = await asyncio.gather(*(lease_deliveries(store, hook, limit=2) for _ in range(10)))
        assert sorted(item for batch in result for item in batch) == [(str(n), 1) for n in range(1, 6)]
        assert max(map(len, result)) <= 2

    async def test_c19_a_note_with_an_older_lease_is_lost(self, store: Store) -> None:
        hook = await queued(store, delivery(1))
        [old_delivery] = await store.lease_deliveries(hook, now_ms=NOON, until_ms=NOON + 60, limit=9)
        assert await lease_deliveries(store, hook, now=NOON + 59) == []
        [new_delivery] = await store.lease_deliveries(hook, now_ms=NOON + 60, until_ms=NOON + 120, limit=9)
        assert (old_delivery.attempt, new_delivery.attempt, new_delivery.next_at) == (1, 2, NOON + 120)
        assert await store.note_attempt(old_delivery, state=DELIVERED, next_at=NOON, note="{}") is False
        assert await store.note_attempt(
            new_delivery, state=WAITING, next_at=NOON + 300, note='{"status":500}'
        )
        assert await store.next_delivery(hook) == NOON + 300
        [second_delivery] = await store.lease_deliveries(
            hook, now_ms=NOON + 300, until_ms=NOON + 360, limit=9
        )
        assert await store.note_attempt(second_delivery, state=WAITING, next_at=NOON + 400, note=None)
        known_delivery = await store.delivery("main", hook.id, delivery(1).id)
        assert known_delivery is not None
        assert json.loads(known_delivery.log) == [{"status": 500}]
        assert (known_delivery.attempt, known_delivery.next_at, known_delivery.state) == (
            3,
            NOON + 400,
            WAITING,
        )

    async def test_c20_a_finished_delivery_is_leased_again_only_on_request(self, store: Store) -> None:
        hook = await queued(store, delivery(1), delivery(2))
        deliveries = await store.lease_deliveries(hook, now_ms=NOON, until_ms=NOON + 60, limit=9)
        for item, state in zip(deliveries, (DELIVERED, DEAD), strict=True):
            assert await store.note_attempt(item, state=state, next_at=NOON, note='{"n":1}')
            assert await store.note_attempt(item, state=state, next_at=NOON, note='{"n":2}') is False
        assert await lease_deliveries(store, hook, now=NOON + 999) == []
        assert await store.next_delivery(hook) is None
        sent = replace(delivery(2, time=NOON + 999), id=delivery(9).id, again=True)
        second_delivery = await store.deliver_again(sent)
        assert second_delivery == replace(sent, id=delivery(2).id, attempt=2, log=second_delivery.log)
        assert json.loads(second_delivery.log) == [{"n": 1}]
        assert await lease_deliveries(store, hook, now=NOON + 999) == [("2", 3)]
        effects = SideEffects(audit=(entry("again"),))
        assert await store.deliver_again(delivery(3), effects) == delivery(3)
        assert len(await store.audit("main")) == 1

    async def test_c20_nothing_is_leased_for_a_webhook_that_is_off(self, store: Store) -> None:
        hook = await queued(store, delivery(1))
        side_effects = SideEffects(audit=(entry("off"),))
        assert await store.switch_webhook("main", hook.id, side_effects, active=False)
        assert not await store.switch_webhook("main", hook.id, side_effects, active=False)
        assert not await store.switch_webhook("other", hook.id, side_effects, active=True)
        assert len(await store.audit("main")) == 1
        assert await lease_deliveries(store, hook) == []
        assert await store.webhook("main", hook.id) == replace(hook, active=False)
        assert await store.switch_webhook("main", hook.id, active=True)
        assert await lease_deliveries(store, hook) == [("1", 1)]

    async def test_deliveries_are_read_newest_first(self, store: Store) -> None:
        hook = await queued(store, *(delivery(n) for n in (1, 2, 3)))
        page = await store.deliveries("main", hook.id, limit=2)
        assert page == [delivery(3), delivery(2)]
        assert await store.deliveries("main", hook.id, before=page[-1].id) == [delivery(1)]
        assert await store.deliveries("other", hook.id) == []
        assert await store.delivery("other", hook.id, delivery(1).id) is None

    async def test_deliveries_that_ended_long_ago_are_forgotten(self, store: Store) -> None:
        hook = await queued(store, delivery(1), delivery(2), delivery(3, time=NOON + 5))
        for lease in await store.lease_deliveries(hook, now_ms=NOON + 5, until_ms=NOON + 60, limit=9):
            if lease.subject != "2":
                await store.note_attempt(lease, state=DELIVERED, next_at=NOON, note="{}")
        assert await store.queue_deliveries(hook, [], cursor=6, forget_before=NOON + 5)
        assert [item.subject for item in await store.deliveries("main", hook.id)] == ["3", "2"]

    async def test_c16_a_resume_is_leased_for_a_push_and_released(self, store: Store) -> None:
        await settled(store, resume(1))
        lease = await store.lease_resume("main", resume(1).id, now_ms=NOON, until_ms=NOON + 60)
        assert lease is not None
        assert (lease.attempt, lease.until, lease.record.id) == (1, NOON + 60, request_id(1))
        assert await store.lease_resumes("main", "tok_1", now_ms=NOON, until_ms=NOON + 9) == []
        assert await store.lease_resume("main", resume(1).id, now_ms=NOON, until_ms=NOON + 60) is None
        assert await store.lease_resume("other", resume(1).id, now_ms=NOON + 60, until_ms=NOON + 99) is None
        await store.release_resume(lease, now_ms=NOON + 1)
        standing = await store.resume("main", resume(1).id)
        assert standing is not None
        assert (standing.resume.available_at, standing.attempt, standing.finished) == (NOON + 1, 1, False)
        [pulled_lease] = await store.lease_resumes("main", "tok_1", now_ms=NOON + 1, until_ms=NOON + 90)
        assert pulled_lease.attempt == 2
        await store.release_resume(lease, now_ms=NOON + 2)
        resume_status = await store.resume_of("main", request_id(1))
        assert resume_status is not None
        assert resume_status.resume.available_at == NOON + 90
        await store.finish_resume("main", "tok_1", resume(1).id, attempt=2, now_ms=NOON + 3)
        assert await store.lease_resume("main", resume(1).id, now_ms=NOON + 99, until_ms=NOON + 120) is None
        assert await store.resume("main", resume(2).id) is None
        assert await store.resume_of("other", request_id(1)) is None
