"""`askback serve`: run the server, and print its address, tokens and sign-in link."""

from __future__ import annotations

import asyncio
import errno
import gc
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from askback import logs
from askback.cli.output import discard_stdout, plain_console
from askback.errors import AskbackError
from askback.server import settings as settings_module
from askback.server.app import App, create_app
from askback.server.bootstrap_tokens import open_keyring, require_database_of_tokens
from askback.server.core_dumps import forbid_core_dumps
from askback.server.owner import OWNER, owner_id
from askback.server.process import run_server
from askback.server.settings import DEFAULT_TENANT, Settings
from askback.server.workers import Addresses, Supervisor
from askback.service.access.roles import BOOTSTRAP_ROLES
from askback.service.agents import credentials
from askback.transports.handlers import import_policy
from askback.transports.rest.sessions import login_url

app = typer.Typer(add_completion=False)


class AddressInUse(AskbackError):
    """The address cannot be bound."""


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to bind. Default: 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="Port. Default: 8787; 0 picks a free one.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the database and of server.json.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="Another database, sqlite:///path or postgresql://…")
    ] = None,
    ready_json: Annotated[
        bool, typer.Option("--ready-json", help="Print one line of JSON when the server accepts requests.")
    ] = False,
    limit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Change a limit, such as options=500; may be repeated. docs/reference/settings.md lists all of them.",
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            min=1, max=256, help="Server processes that share the port; more than one needs Postgres."
        ),
    ] = 1,
) -> None:
    """Run the server until it is stopped.

    The first start creates a token for each role and stores them in server.json, next to the
    database. To choose the tokens, set `ASKBACK_BOOTSTRAP_TOKENS`.
    """
    gc.disable()  # until the server is ready: the objects of the start stay alive
    settings = settings_module.load(
        host=host, port=port, data_dir=data_dir, database_url=database_url, limits=limit or ()
    )
    logs.set_up(settings.log_level, settings.log_form)
    forbid_core_dumps()
    if not settings.loopback and not ready_json:
        _warn(
            f"Others can reach {settings.host}. Put a proxy with TLS before it: "
            "tokens and answers travel in the clear.\n"
        )
    for warning in settings.warnings:
        _warn(warning)
    require_database_of_tokens(settings)
    if workers > 1 and isinstance(settings.database, Path):
        raise AskbackError(
            f"--workers {workers} needs a Postgres database (--database-url postgresql://…). Only one process writes "
            "an SQLite database: it commits the changes of all requests together and caches who has access."
        )
    listener = bind(settings)
    announce = partial(_announce, as_json=ready_json)
    if workers == 1:
        _run(settings, listener, announce)
    else:
        _run_workers(workers, settings, listener, announce)


def _run(
    settings: Settings,
    listener: socket.socket,
    announce: Callable[[Addresses], None],
    *,
    makes_tokens: bool = True,
) -> None:
    """Serve in this process; `announce` is called once requests are accepted."""
    application = create_app(settings)

    async def on_ready() -> None:
        addresses = await _introduce(application, local_url(settings, listener)) if makes_tokens else {}
        # The current objects live as long as the server, so the collector need not scan them. Nearly all
        # objects of a request are freed by their reference count, so rare collections cost nothing and
        # shorten the tail latency.
        gc.freeze()
        gc.set_threshold(50_000, 50, 1_000)
        gc.enable()
        announce(addresses)
        asyncio.get_running_loop().run_in_executor(None, import_policy)

    run_server(application, listener, on_ready=on_ready)


def _run_workers(
    count: int, settings: Settings, listener: socket.socket, announce: Callable[[Addresses], None]
) -> None:
    import_policy()
    gc.freeze()  # the workers share the memory of the imported modules
    worker = Supervisor(count, announce=announce).run()
    if worker is None:
        return
    if worker.number or worker.replaces:  # open requests may belong to other workers
        settings = replace(settings, on_restart="keep")
    _run(settings, listener, worker.ready, makes_tokens=worker.number == 0)


def bind(settings: Settings) -> socket.socket:
    """Bind the address before the start, so that the port is known even if it was 0."""
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
            "Choose another with --port; --port 0 picks a free one."
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
    """Write the address and the tokens to server.json, and return them with a sign-in link.

    A read-only server returns the known tokens, no sign-in link, and the reason.
    """
    tokens = await open_keyring(application, url=url)
    if (reason := application.services.read_only.reason) is not None:
        known_tokens = {f"{role}_token": tokens[role] for role in BOOTSTRAP_ROLES if role in tokens}
        return {"url": url, **known_tokens, "read_only": reason}
    addresses = {"url": url, **{f"{role}_token": tokens[role] for role in BOOTSTRAP_ROLES}}
    code = await credentials.create_login_code(
        application.services, tenant=DEFAULT_TENANT, name=OWNER, user=owner_id(addresses)
    )
    return {**addresses, "login_url": login_url(application.settings.public_url or url, code)}


def _warn_without_tokens(addresses: Addresses) -> None:
    if any(f"{role}_token" in addresses for role in BOOTSTRAP_ROLES):
        return
    _warn(
        "No token is known here, because there is no server.json with tokens of this database. Tokens that programs "
        "have keep working. To use others, name them in ASKBACK_BOOTSTRAP_TOKENS, or wait until the database takes "
        "writes: the server then writes server.json."
    )


def _warn(text: str) -> None:
    plain_console(stderr=True).print(text, style="yellow")


def _announce(addresses: Addresses, *, as_json: bool) -> None:
    if "read_only" in addresses:
        _warn_without_tokens(addresses)
    try:
        if as_json:
            print(json.dumps(dict(addresses)), flush=True)
        else:
            _welcome(addresses)
    except BrokenPipeError:  # the program that started it has ended, but others may be waiting for it
        discard_stdout()


def _welcome(addresses: Addresses) -> None:
    console = plain_console()
    console.print(f"[bold]askback[/] is running at [bold]{addresses['url']}[/]\n", markup=True)
    if "login_url" in addresses:
        console.print("Open it in a browser; this link works once, for ten minutes:")
        console.print(f"  {addresses['login_url']}\n", style="cyan")
    if "requester_token" in addresses:
        console.print("For your agent (on this machine it finds them automatically):")
        console.print(
            f"  export ASKBACK_URL={addresses['url']} ASKBACK_TOKEN={addresses['requester_token']}\n"
        )
    console.print("Ctrl+C stops it.", style="dim")
