"""A crowd of waiting agents: if their server dies, each still gets its own answer, in bounded memory and time."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from tests.fault import crowd
from tests.requirements import requirement

CROWD = int(os.environ.get("FAULT_CROWD", "1000"))
HANG_S = 20.0
"""Less than the interval of the poll that finds missed waiters."""
MOST_BYTES = 8_192

pytestmark = [pytest.mark.anyio, pytest.mark.fault, pytest.mark.timeout(900)]


@requirement("G7", "H8")
async def test_each_of_many_agents_gets_its_answer_although_the_server_is_killed(
    tmp_path: Path,
) -> None:
    with anyio.fail_after(500 + CROWD / 50):
        findings = await crowd.run(tmp_path, CROWD, patience_s=HANG_S)
    assert findings.faults == []
    assert findings.bytes_per_wait < MOST_BYTES
