"""The agent publishes a project: it has the token asked for, and runs what needs it through `askback run`.

Neither is done in the agent's own process, so that the token never comes into it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from askback.demo import publish
from askback.demo.command import Command
from askback.demo.conversation import Conversation
from askback.demo.credential import NOT_GIVEN
from askback.demo.processes import DemoFailed, running


async def publish_project(talk: Conversation, folder: Path, registry: str) -> str | None:
    """Publish a folder under its name, as far as the person lets it; return the address, or None."""
    await talk.say(
        "publish",
        f"I could publish it to the registry at {registry}, which wants a token. What you type into the next card "
        "goes to the program that publishes; I do not get to see it.",
    )
    if not await _token_given(talk, registry):
        await talk.say("publish-left", "All right, it stays on this machine.")
        return None
    address = f"{registry}/packages/{folder.name}"
    return address if await _command(talk.thread_id, address).run(talk, folder) else None


def _command(thread_id: str, address: str) -> Command:
    # -P: with the project's folder as the current one, a package in it could stand in for one of Python's.
    python = (sys.executable, "-P")
    secret = ("--secret", publish.TOKEN, "--thread", thread_id)
    script = str(Path(publish.__file__))
    return Command(
        step="publish-run",
        name="askback run",
        argv=(*python, "-m", "askback", "run", *secret, "--", *python, script, address),
        title="Publish the project",
        reason=f"It sends the files of the folder to {address}.",
    )


async def _token_given(talk: Conversation, registry: str) -> bool:
    """Have the token asked for and tried; true when it may be used."""
    arguments = ("--thread", talk.thread_id, "--run", talk.run_id, "--registry", registry)
    async with running("askback.demo.credential", *arguments, stdin=asyncio.subprocess.PIPE) as process:
        status = await process.wait()
    if status not in {0, NOT_GIVEN}:
        raise DemoFailed("The token could not be asked for; the reason is above.")
    return status == 0
