"""`askback approve`: ask whether a tool call may run; print one line of JSON and set the exit status."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, cast

import typer
from rich.console import Console

from askback.cli.confirm import confirm, is_interactive
from askback.cli.connection import NoServerRunning, ServerConnection, find, own_thread
from askback.cli.local import run_app
from askback.cli.output import plain_console
from askback.cli.script import (
    EXIT,
    BadUsage,
    content,
    outcome_fields,
    reported_errors,
    run_or_cancel,
    wait_until_settled,
)
from askback.domain import jsontext
from askback.domain.approval import Approval, CurrentFile, Scope
from askback.domain.decision import Decision
from askback.domain.faults import Faults
from askback.domain.lifecycle import Status
from askback.domain.limits import DEFAULTS
from askback.domain.questiontext import quote
from askback.messages import render

DENIED_STATUS = 3
_SCOPES: tuple[Scope, ...] = ("once", "thread", "project", "always")

EPILOG = """\
Exit status: 0 approved, 3 denied, 4 cancelled, 5 expired, 2 bad usage, 1 error.

Example: askback approve --reason "the fix is ready" -- git push && git push
"""

app = typer.Typer(add_completion=False)


@app.command(epilog=EPILOG)
def approve(
    argv: Annotated[
        list[str] | None,
        typer.Argument(help="After --, a command with its arguments, as they will be passed to it."),
    ] = None,
    tool: Annotated[str | None, typer.Option(help="The tool; bash for a command after --.")] = None,
    input_: Annotated[
        str | None,
        typer.Option("--input", help="The tool's input, as JSON (- is standard input).", metavar="JSON"),
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why it should run.")] = None,
    title: Annotated[str | None, typer.Option(help="A heading above the call.")] = None,
    scope: Annotated[
        list[str] | None, typer.Option(help=f"A scope to offer, repeatable: {', '.join(_SCOPES)}.")
    ] = None,
    allow_edit: Annotated[
        bool,
        typer.Option("--allow-edit", help="Let the person change the input; run the input that is printed."),
    ] = False,
    before: Annotated[
        Path | None, typer.Option(help="The current file, to show the changes.", metavar="FILE")
    ] = None,
    project: Annotated[str | None, typer.Option(help="Project name for the scope `project`.")] = None,
    timeout: Annotated[
        float, typer.Option(help="Expire the request after this many seconds; the call must not run then.")
    ] = DEFAULTS.approval_timeout_s,
    thread: Annotated[
        str, typer.Option(help="The conversation to ask in. Default: shell.", show_default=False)
    ] = "",
    data_dir: Annotated[Path | None, typer.Option(help="Use the server with this data folder.")] = None,
) -> None:
    """Ask whether a tool call may run and print the decision as a line of JSON.

    The policy decides; if it asks, a person decides on the pages or in `askback inbox`. Without a server, the
    person at this terminal is asked; an empty line means no. Ctrl-C cancels the request.
    """
    hints = plain_console(stderr=True)
    with reported_errors(hints):
        approval = Approval(
            **_call(argv or [], tool, input_),
            reason=reason,
            title=title,
            scopes=_scopes(scope),
            allow_edit=allow_edit,
            project=project,
            preview=None if before is None else CurrentFile(before=_text(before)),
        )
        options = {
            "thread_id": thread or own_thread("shell"),
            "agent": "askback approve",
            "timeout_s": timeout,
        }
        decision = run_or_cancel(_ask(_server(data_dir), approval, options, data_dir=data_dir, hints=hints))
    print(quote(outcome(decision)))
    raise typer.Exit(status(decision))


def outcome(decision: Decision | None) -> dict[str, Any]:
    """Return the object to print; None is a call that was cancelled here. `input` is there only to be run."""
    request = None if decision is None else decision.request
    fields = outcome_fields(request)
    if request is None or decision is None:
        return fields
    answer = request.answer
    status_members = {
        "decision": answer.decision if answer else None,
        "tool": decision.tool,
        "scope": decision.scope,
        "rule": answer.rule.text if answer and answer.rule else None,
        "note": decision.note,
        "source": decision.source,
        "reasons": list(decision.reasons) or None,
        "digest": decision.digest,
        "text": decision.text,
    }
    approved = {"input": decision.input} if decision.approved else {}
    return {
        **fields,
        **{name: value for name, value in status_members.items() if value is not None},
        **approved,
    }


def status(decision: Decision | None) -> int:
    """Return the exit status: 0 only for an approved call."""
    if decision is None or decision.request is None:
        return EXIT[Status.CANCELLED]
    is_denied = decision.request.status is Status.ANSWERED and not decision
    return DENIED_STATUS if is_denied else EXIT[decision.request.status]


def _call(argv: list[str], tool: str | None, option: str | None) -> dict[str, Any]:
    """Read what would run from the options, or raise `BadUsage`."""
    if argv:
        if option is not None:
            raise BadUsage("Give either --input or a command after --.")
        return {"tool": tool or "bash", "input": {"argv": argv}}
    if tool is None or option is None:
        raise BadUsage(
            "Say what would run: askback approve -- git push, "
            """or askback approve --tool bash --input '{"command": "git push"}'"""
        )
    try:
        read = jsontext.parse(content(Path("-")) if option == "-" else option)
    except Faults as error:
        raise BadUsage("\n".join(f"--input: {render(fault, 'en')}" for fault in error.faults)) from None
    return {"tool": tool, "input": read}


def _scopes(option: list[str] | None) -> list[Scope] | None:
    if option and not set(option) <= set(_SCOPES):
        raise BadUsage(f"--scope must be one of {', '.join(_SCOPES)}.")
    return cast("list[Scope]", option) or None


def _text(file: Path) -> str:
    try:
        return content(file).decode()
    except UnicodeDecodeError:
        raise BadUsage(f"{file} is not UTF-8 text.") from None


def _server(data_dir: Path | None) -> ServerConnection | None:
    """Return the server to ask, None to ask here; raises `NoServer` when nobody can be asked."""
    try:
        return find("requester", data_dir=data_dir)
    except NoServerRunning:
        if is_interactive():
            return None
        raise


async def _ask(
    server: ServerConnection | None,
    approval: Approval,
    options: dict[str, Any],
    *,
    data_dir: Path | None,
    hints: Console,
) -> Decision:
    """Ask, and use the approval: the call runs now, so from now on it cannot be revoked."""
    if server is None:
        async with run_app(data_dir) as local:
            request = await confirm(local, approval, console=hints, **options)
            async with local.client("requester") as agent:
                return await agent.use(await agent.decision(request))
    async with server.client() as client:
        request = await client.requests.create(approval, **options)
        request = await wait_until_settled(client, request, server=server, hints=hints)
        return await client.use(await client.decision(request))
