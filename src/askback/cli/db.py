"""`askback db upgrade`: upgrade the database to the version of this program."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anyio
import typer

from askback.ports.store import Store
from askback.server import settings as settings_module
from askback.server.app import backends

app = typer.Typer(add_completion=False, no_args_is_help=True)


@app.callback()
def db() -> None:
    """Manage the database."""


@app.command()
def upgrade(
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the server.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="Another database, sqlite:///path or postgresql://…")
    ] = None,
) -> None:
    """Upgrade the database; `askback serve` does the same when it starts. On Postgres this also creates it."""
    settings = settings_module.load(data_dir=data_dir, database_url=database_url)
    settings.require_database()
    anyio.run(_upgrade, backends(settings).store)
    print(f"{settings.database} is up to date.")


async def _upgrade(store: Store) -> None:
    await store.open()
    await store.close()
