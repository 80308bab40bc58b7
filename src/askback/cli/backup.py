"""`askback backup`: a copy of the database, the settings and the master keys, also while the server runs."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from askback.cli.backup_files import (
    DATABASE,
    NO_KEYS,
    SETTINGS,
    BackupRefused,
    key_ids,
    make_empty,
    write_private,
)
from askback.server import settings as settings_module
from askback.server.database_address import PostgresAddress
from askback.server.settings import Settings
from askback.storage.sqlite.backup import copy_database
from askback.vault.keyfile import read_key_file, sync_folder, write_key_file
from askback.vault.keys import parse_keys

app = typer.Typer(add_completion=False)


@app.command()
def backup(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.", show_default=False)],
    keys: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|none",
            help="Write the master keys to this new file, or leave them out. Required if there are secrets.",
        ),
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the server.")] = None,
    database_url: Annotated[
        str | None, typer.Option(help="Another database, sqlite:///path or postgresql://…")
    ] = None,
) -> None:
    """Copy the database, the settings and the master keys into a folder.

    The server may keep running: the copy is the database at one moment. Without the master keys no secret can be
    read, and with them every secret can: store them apart from the copy. On Postgres this writes the keys and
    the settings and prints the command for the rest.
    """
    settings = settings_module.load(data_dir=data_dir, database_url=database_url)
    folder = folder.expanduser().absolute()
    database = settings.database
    on_postgres = isinstance(database, PostgresAddress)
    _require_choice(settings, keys)
    key_file = None if keys in {None, NO_KEYS} else Path(keys or "").expanduser().absolute()
    if key_file is not None and key_file.exists():
        raise BackupRefused(f"{key_file} already exists. Choose a new file for the master keys.")
    make_empty(folder)
    old_keys = _read_master_keys(settings) if key_file is not None else dict[str, bytes]()
    if not on_postgres:
        copy_database(database, folder / DATABASE)
    write_private(folder / SETTINGS, json.dumps(_describe(settings), indent=2) + "\n")
    sync_folder(folder)
    parts = [f"{SETTINGS} in {folder}"] if on_postgres else [f"{DATABASE} and {SETTINGS} in {folder}"]
    if key_file is not None:
        # A key that was made or dropped while the database was copied may be needed for the copy.
        write_key_file(key_file, {**_read_master_keys(settings), **old_keys})
        parts.append(f"master keys in {key_file}")
    else:
        parts.append("no master keys")
    if on_postgres:
        dump = ["pg_dump", "--format=custom", "--schema=askback", f"--file={folder}/askback.dump"]
        print("Copy the database with:")
        print(f"  {shlex.join([*dump, database.without_password])}")
    print(f"Wrote {'; '.join(parts)}.")


def _require_choice(settings: Settings, keys: str | None) -> None:
    """Raise if there are secrets and `--keys` is missing."""
    if keys is not None:
        return
    if isinstance(settings.database, Path):
        needs_keys = bool(key_ids(settings.database))
    else:
        needs_keys = settings.master_keys not in {None, "off"}
    if needs_keys:
        raise BackupRefused(
            "This server stores sealed values (secrets, or the signing secrets of webhooks), and a copy without the "
            "master keys cannot read them. Say where to write the keys with --keys FILE, apart from the copy, or "
            "--keys none to leave them out."
        )


def _read_master_keys(settings: Settings) -> Mapping[str, bytes]:
    if settings.master_keys == "off" or (settings.master_keys is None and not settings.key_file.exists()):
        raise BackupRefused("This server has no master keys. Use --keys none.")
    if settings.master_keys is not None:
        return parse_keys(settings.master_keys, source="ASKBACK_MASTER_KEYS")
    return read_key_file(settings.key_file)


def _describe(settings: Settings) -> dict[str, object]:
    """Return the source of the backup and its settings without credentials."""
    variables = {
        name: text for name, text in os.environ.items() if name in settings_module.BACKED_UP_SETTINGS and text
    }
    kind = "sqlite" if isinstance(settings.database, Path) else "postgres"
    return {"askback": version("askback"), "database": kind, "settings": variables}
