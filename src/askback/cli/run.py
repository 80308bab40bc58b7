"""`askback run`: run a command with secrets only in its environment."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from askback.cli.child import CommandNotStarted, forward_until_exit, start
from askback.cli.connection import NoServerRunning, ServerConnection, find, own_thread
from askback.cli.output import plain_console
from askback.cli.script import USAGE, wait_until_settled
from askback.cli.signals import interruptible
from askback.client import AsyncClient, Lease, SecretsResult, discovery
from askback.client.server_proof import is_running
from askback.domain.faults import join
from askback.domain.limits import DEFAULTS
from askback.domain.secrets.names import blocked_reason, is_well_formed
from askback.domain.secrets.request import SCOPES, Scope
from askback.errors import AskbackError, Conflict, Invalid, NotFound, Refused
from askback.server.core_dumps import forbid_core_dumps

NOT_RUN = 125
_MISSING_REASONS = frozenset({"not_granted", "secret_gone"})

EPILOG = """\
Exit status: that of the command, or 128 plus the number of the signal that ended it. 125 if it was not run,
126 or 127 if it cannot be run, 2 bad usage.

Example: askback run --secret NPM_TOKEN -- npm publish
"""

app = typer.Typer(add_completion=False)


@app.command(epilog=EPILOG, context_settings={"allow_interspersed_args": False})
def run(
    argv: Annotated[list[str], typer.Argument(help="The command, with its arguments.")],
    secret: Annotated[
        list[str], typer.Option(help="Name of a secret and of its environment variable; repeatable.")
    ],
    reason: Annotated[
        str | None, typer.Option(help="Reason shown to the person. Default: the command.")
    ] = None,
    scope: Annotated[str, typer.Option(help=f"Suggested scope: {', '.join(SCOPES)}.")] = SCOPES[0],
    project: Annotated[str | None, typer.Option(help="Project name for the scope `project`.")] = None,
    thread: Annotated[
        str,
        typer.Option(
            envvar="ASKBACK_THREAD", help="The conversation to ask in. Default: run.", show_default=False
        ),
    ] = "",
    timeout: Annotated[float | None, typer.Option(help="Expire the request after this many seconds.")] = None,
    redact: Annotated[
        bool, typer.Option("--redact/--no-redact", help="Replace the values in the output of the command.")
    ] = True,
    data_dir: Annotated[Path | None, typer.Option(help="Use the server with this data folder.")] = None,
) -> None:
    """Run a command with secrets in its environment.

    If this agent may not use a secret yet, a person is asked for it on the page or in `askback inbox`. The values are
    only in the environment of the command; in its output each is replaced by [secret:NAME]. The command gets none of
    askback's own variables.
    """
    if not redact and not (sys.stdout.isatty() and sys.stderr.isatty()):
        raise typer.BadParameter(
            "The output must be a terminal: a model may read any other. Leave the option out, or use a terminal.",
            param_hint="--no-redact",
        )
    forbid_core_dumps()
    secret_needs = _SecretNeeds(
        _unique_names(secret),
        reason or _reason(argv),
        _scope(scope),
        project,
        thread or own_thread("run"),
        timeout,
    )
    hints = plain_console(stderr=True)
    try:
        server = _connect_as_agent(data_dir)
        status = interruptible(_run(server, secret_needs, argv, redact=redact, hints=hints))
    except KeyboardInterrupt:
        status = NOT_RUN
    except CommandNotStarted as error:
        status = _print_failure(hints, error, error.status)
    except Invalid as exception:
        status = _print_failure(hints, exception, USAGE)
    except (AskbackError, OSError) as error:
        status = _print_failure(hints, error, NOT_RUN)
    raise typer.Exit(status)


def _connect_as_agent(data_dir: Path | None) -> ServerConnection:
    """Return a connection as the agent of `ASKBACK_CREDENTIALS` or `ASKBACK_TOKEN`, or else as that of `askback run`.

    A server of an older version has no such agent: there it is the agent that this user's programs share.
    """
    if data_dir is None and os.environ.get(discovery.CREDENTIALS):
        named = discovery.find()
        if named.key and not is_running({"url": named.url, "key": named.key}):
            raise NoServerRunning(f"No askback server answers at {named.url}. Start one with: askback serve")
        return ServerConnection(named.url, named.token)
    url, token = (os.environ.get(f"ASKBACK_{name}", "") for name in ("URL", "TOKEN"))
    if url and token and data_dir is None and is_running({"url": url}):
        return ServerConnection(url.rstrip("/"), token)
    try:
        return find("run", data_dir=data_dir)
    except NoServerRunning:
        return find("requester", data_dir=data_dir)


class SecretsNotProvided(AskbackError):
    """The person did not provide the secrets; the message is the sentence for the model."""


@dataclass(frozen=True, slots=True)
class _SecretNeeds:
    """The secrets that a command needs, and the request for them."""

    names: Sequence[str]
    reason: str
    scope: Scope
    project: str | None
    thread: str
    timeout: float | None


async def _run(
    server: ServerConnection, secret_needs: _SecretNeeds, argv: Sequence[str], *, redact: bool, hints: Console
) -> int:
    async with server.client() as client:
        async with AsyncExitStack() as stack:
            lease = await _lease(stack, client, secret_needs, server=server, hints=hints)
            scrubbers = {1: lease.stream(bytes), 2: lease.stream(bytes)} if redact else {}
            for name in lease.too_short if redact else ():
                hints.print(f"{name} is too short to be found in what the command says.", style="yellow")
            child = start(argv, lease.environ(), piped=redact)
        return await forward_until_exit(child, scrubbers)


async def _lease(
    stack: AsyncExitStack,
    client: AsyncClient,
    secret_needs: _SecretNeeds,
    *,
    server: ServerConnection,
    hints: Console,
) -> Lease:
    """Lease the secrets, asking a person first for those that are not granted."""
    try:
        return await stack.enter_async_context(
            client.secrets.lease(secret_needs.names, thread_id=secret_needs.thread)
        )
    except (NotFound, Conflict) as error:
        missing_names = _missing_names(error, secret_needs.names)
        if not missing_names:
            raise
    secrets = await _request_secrets(client, missing_names, secret_needs, server=server, hints=hints)
    if not secrets:
        raise SecretsNotProvided(secrets.text)
    return await stack.enter_async_context(
        client.secrets.lease(secret_needs.names, thread_id=secret_needs.thread)
    )


async def _request_secrets(
    client: AsyncClient,
    names: Sequence[str],
    secret_needs: _SecretNeeds,
    *,
    server: ServerConnection,
    hints: Console,
) -> SecretsResult:
    secrets = await client.secrets.request(
        names,
        reason=secret_needs.reason,
        thread_id=secret_needs.thread,
        default_scope=secret_needs.scope,
        project=secret_needs.project,
        agent="askback run",
        timeout_s=secret_needs.timeout,
        wait=False,
    )
    if secrets.request is None:
        return secrets
    return SecretsResult.from_request(
        await wait_until_settled(client, secrets.request, server=server, hints=hints)
    )


def _missing_names(error: Refused, names: Sequence[str]) -> list[str]:
    """Return the names for which a lease was refused; empty for any other error."""
    paths = {fault["path"] for fault in error.field_errors} if error.code in _MISSING_REASONS else set[str]()
    return [name for index, name in enumerate(names) if join("names", index) in paths]


def _unique_names(names: Sequence[str]) -> list[str]:
    """Return the names without duplicates; raises `BadParameter` for an invalid name."""
    for name in names:
        problem = (
            blocked_reason(name) if is_well_formed(name) else "use capital letters, digits and underscores"
        )
        if problem is not None:
            raise typer.BadParameter(f"{name} cannot be a secret: {problem}", param_hint="--secret")
    return list(dict.fromkeys(names))


def _scope(word: str) -> Scope:
    if word not in SCOPES:
        raise typer.BadParameter(f"must be one of {', '.join(SCOPES)}", param_hint="--scope")
    return word


def _reason(argv: Sequence[str]) -> str:
    """Return the reason to show: the command if it fits on a line, else its program."""
    command = f"To run: {shlex.join(argv)}"
    is_printable = command.isprintable() and len(command) <= DEFAULTS.secret_reason
    return command if is_printable else f"To run {Path(argv[0]).name}"


def _print_failure(hints: Console, error: Exception, status: int) -> int:
    hints.print(str(error), style="red")
    return status
