"""A host that waits for the answer of an interrupt until it is killed: `program run FOLDER URL TOKEN`."""

from __future__ import annotations

import asyncio
import sys

from askback import AsyncClient
from askback.adapters.ag_ui import answer_interrupts
from tests.adapters.ag_ui.agents import Agent


async def main(url: str, token: str) -> None:
    async with AsyncClient(url, token) as ask:
        await answer_interrupts(ask, Agent("prod").interrupts, thread_id="t1")


asyncio.run(main(*sys.argv[3:]))
