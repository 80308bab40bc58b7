"""`askback hook`: Claude Code starts it at each permission prompt, and a person answers in askback."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from askback.adapters.links import why_not_by_rule
from askback.cli.background import own_server
from askback.cli.clients.transcript import wait_until_ended
from askback.cli.signals import interruptible
from askback.client import AsyncClient
from askback.client.discovery import CREDENTIALS
from askback.client.program import HOOK
from askback.compat.claude_questions import (
    ASK_USER,
    annotated,
    card_of,
    checked_form_of,
    plan_of,
    write_answers,
)
from askback.domain.faults import Faults
from askback.domain.fields import Form
from askback.errors import AskbackError, NotAnswered

WAIT_S = 86_000.0
"""Slightly less than the timeout of the installed hook (`cli/clients/definitions.py`)."""

app = typer.Typer(add_completion=False)


@app.command()
def hook(
    credentials: Annotated[Path | None, typer.Option(help="The file with the token of the agent.")] = None,
) -> None:
    """Read a PermissionRequest of Claude Code from standard input, ask a person, and print the decision.

    It starts the server if none runs, and again if it is killed. If the request cannot be asked, it prints no decision:
    Claude Code shows its own prompt. `askback install claude-code` writes this command into the settings of Claude
    Code. With ASKBACK_HOOK=off it asks nobody: the adapter for the Claude Agent SDK sets that.
    """
    if os.environ.get(HOOK) == "off":
        return
    if credentials is not None:
        os.environ[CREDENTIALS] = str(credentials)
    try:
        event = json.load(sys.stdin)
        decision = interruptible(_decide(event), output=sys.stdout.fileno())
    except (AskbackError, Faults, ValueError, KeyError, TypeError) as error:
        print(f"askback was not asked: {error}", file=sys.stderr)
        return
    except KeyboardInterrupt:  # Claude Code has cancelled the prompt, or is gone; the request is withdrawn
        return
    if decision is None:
        return
    output = {"hookEventName": "PermissionRequest", "decision": decision}
    print(json.dumps({"hookSpecificOutput": output}))


async def _decide(event: dict[str, Any]) -> dict[str, Any] | None:
    """Return the decision in Claude Code's format; None if somebody has decided in Claude Code.

    Then the request is withdrawn. Raises `AskbackError` if nobody can be asked.
    """
    asking = asyncio.ensure_future(_ask(event))
    ended = asyncio.ensure_future(wait_until_ended(event))
    try:
        await asyncio.wait({asking, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not asking.done() and (error := ended.exception()) is not None:
            print(f"askback cannot read the transcript: {error!r}", file=sys.stderr)
            return await asking
        return asking.result() if asking.done() else None
    finally:
        for task in (asking, ended):
            task.cancel()
        await asyncio.gather(asking, ended, return_exceptions=True)


async def _ask(event: dict[str, Any]) -> dict[str, Any]:
    """Ask in askback, and return the decision."""
    tool, tool_input = event["tool_name"], event["tool_input"]
    async with own_server(), AsyncClient(thread_id=event["session_id"], via="cli") as ask:
        if tool == ASK_USER:
            return await _answer(ask, tool_input)
        plan = plan_of(tool, tool_input)
        if plan is not None:
            decision = await ask.approve_plan(plan, timeout_s=WAIT_S)
        else:
            decision = await ask.approve(
                tool, tool_input, cwd=event.get("cwd"), allow_edit=True, timeout_s=WAIT_S
            )
        decision = await ask.use(decision)  # from now on it cannot be revoked
        if decision.status == "unavailable":
            raise AskbackError(" ".join(decision.reasons))
        if not decision:
            return {"behavior": "deny", "message": decision.text}
        if (link := why_not_by_rule(decision, tool, event.get("cwd"))) is not None:
            return {"behavior": "deny", "message": link}
        return {"behavior": "allow", "updatedInput": tool_input if plan is not None else decision.input}


async def _answer(ask: AsyncClient, tool_input: dict[str, Any]) -> dict[str, Any]:
    """Ask Claude's questions."""
    form = Form.model_validate(checked_form_of(tool_input))
    outcome = await ask.try_form(form, timeout_s=WAIT_S)
    if isinstance(outcome, NotAnswered):
        return {"behavior": "deny", "message": ask.text_of(outcome.request)}
    answers = write_answers(card_of(form) or (), outcome.values)
    updated_input = {"questions": tool_input["questions"], **annotated(tool_input, answers)}
    return {"behavior": "allow", "updatedInput": updated_input}
