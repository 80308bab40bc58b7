"""No approved call runs twice, even if its process died while it ran."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from tests.adapters.conftest import Server
from tests.adapters.programs import PATIENCE_S, requests_asked, start, wait_for_exit

PROGRAM = "tests.adapters.langgraph.program"


@pytest.mark.timeout(4 * PATIENCE_S)
async def test_a_call_whose_process_died_while_it_ran_does_not_run_again(
    own_server: Server, tmp_path: Path
) -> None:
    (tmp_path / "calls").write_text("slow")
    process = start(PROGRAM, "run", tmp_path, own_server.url)
    async with own_server.client("responder") as person:
        with anyio.fail_after(PATIENCE_S):
            [request] = await requests_asked(person, 1, tmp_path.name)
            await person.requests.decide(request, "approve")
            while not (tmp_path / "ran").exists():
                await anyio.sleep(0.02)
            process.kill()
            await anyio.to_thread.run_sync(process.communicate)
            async with own_server.client() as agent:
                assert (await agent.requests.get(request.id)).used_at is not None
            await wait_for_exit(start(PROGRAM, "again", tmp_path, own_server.url))
    assert (tmp_path / "ran").read_text() == "slow\n"
