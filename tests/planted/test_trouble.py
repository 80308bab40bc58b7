"""Faults planted for the other tests are found: dead connections, crowds, stalled readers, and a lossy bus."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from askback.service.delivery import resumes
from askback.service.webhooks import dispatch
from tests.fault import crowd, test_bad_bus
from tests.fault.partition import run_partition, start_two_servers
from tests.fault.processes import Server
from tests.fault.site import on
from tests.fault.test_bad_bus import NEVER_S, QUESTIONS, pull_resumes, push_messages
from tests.fault.test_bad_bus import close_stores as close_stores  # noqa: PLC0414 - its stores are closed here as well
from tests.fault.test_bad_bus import count_waiters as count_waiters  # noqa: PLC0414
from tests.fault.test_partition import CUTS
from tests.fault.test_stalled import MOST_BYTES, stalled_bytes
from tests.postgres_server import PostgresServer

pytestmark = [pytest.mark.anyio, pytest.mark.fault]


async def test_a_server_that_does_not_notice_a_dead_connection_is_found(
    tmp_path: Path, postgres: PostgresServer
) -> None:
    fault = "a dead line that is not noticed"
    with anyio.fail_after(500):
        async with (
            on(postgres, servers=2) as server,
            start_two_servers(tmp_path, server, fault=fault) as pair,
        ):
            await run_partition(pair, server.wires[0], CUTS["forgetful hole"], patience_s=4)
    assert any("was told []" in item for item in pair.faults), pair.faults


@pytest.mark.parametrize("fault", ["a wake-up forgotten", "a wake-up for another"])
async def test_an_agent_without_an_answer_or_with_the_answer_of_another_is_found(
    tmp_path: Path, fault: str
) -> None:
    with anyio.fail_after(120):
        findings = await crowd.run(tmp_path, 100, patience_s=1, fault=fault)
    assert findings.faults != []


async def test_a_buffer_without_a_limit_is_found(tmp_path: Path) -> None:
    server = Server(tmp_path, fault="room without end")
    await server.start()
    try:
        with anyio.fail_after(120):
            assert await stalled_bytes(server) > MOST_BYTES
    finally:
        server.kill()


async def test_a_server_that_relies_on_its_bus_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test_bad_bus, "HANG_S", 2.0)
    monkeypatch.setattr(resumes, "SAFETY_POLL_S", NEVER_S)
    received_counts, ids = await pull_resumes(0)
    assert received_counts.total() < len(ids)
    monkeypatch.setattr(dispatch, "POLL_S", 0.05)
    received_counts, ids = await push_messages(
        0, on_start=lambda: monkeypatch.setattr(dispatch, "POLL_S", NEVER_S)
    )
    assert QUESTIONS <= received_counts.total() < len(ids)
