"""`askback serve`: the server on uvicorn, with what a person and an agent need to reach it."""

from __future__ import annotations

import errno
import gc
import json
import socket
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from askback import logs
from askback import settings as settings_module
from askback.app import App, create_app
from askback.cli.coredumps import forbid_core_dumps
from askback.cli.keyring import NAMES, open_keyring, require_its_database
from askback.cli.runner import run_server
from askback.errors import AskbackError
from askback.service import credentials
from askback.service.access import STANDING
from askback.settings import DEFAULT_TENANT, Settings
from askback.transports.rest.accounts import login_url

app = typer.Typer(add_completion=False)
out = Console(highlight=False, soft_wrap=True)
err = Console(highlight=False, soft_wrap=True, stderr=True)


class AddressInUse(AskbackError):
    """The address cannot be bound."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to bind. Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="Port. Default: 8787; 0 takes any free one.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database and of server.json.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="Another database, sqlite:///path or postgresql://…")
    ] = None,
    ready_json: Annotated[
        bool, typer.Option("--ready-json", help="Print one line of JSON when the server accepts requests.")
    ] = False,
) -> None:
    """Run the server until it is stopped.

    The first start makes a token for each role and keeps them in server.json, beside the
    database; `ASKBACK_BOOTSTRAP_TOKENS` chooses them instead.
    """
    settings = settings_module.load(host=host, port=port, data_dir=data_dir, database_url=database_url)
    logs.set_up(settings.log_level, settings.log_form)
    forbid_core_dumps()
    if not settings.loopback and not ready_json:
        err.print(
            f"[yellow]Others can reach {settings.host}.[/] Put a proxy with TLS before it: "
            "tokens and answers travel in the clear.\n"
        )
    for warning in settings.warnings:
        err.print(f"[yellow]{escape(warning)}[/]")
    require_its_database(settings)
    listener = bind(settings)
    application = create_app(settings)

    async def announce() -> None:
        reach = await _introduce(application, local_url(settings, listener))
        # What is alive now lives as long as the server; the collector need not look at it again. Nearly all
        # that a request makes is freed by its count, so rare collections lose nothing and shorten the tails.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 50, 1_000)
        if "read_only" in reach:
            _warn_without_tokens(reach)
        if ready_json:
            print(json.dumps(reach), flush=True)
        else:
            _welcome(reach)

    run_server(application, listener, ready=announce)


def bind(settings: Settings) -> socket.socket:
    """Bind the address now, so that the port is known also when it was 0."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except socket.gaierror as error:
        raise AddressInUse(f"--host {settings.host} is not an address: {error.strerror}.") from None
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise AddressInUse(
                f"--host {settings.host} is not an address of this machine. Choose another with --host."
            ) from None
        raise AddressInUse(
            f"{settings.host}:{settings.port} cannot be bound ({error.strerror}). "
            "Choose another with --port; --port 0 takes a free one."
        ) from None
    return listener


def local_url(settings: Settings, listener: socket.socket) -> str:
    """Return the address for clients on this machine."""
    port = listener.getsockname()[1]
    host = settings.host
    if settings.wildcard:
        host = "[::1]" if ":" in host else "127.0.0.1"
    elif ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{port}"


async def _introduce(application: App, url: str) -> dict[str, str]:
    """Leave the address and the tokens in server.json, and return them with a login link.

    A server that is read-only returns the tokens that are known, no login link, and the reason.
    """
    tokens = await open_keyring(application, url=url)
    if (reason := application.services.read_only.reason) is not None:
        known = {f"{role}_token": tokens[role] for role in STANDING if role in tokens}
        return {"url": url, **known, "read_only": reason}
    code = await credentials.login_code(application.services, tenant=DEFAULT_TENANT, name=NAMES["responder"])
    reach = {"url": url, **{f"{role}_token": tokens[role] for role in STANDING}}
    return {**reach, "login_url": login_url(application.settings.public_url or url, code)}


def _warn_without_tokens(reach: dict[str, str]) -> None:
    if any(f"{role}_token" in reach for role in STANDING):
        return
    err.print(
        "No token is known here, because there is no server.json with tokens of this database. Tokens that programs "
        "have keep working. To use others, name them in ASKBACK_BOOTSTRAP_TOKENS, or wait until the database takes "
        "writes: the server then writes server.json.",
        style="yellow",
        markup=False,
    )


def _welcome(reach: dict[str, str]) -> None:
    out.print(f"[bold]askback[/] is running at [bold]{reach['url']}[/]\n")
    if "login_url" in reach:
        out.print("Open it in a browser; this link works once, for ten minutes:")
        out.print(f"  [cyan]{reach['login_url']}[/]\n")
    if "requester_token" in reach:
        out.print("For your agent (on this machine it finds them by itself):")
        out.print(
            f"  export ASKBACK_URL={reach['url']} ASKBACK_TOKEN={reach['requester_token']}\n", markup=False
        )
    out.print("[dim]Ctrl+C stops it.[/]")
