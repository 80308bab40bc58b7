"""Unexpected errors during the use of a value never leak it."""

from __future__ import annotations

import logging
import traceback
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from askback.domain.secrets.secret import Secret
from askback.ports.vault import Binding, Vault
from askback.server.app import App, create_app
from askback.vault.envelope import Envelope
from askback.vault.keys import KeyRing
from tests.journeys.people import Team, create_team, refusal, request_of
from tests.leaks.canary import Search, canary
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

INTERNAL = (500, "internal")


class LeakyVault(Envelope):
    """A vault whose exceptions contain the value."""

    def __init__(self) -> None:
        super().__init__(KeyRing({"k1": bytes(range(32))}))
        self.fails = False

    async def seal(self, binding: Binding, secret: Secret) -> str:
        """Seal, or fail."""
        sealed = await super().seal(binding, secret)
        self._fail(secret.reveal())
        return sealed

    async def open(self, binding: Binding, sealed: str) -> Secret:
        """Open, or fail."""
        secret = await super().open(binding, sealed)
        self._fail(secret.reveal())
        return secret

    def _fail(self, value: str) -> None:
        if self.fails:
            try:
                raise ValueError(f"{value} is not good")
            except ValueError as error:
                raise KeyError(value, {"value": value}) from error


@asynccontextmanager
async def team_with_vault(vault: Vault) -> AsyncIterator[Team]:
    """Everybody, on an app in this process."""
    app: App = create_app(vault=vault)
    async with app.running():
        transport = httpx2.ASGITransport(app=app)
        admin = await app.token("admin")
        async with create_team("http://127.0.0.1:8787", admin, transport=transport) as team:
            yield team


def log_bytes(caplog: pytest.LogCaptureFixture) -> bytes:
    """The whole log, written by the most verbose handler."""
    lines = [*caplog.messages, caplog.text]
    for record in caplog.records:
        lines.append(repr(vars(record)))
        if record.exc_info and record.exc_info[1] is not None:
            lines += traceback.format_exception(record.exc_info[1])
    return "\n".join(lines).encode()


@requirement("E5", "I10")
async def test_an_exception_that_contains_the_value_is_logged_only_by_its_type(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    vault, made_canary = LeakyVault(), canary("in an exception")
    pin = {"fields": [{"id": "pin", "type": "text", "label": "PIN", "sensitive": True}]}
    async with team_with_vault(vault) as team:
        request = request_of(await team.agent.need("t", "A_KEY"))
        form = request_of(await team.agent.ask("t", pin))
        vault.fails = True
        tries: list[Callable[[], Any]] = [
            lambda: team.ada.hand_over(request["id"], {"A_KEY": made_canary.value}),
            lambda: team.ada.keep("A_KEY", made_canary.value),
            lambda: team.ada.answer(form["id"], {"pin": made_canary.value}),
        ]
        for attempt in tries:
            reply = await attempt()
            assert refusal(reply) == INTERNAL
            assert Search([made_canary]).found(reply.content) == set()
        assert await team.ada.get(request["id"]) == request
        assert await team.ada.list_secrets() == []
    assert "KeyError" in caplog.text
    assert Search([made_canary]).found(log_bytes(caplog)) == set()


@requirement("E5", "I10")
async def test_a_failed_lease_with_the_value_in_its_exception_leaks_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    vault, made_canary = LeakyVault(), canary("in an exception")
    async with team_with_vault(vault) as team:
        await team.ada.keep("A_KEY", made_canary.value)
        await team.agent.need("t", "A_KEY", default_scope="global")
        vault.fails = True
        reply = await team.agent.lease("t", "A_KEY")
    assert refusal(reply) == INTERNAL
    assert "KeyError" in caplog.text
    for data in (reply.content, log_bytes(caplog)):
        assert Search([made_canary]).found(data) == set()
