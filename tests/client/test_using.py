"""`use` runs an approved call once; afterwards the approval is only a sentence for the model."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from askback import AsyncClient
from askback.server.app import create_app
from askback.server.system import SystemClock
from askback.testing import Deny, person

DEPLOY = {"to": "prod"}


@pytest.fixture
async def agent() -> AsyncIterator[AsyncClient]:
    ada = person({"deploy": True, "mail": Deny("no")})
    async with ada, AsyncClient(app=ada.app, thread_id="t1") as ask:
        yield ask


async def test_an_approval_is_used_once_and_the_second_use_is_refused(agent: AsyncClient) -> None:
    approved_decision = await agent.approve("deploy", DEPLOY)
    used = await agent.use(approved_decision)
    second_use = await agent.use(approved_decision)
    assert (used.status, used.input) == ("approve", DEPLOY)
    assert (second_use.status, bool(second_use), second_use.input) == ("used", False, {})
    assert "has been started before" in second_use.text


async def test_a_denial_is_returned_unchanged(agent: AsyncClient) -> None:
    denied_decision = await agent.approve("mail", {})
    assert await agent.use(denied_decision) is denied_decision


async def test_an_approval_that_has_ended_does_not_run() -> None:
    class Ahead(SystemClock):
        ahead_ms = 0

        def now_ms(self) -> int:
            return super().now_ms() + self.ahead_ms

    clock = Ahead()
    ada = person({"deploy": True}, app=create_app(clock=clock))
    async with ada, AsyncClient(app=ada.app, thread_id="t1") as ask:
        approved_decision = await ask.approve("deploy", DEPLOY, valid_s=1)
        clock.ahead_ms = 2_000
        lapsed_decision = await ask.use(approved_decision)
    assert (lapsed_decision.status, bool(lapsed_decision)) == ("expired", False)
    assert "no longer valid" in lapsed_decision.text


async def test_an_approval_that_was_revoked_does_not_run() -> None:
    ada = person({"deploy": True})
    async with ada, AsyncClient(app=ada.app, thread_id="t1") as ask:
        approved_decision = await ask.approve("deploy", DEPLOY)
        async with AsyncClient(app=ada.app, token=await ada.app.token("responder")) as bob:
            await bob.requests.revoke(approved_decision.request)  # type: ignore[arg-type] - it was asked
        taken_back = await ask.use(approved_decision)
    assert (taken_back.status, bool(taken_back)) == ("revoked", False)


async def test_a_call_denied_by_a_later_rule_does_not_run() -> None:
    ada = person({"deploy": True})
    async with ada, AsyncClient(app=ada.app, thread_id="t1") as ask:
        approved_decision = await ask.approve("deploy", DEPLOY)
        async with AsyncClient(app=ada.app, token=await ada.app.token("admin")) as admin:
            await admin.rules.create("deploy", effect="deny")
        refusal = await ask.use(approved_decision)
    assert (refusal.status, refusal.source, bool(refusal)) == ("deny", "policy", False)
    assert "was not run" in refusal.text


async def test_an_approval_that_cannot_be_used_now_does_not_run() -> None:
    ada = person({"deploy": True})
    async with ada, AsyncClient(app=ada.app, thread_id="t1") as ask:
        approved_decision = await ask.approve("deploy", DEPLOY)
    async with AsyncClient("http://127.0.0.1:9", "token", retry_for=0) as nowhere:
        refusal = await nowhere.use(approved_decision)
    assert (refusal.status, bool(refusal)) == ("unavailable", False)
