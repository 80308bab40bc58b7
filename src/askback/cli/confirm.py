"""`Approve? [y/N/a(lways)]: `: the person at this terminal decides, if no server runs to ask anybody else."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import Any

from rich.console import Console

from askback.cli import card
from askback.cli.answering import stop
from askback.cli.field_text import YES_WORDS
from askback.cli.local import Local
from askback.cli.terminal import EndOfInput, Terminal
from askback.client import AsyncClient
from askback.domain.approval import Approval, ShownApproval
from askback.domain.request import InputRequest
from askback.errors import Conflict

ALWAYS_WORDS = frozenset({"a", "always"})


def is_interactive() -> bool:
    """Return whether a person can read the question and type an answer; standard output may be redirected."""
    return sys.stdin.isatty() and sys.stderr.isatty()


async def confirm(
    local: Local, approval: Approval, *, console: Console, **approval_options: Any
) -> InputRequest:
    """Ask as the agent and decide as the person, unless the policy decides; return the settled request.

    `approval_options` are those of `client.requests.create`.
    """
    async with local.client("requester") as agent, local.client("responder") as person:
        request = await agent.requests.create(approval, **approval_options)
        try:
            return (
                request if request.settled else await _decide_while_open(Terminal(console), person, request)
            )
        except asyncio.CancelledError:
            await agent.requests.cancel(request)
            raise


async def _decide_while_open(terminal: Terminal, person: AsyncClient, request: InputRequest) -> InputRequest:
    """Let the person decide, for as long as the request is open."""
    wait_task = asyncio.create_task(person.wait(request))
    deciding = asyncio.create_task(_decide(terminal, person, request))
    try:
        await asyncio.wait({wait_task, deciding}, return_when=asyncio.FIRST_COMPLETED)
        if deciding.done():
            with suppress(Conflict):  # it ended first
                await deciding
        else:
            await stop(deciding)
            terminal.say()
        return await wait_task
    finally:
        await stop(wait_task)
        await stop(deciding)


async def _decide(terminal: Terminal, person: AsyncClient, request: InputRequest) -> None:
    approval = request.approval
    assert approval is not None
    decision, scope = "deny", "once"
    terminal.drop_typed()
    with suppress(EndOfInput):
        card.show(terminal, approval)
        word = await _ask_word(terminal, approval)
        if word in YES_WORDS or (word in ALWAYS_WORDS and _can_keep(approval)):
            decision, scope = "approve", "always" if word in ALWAYS_WORDS else "once"
        if decision == "approve" and approval.risk.level == "danger":
            sure = await terminal.line("This is dangerous. Really run it? [y/N]: ")
            decision = "approve" if sure.strip().casefold() in YES_WORDS else "deny"
    await person.requests.decide(
        request,
        decision,
        scope=scope if decision == "approve" else "once",
        revision=request.revision,
        script_may_change=scope == "always" or None,
        digest=approval.digest,
        remember=False,  # a person who runs the command again wants to be asked again
    )


async def _ask_word(terminal: Terminal, approval: ShownApproval) -> str:
    if not _can_keep(approval):
        return (await terminal.line("Approve? [y/N]: ")).strip().casefold()
    terminal.say("With a, this rule is kept and nobody is asked again:", "dim")
    terminal.quote([approval.rule or ""], "bold")
    if approval.runs_project:
        terminal.say("It runs the project's own code, which can change.", "dim")
    if approval.scripts:
        terminal.say(f"It also runs {', '.join(approval.scripts)} after it changes.", "dim")
    return (await terminal.line("Approve? [y/N/a(lways)]: ")).strip().casefold()


def _can_keep(approval: ShownApproval) -> bool:
    return approval.rule is not None and "always" in approval.scopes
