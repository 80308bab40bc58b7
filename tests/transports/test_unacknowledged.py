"""Outcomes that were sent to an agent but have not arrived: the resume stays until they have."""

# ruff: noqa: F811 - fixtures are imported, and named again by the tests that use them

from __future__ import annotations

from collections.abc import Callable

import anyio
import pytest

from askback.server.app import App
from tests.requirements import requirement
from tests.transports.sockets import Open, app, body, open_  # noqa: F401 - fixtures

pytestmark = pytest.mark.anyio


async def test_an_outcome_in_flight_to_an_ended_wait_is_queued(open_: Open, app: App):
    confirmations: list[Callable[[], None]] = []
    agent, person = await open_("requester", confirm=confirmations.append), await open_("responder")
    request = await agent.call("create_request", body=body(), wait=True)
    ended_request = await person.call("decline_request", request_id=request["id"], body={"reason": "refused"})
    assert await agent.frame() == {"settled": ended_request}
    assert await agent.call("unwait", request_ids=[request["id"]]) == {}
    [tell] = confirmations
    tell()  # it had to arrive, but nobody waited for it any longer
    assert await app.services.store.resume_of("default", request["id"]) is not None


@requirement("H5")
@pytest.mark.parametrize("arrives", [True, False])
async def test_a_resume_that_another_server_held_is_dropped_once_the_outcome_has_arrived(
    open_: Open, app: App, monkeypatch: pytest.MonkeyPatch, arrives: bool
):
    # The server that settles a request does not know of the waiters of others.
    monkeypatch.setattr(app.services.waiters, "is_waiting", lambda *_: False)
    confirmations: list[Callable[[], None]] = []
    agent, person = await open_("requester", confirm=confirmations.append), await open_("responder")
    request = await agent.call("create_request", body=body(), wait=True)
    ended_request = await person.call("decline_request", request_id=request["id"], body={"reason": "refused"})
    assert await agent.frame() == {"settled": ended_request}
    await person.call("ping")  # its reply comes after everything that the outcome has caused
    if not arrives:
        await agent.leave()
    assert await app.services.store.resume_of("default", request["id"]) is not None
    if arrives:
        [tell] = confirmations
        tell()
        with anyio.fail_after(120):
            while await app.services.store.resume_of("default", request["id"]) is not None:
                await anyio.lowlevel.checkpoint()
