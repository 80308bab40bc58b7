"""Run the example of a framework against the server of the tests, and answer what it asks."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from typing import Any

import anyio

from tests.adapters.conftest import TOKENS, Server
from tests.adapters.programs import PATIENCE_S, ROOT


async def output_of(name: str, server: Server, thread: str, *, version: str, decision: Any) -> str:
    """Return what the example prints after its question and its approval were answered."""
    environment = {**os.environ, "ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"]}
    command = [sys.executable, str(ROOT / "examples" / "frameworks" / f"{name}_agent.py")]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    async with server.client("responder") as person:
        with anyio.fail_after(PATIENCE_S):
            waiting = {"form", "approval"}  # some frameworks ask both at once
            async for event in person.events(thread, cursor=0):
                if event["type"] != "request.created":
                    continue
                request = event["request"]
                if request["kind"] == "form":
                    await person.requests.answer(request["id"], {"answer": version})
                else:
                    await person.requests.decide(request["id"], decision)
                waiting.discard(request["kind"])
                if not waiting:
                    break
            out, err = await anyio.to_thread.run_sync(partial(process.communicate, timeout=PATIENCE_S))
    assert process.returncode == 0, err
    return out
