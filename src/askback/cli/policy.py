"""`askback policy`: show or change the default policy."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated, Any

import typer

from askback.cli.local import client_as
from askback.cli.options import DataDir, require_choice
from askback.domain.policy.built_in_lists import LISTS
from askback.domain.policy.decision_table import ASK_MODES, LEVELS, TABLES
from askback.domain.policy.effective import CONFIRMATION
from askback.domain.policy.engine import MODES
from askback.domain.policy.settings import PolicySettings
from askback.domain.questiontext import escape_hidden
from askback.errors import AskbackError, Conflict

AS_EVERYWHERE = "default"
RESETTABLE = ("mode", "level", "ask-mode", "list", "table")
"""The options whose settings can be reset to a default."""

EFFECT = "Calls then run without asking, except dangerous calls and those that a rule or a hard limit denies."
_SETTING = {"ask-mode": "ask_mode", "list": "lists"}

app = typer.Typer(add_completion=False, no_args_is_help=True)

Thread = Annotated[str | None, typer.Option(help="Only in this conversation.")]


@app.callback()
def policy() -> None:
    """Show or change the default policy, on the running server or, without one, in its database."""


@app.command()
def show(
    thread: Thread = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a line of JSON.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Show the default policy, which applies where no rule does."""

    async def read() -> PolicySettings:
        async with client_as("responder", data_dir=data_dir) as client:
            return await client.policy.get(thread)

    _show(asyncio.run(read()), as_json=as_json)


@app.command(name="set")
def set_(
    mode: Annotated[
        str | None,
        typer.Option(
            help=f"One of {', '.join(MODES)}; with --thread also {AS_EVERYWHERE}, for the general mode."
        ),
    ] = None,
    level: Annotated[str | None, typer.Option(help=f"One of {', '.join(LEVELS)}.")] = None,
    ask_mode: Annotated[str | None, typer.Option(help=f"One of {', '.join(ASK_MODES)}.")] = None,
    lists: Annotated[
        list[str] | None,
        typer.Option("--list", help=f"A built-in list, repeatable: {', '.join(LISTS)}."),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help=f"The table of levels and ask modes: {', '.join(TABLES)}.")
    ] = None,
    shadow: Annotated[
        bool | None,
        typer.Option(
            "--shadow/--no-shadow",
            help="Only try these settings: the audit log shows what they would decide. Or end the trial.",
        ),
    ] = None,
    reset: Annotated[
        list[str] | None,
        typer.Option(help=f"Reset a setting to its default, repeatable: {', '.join(RESETTABLE)}."),
    ] = None,
    thread: Thread = None,
    confirm: Annotated[
        str | None, typer.Option(help=f"Type {CONFIRMATION} to let calls run without asking.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Update settings and print the result.

    Needs an admin token, except for --mode with --thread.
    """
    new_settings = {
        "mode": require_choice(mode, (*MODES, AS_EVERYWHERE) if thread else MODES, "--mode"),
        "level": require_choice(level, LEVELS, "--level"),
        "ask_mode": require_choice(ask_mode, ASK_MODES, "--ask-mode"),
        "lists": [require_choice(name, tuple(LISTS), "--list") for name in lists] if lists else None,
        "table": require_choice(table, TABLES, "--table"),
    }
    changes = _changes(
        {name: value for name, value in new_settings.items() if value is not None},
        reset=reset or [],
        shadow=shadow,
    )

    async def write(confirm: str | None) -> PolicySettings:
        async with client_as("responder" if thread else "admin", data_dir=data_dir, creates=True) as client:
            return await client.policy.update(thread_id=thread, confirm=confirm, **changes)

    try:
        settings = asyncio.run(write(confirm))
    except Conflict as error:
        if error.code != "confirmation_required":
            raise
        if confirm or not (confirm := _prompt_confirmation()):
            raise AskbackError(f'{EFFECT} To confirm, add `--confirm "{CONFIRMATION}"`.') from error
        settings = asyncio.run(write(confirm))
    _show(settings, as_json=False)


def _changes(settings: dict[str, Any], *, reset: list[str], shadow: bool | None) -> dict[str, Any]:
    """Return the body for `update_policy`: new and reset settings, or a trial."""
    resets = {_SETTING.get(name, name): None for name in reset if require_choice(name, RESETTABLE, "--reset")}
    if resets and shadow is not None:
        raise typer.BadParameter(
            "cannot be combined with --shadow; --no-shadow ends a trial", param_hint="--reset"
        )
    if twice := resets.keys() & settings.keys():
        raise typer.BadParameter(f"{min(twice)} is set and reset in one call", param_hint="--reset")
    if shadow is False and settings:
        raise typer.BadParameter(
            "ends a trial and cannot be combined with another setting", param_hint="--no-shadow"
        )
    if shadow is not False and not settings and not resets:
        raise typer.BadParameter(
            "give a setting to change, such as --level deny", param_hint="askback policy set"
        )
    if shadow is not None:
        return {"shadow": settings or None}
    return {**settings, **resets, **({"mode": None} if settings.get("mode") == AS_EVERYWHERE else {})}


def _prompt_confirmation() -> str | None:
    """Prompt for the confirmation words at a terminal; otherwise leave the refusal to the server."""
    if not sys.stdin.isatty():
        return None
    print(EFFECT, file=sys.stderr)
    print(f"Type {CONFIRMATION} to do it: ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def _show(settings: PolicySettings, *, as_json: bool) -> None:
    if as_json:
        print(escape_hidden(settings.model_dump_json(exclude_none=True)))
        return
    lines = {
        "mode": settings.mode,
        "level": settings.level,
        "ask mode": settings.ask_mode,
        "lists": ", ".join(settings.lists) or "none",
        "table": settings.table_in_force,
    }
    if settings.shadow is not None:
        shadow_settings = settings.shadow.model_dump(exclude_none=True)
        lines["tried"] = ", ".join(f"{name} {_text(value)}" for name, value in shadow_settings.items())
    for name, value in lines.items():
        print(f"{name:9} {value}")


def _text(value: str | list[str]) -> str:
    return value if isinstance(value, str) else " ".join(value)
