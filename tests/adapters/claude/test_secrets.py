"""A secret that Claude asks for is used, and the model never reads it."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio

from askback import AsyncClient
from askback.adapters.claude import with_askback
from tests.adapters.claude.conftest import Options, run, wait_for_request
from tests.adapters.claude.fake_model import FakeModel, call
from tests.adapters.conftest import TOKENS, Server
from tests.requirements import requirement

CANARY = "sk-canary-4f1d7c"


@requirement("E1")
async def test_a_secret_for_a_command_never_reaches_the_model(
    server: Server, person: AsyncClient, model: FakeModel, options: Options, thread: str, project: Path
) -> None:
    command = f"{sys.executable} -m askback run --secret SHOP_KEY --thread {thread} -- sh -c 'echo $SHOP_KEY | tee used'"
    model.play("go", [call("Bash", "toolu_run", command=command)])
    chosen = options()
    chosen.env |= {"ASKBACK_URL": server.url, "ASKBACK_TOKEN": TOKENS["requester"]}
    async with server.client() as ask, anyio.create_task_group() as tasks:
        tasks.start_soon(run, with_askback(chosen, ask, thread_id=thread), "go")
        await person.requests.decide(await wait_for_request(person, thread), "approve")
        await person.requests.submit(await wait_for_request(person, thread, 2), {"SHOP_KEY": CANARY})
    assert (project / "used").read_text().strip() == CANARY
    assert "[secret:SHOP_KEY]" in model.results("go")["toolu_run"]
    assert not [body for body in model.received if CANARY in body]
