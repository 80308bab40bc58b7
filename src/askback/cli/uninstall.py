"""`askback uninstall`: restore the configuration of a client, and revoke its token."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import typer
from rich.console import Console

from askback.cli.clients.additions import Addition
from askback.cli.clients.record import Changed, Record, replace_file
from askback.cli.install import (
    DataDir,
    Name,
    Yes,
    additions,
    credentials_file,
    known_client,
    read_text,
    record_file,
    show_diff,
)
from askback.cli.local import run_as
from askback.client import AsyncClient
from askback.errors import AskbackError, NotFound

app = typer.Typer(add_completion=False)


@app.command()
def uninstall(client: Name, yes: Yes = False, data_dir: DataDir = None) -> None:
    """Restore the files of a client byte for byte, and revoke its token and the folder that it may read.

    From a file that has changed since, only what was added is taken out.
    """
    chosen, console = known_client(client), Console(highlight=False, soft_wrap=True)
    kept = record_file(chosen, data_dir)
    if not kept.exists():
        raise AskbackError(f"{chosen.title} is not installed here.")
    record = Record.read(kept)
    by_path = {str(each.path.resolve()): each for each in additions(chosen, data_dir)}
    steps = [(file, by_path.get(file.path)) for file in record.files]
    for file, addition in steps:
        _show(console, file, addition)
    if not yes:
        typer.confirm(f"Disconnect {chosen.title}?", abort=True)
    run_as("admin", lambda ask: _revoke(ask, record), data_dir=data_dir)
    for file, addition in steps:
        _undo(file, addition)
    credentials_file(chosen, data_dir).unlink(missing_ok=True)
    kept.unlink()
    console.print(f"Disconnected {chosen.title} and revoked its token.", markup=False)


def _show(console: Console, file: Changed, addition: Addition | None) -> None:
    if file.is_untouched():
        console.print(f"{file.path}: as it was before", markup=False)
    elif addition is not None and not file.is_restored():
        text = read_text(Path(file.path))
        show_diff(console, Path(file.path), text, addition.remove_from(text))


def _undo(file: Changed, addition: Addition | None) -> None:
    path = Path(file.path)
    if file.is_untouched():
        file.restore()
    elif addition is not None and not file.is_restored():
        replace_file(path, addition.remove_from(read_text(path)).encode())


async def _revoke(ask: AsyncClient, record: Record) -> None:
    with suppress(NotFound):
        await ask.tokens.revoke(record.token_id)
    if record.root is not None and record.agent:
        with suppress(NotFound):
            await ask.agents.revoke_root(record.agent, record.root)
