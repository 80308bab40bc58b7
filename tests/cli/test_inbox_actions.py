"""`askback inbox` and actions: the link with its host, and the outcome."""

from __future__ import annotations

import asyncio

import anyio
import pytest

from askback import ActionAsk, AsyncClient, Declined
from askback.domain.request import Answer
from tests.cli.conftest import Server
from tests.cli.scripts import run_inbox_from_pipe
from tests.requirements import requirement

URL = "https://shop.example.com/plugin?id=7"


async def ask(agent: AsyncClient, thread: str) -> asyncio.Task[Answer]:
    """Start to ask for an action, and return once the request exists."""
    asking = asyncio.create_task(
        agent.action("Install the plugin", thread_id=thread, url=URL, description="Choose *Free*.")
    )
    with anyio.fail_after(120):
        while not (await agent.requests.list(thread_id=thread)).items:
            await anyio.lowlevel.checkpoint()
    return asking


async def test_the_terminal_shows_the_link_and_reports_that_it_is_done(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    asking = await ask(agent, thread)
    out = await run_inbox_from_pipe(server, thread, "what?", "d")
    assert (await asking).outcome == "done"
    for expected_line in (
        "> Install the plugin",
        "> Choose *Free*.",
        "Link to shop.example.com:",
        f"│ {URL}",
    ):
        assert expected_line in out
    assert "Install the plugin: done." in out


@requirement("A21")
async def test_the_terminal_reports_why_it_failed(server: Server, agent: AsyncClient, thread: str) -> None:
    asking = await ask(agent, thread)
    out = await run_inbox_from_pipe(server, thread, "f", "The shop is closed.")
    answer = await asking
    assert (answer.outcome, answer.reason) == ("failed", "The shop is closed.")
    assert "Install the plugin: failed." in out


async def test_the_terminal_dismisses_an_action(server: Server, agent: AsyncClient, thread: str) -> None:
    asking = await ask(agent, thread)
    await run_inbox_from_pipe(server, thread, ":dismiss")
    with pytest.raises(Declined):
        await asking


async def test_the_terminal_shows_an_action_in_its_language(
    server: Server, agent: AsyncClient, thread: str
) -> None:
    action = ActionAsk(title={"en": "Install it", "de": "Einbauen"}, description={"de": "Nimm *Frei*."})
    request = await agent.requests.create(action, thread_id=thread)
    out = await run_inbox_from_pipe(server, thread, "d", LC_ALL="de_DE.UTF-8")
    assert "> Einbauen" in out
    assert "Install it" not in out
    answer = (await agent.requests.get(request.id)).answer
    assert answer is not None
    assert answer.shown is not None
    assert (answer.shown.locale, answer.shown.title) == ("de", "Einbauen")
