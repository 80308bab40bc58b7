"""`askback install`: connect a client, with its own agent and token."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from askback.cli.background import PASSED_ON
from askback.cli.clients.additions import Addition, reason_against_writing
from askback.cli.clients.definitions import CLIENTS, Client, Command
from askback.cli.clients.record import PRIVATE, ChangedFile, Record, replace_file
from askback.cli.clients.tokens import ids_of_tokens, revoke
from askback.cli.connection import NoServerRunning, find
from askback.cli.local import run_as
from askback.cli.output import plain_console
from askback.client import AsyncClient
from askback.client.discovery import CREDENTIALS
from askback.client.discovery import data_dir as own_data_dir
from askback.client.lease import OWN_PREFIX
from askback.errors import AskbackError, missing_extra
from askback.server.settings import NOT_SERVER
from askback.wire.admin_replies import NewToken
from askback.wire.operation import OPERATOR

app = typer.Typer(add_completion=False)

Name = Annotated[str, typer.Argument(help=f"One of {', '.join(CLIENTS)}.")]
DataDir = Annotated[Path | None, typer.Option(help="Folder of the server.")]
YesOption = Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")]


@app.command()
def install(
    client: Name,
    root: Annotated[
        Path | None,
        typer.Option(help="Let the agent read this folder without asking. Default: ask about this folder."),
    ] = None,
    yes: YesOption = False,
    data_dir: DataDir = None,
) -> None:
    """Show the changes to a client's configuration, ask for confirmation, and connect it to askback.

    The client gets its own agent and token. The token is in a file that only you can read, and that the
    configuration names. Claude Code also gets a hook, which sends its permission prompts and questions to askback.
    """
    definition, console = known_client(client), plain_console()
    if find_spec("mcp") is None:
        raise AskbackError(missing_extra("MCP", "mcp"))
    record = record_file(definition, data_dir)
    unfinished_record = Record.read(record) if record.exists() else None
    if unfinished_record is not None and unfinished_record.token_id:
        raise AskbackError(
            f"{definition.title} is already installed. To reinstall: askback uninstall {client}"
        )
    require_writable_record(record)
    changes = [(item, item.read(), item.add_to(item.read())) for item in additions(definition, data_dir)]
    for addition, old_text, new_text in changes:
        addition.require_writable()
        show_diff(console, addition.path, old_text, new_text)
    console.print(f"A new token for the agent {client}, in {credentials_file(definition, data_dir)}")
    server_members, runs = _server_location(data_dir)
    if not runs:
        console.print(
            f"No askback server is running. {definition.title} starts it in the background when it needs it."
        )
        if names := _ignored_settings():
            console.print(
                f"It will not have the settings of {', '.join(names)}. To use them, start it by: askback serve"
            )
    if not yes:
        typer.confirm(f"Connect {definition.title}?", abort=True)
        if root is None and typer.confirm(f"May it read {Path.cwd()} without asking?"):
            root = Path.cwd()
    folder = None if root is None else str(root.expanduser().absolute())
    files = [ChangedFile.of(addition, new_text) for addition, _, new_text in changes]
    draft_record = Record("", "", folder, files)
    if unfinished_record is not None:
        run_as("admin", lambda ask: revoke(ask, client, unfinished_record), data_dir=data_dir)
    new_token = run_as(
        OPERATOR, lambda ask: _make_token(ask, client, draft_record, record), data_dir=data_dir, creates=True
    )
    credentials = {"token": new_token.token.reveal(), **server_members}
    replace_file(
        credentials_file(definition, data_dir), json.dumps(credentials, indent=2).encode(), mode=PRIVATE
    )
    replace(draft_record, token_id=new_token.id, agent=new_token.agent or "").write(record)
    for addition, _, new_text in changes:
        try:
            replace_file(addition.path, new_text.encode())
        except OSError as error:
            raise AskbackError(
                f"{addition.path} cannot be written: {error}. Undo the rest with: askback uninstall {client}"
            ) from None
    console.print(f"Connected. Restart {definition.title}. To undo: askback uninstall {client}")


def _ignored_settings() -> Sequence[str]:
    """Return the variables of this environment whose settings a background server does not have."""
    others = {*PASSED_ON, *NOT_SERVER, "ASKBACK_DATA_DIR", CREDENTIALS}
    return sorted(name for name in os.environ if name.startswith(OWN_PREFIX) and name not in others)


def known_client(name: str) -> Client:
    """Return a client by its name; raises `BadParameter`."""
    if name not in CLIENTS:
        raise typer.BadParameter(f"must be one of {', '.join(CLIENTS)}")
    return CLIENTS[name]


def additions(client: Client, data_dir: Path | None) -> list[Addition]:
    """Return the entries that a client needs in its files."""
    return [*client.additions(Path.home(), Command(credentials_file(client, data_dir)))]


def credentials_file(client: Client, data_dir: Path | None) -> Path:
    """Return the path of the token of a client."""
    return _folder(data_dir) / f"{client.name}.json"


def record_file(client: Client, data_dir: Path | None) -> Path:
    """Return the path of the installation record."""
    return _folder(data_dir) / f"{client.name}.installed.json"


def require_writable_record(record: Path) -> None:
    """Raise `AskbackError` if the installation record, and so the token beside it, cannot be written."""
    if (reason := reason_against_writing(record)) is not None:
        raise AskbackError(f"{reason} askback keeps the token and the installation record there.")


def show_diff(console: Console, path: Path, old_text: str, new_text: str) -> None:
    """Print the diff of a file."""
    lines = difflib.unified_diff(
        old_text.splitlines(), new_text.splitlines(), f"{path}", f"{path} (new)", lineterm="", n=2
    )
    for line in lines:
        style = {"+": "green", "-": "red"}.get(line[:1], "dim")
        console.print(line, style=style)


def _folder(data_dir: Path | None) -> Path:
    return (data_dir or own_data_dir()).expanduser().absolute() / "clients"


def _server_location(data_dir: Path | None) -> tuple[dict[str, str], bool]:
    """Return how the client finds the server, and whether it runs.

    A server of this machine is found by its data folder, because its port may change, any other by its address.
    """
    data_dir_members = {"data_dir": str(_folder(data_dir).parent)}
    try:
        server = find(OPERATOR, data_dir=data_dir)
    except NoServerRunning:
        return data_dir_members, False
    local = (_folder(data_dir).parent / "server.json").exists()
    return data_dir_members if local else {"url": server.url}, True


async def _make_token(ask: AsyncClient, client: str, draft_record: Record, file: Path) -> NewToken:
    """Make the token, after the record of an installation that may be killed before it knows the token."""
    replace(draft_record, tokens_before=await ids_of_tokens(ask, client)).write(file)
    return await ask.tokens.create(
        agent=client, roots=None if draft_record.root is None else [draft_record.root]
    )
