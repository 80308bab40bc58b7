"""`askback restore`: create the data folder of a new server from a backup."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from askback.cli.backup_files import DATABASE, NO_KEYS, SETTINGS, BackupRefused, key_ids, make_empty
from askback.server import settings as settings_module
from askback.server.app import audit_logs
from askback.server.database_address import PostgresAddress
from askback.server.settings import Settings
from askback.storage.sqlite.backup import copy_database
from askback.vault.keyfile import read_key_file, write_key_file
from askback.vault.keys import parse_keys

app = typer.Typer(add_completion=False)


@app.command()
def restore(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="The folder that `askback backup` wrote.", show_default=False),
    ],
    keys: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|none",
            help="The master keys of the backup, or `none` to restore without its secrets. Required if it has secrets.",
        ),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Folder of the new server: it must be new or empty.")
    ] = None,
) -> None:
    """Restore a backup into a new or empty data folder. Then start `askback serve` with it."""
    settings = settings_module.load(data_dir=data_dir)
    folder = folder.expanduser().absolute()
    source = _database(folder)
    if isinstance(settings.database, PostgresAddress) or settings.database.exists():
        raise BackupRefused(f"{settings.database} is already a database. Choose another --data-dir.")
    needed_ids = key_ids(source)
    keys_found = _keys(settings, keys, needed_ids=needed_ids)
    make_empty(settings.data_dir)
    settings.database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    copy_database(source, settings.database)
    if keys_found:
        write_key_file(settings.key_file, keys_found)
    keys_text = f"master keys to {settings.key_file}" if keys_found else "no master keys"
    print(f"Restored {source} to {settings.database}; {keys_text}.")
    if not keys_found and settings.master_keys is None and _has_seal(settings):
        erase_step = (
            "erase the secrets, which cannot be read (askback secrets erase), and " if needed_ids else ""
        )
        print(
            "The audit log is sealed with a master key that was not restored, so askback audit verify fails. "
            f"To seal it with a new key, {erase_step}run: askback audit seal --data-dir {settings.data_dir}"
        )


def _has_seal(settings: Settings) -> bool:
    """Return whether the audit log of any tenant has a seal."""
    with audit_logs(settings) as logs:
        return any(log.recorded_head is not None and log.recorded_head.seal is not None for log in logs)


def _database(folder: Path) -> Path:
    database = folder / DATABASE
    if database.is_file():
        return database
    try:
        kind = json.loads((folder / SETTINGS).read_text("utf-8")).get("database")
    except (OSError, ValueError):
        raise BackupRefused(f"{folder} is not a backup: it has no {DATABASE}.") from None
    if kind != "postgres":
        raise BackupRefused(f"{folder} is not a backup: it has no {DATABASE}.")
    raise BackupRefused(
        f"{folder} is the backup of a server on Postgres. Restore the dump with pg_restore, and start the servers "
        "with the entries of the key file, joined by commas, in ASKBACK_MASTER_KEYS."
    )


def _keys(settings: Settings, keys: str | None, *, needed_ids: set[str]) -> Mapping[str, bytes]:
    """Return the keys to write; None if the environment has them or none are needed. Raises if they are missing."""
    if keys == NO_KEYS or settings.master_keys == "off":
        return {}
    if keys is None and settings.master_keys is None:
        if needed_ids:
            raise BackupRefused(
                "This backup has secrets. Pass its master keys with --keys FILE, or --keys none to go without them."
            )
        return {}
    if keys is not None:
        keys_by_id, source = read_key_file(Path(keys).expanduser().absolute()), keys
    else:
        keys_by_id = parse_keys(settings.master_keys or "", source="ASKBACK_MASTER_KEYS")
        source = "ASKBACK_MASTER_KEYS"
    if missing_ids := needed_ids - keys_by_id.keys():
        raise BackupRefused(
            f"{source} does not contain the master key {', '.join(sorted(missing_ids))}, which secrets of the "
            "backup need."
        )
    return keys_by_id if keys is not None else {}
