"""`askback uninstall`: restore the configuration of a client, and revoke its token."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import typer
from rich.console import Console

from askback.cli.clients.additions import CannotEdit
from askback.cli.clients.record import ChangedFile, Record
from askback.cli.clients.tokens import revoke
from askback.cli.install import (
    DataDir,
    Name,
    YesOption,
    credentials_file,
    known_client,
    record_file,
    require_writable_record,
    show_diff,
)
from askback.cli.local import run_as
from askback.cli.output import plain_console
from askback.errors import AskbackError

app = typer.Typer(add_completion=False)


@app.command()
def uninstall(client: Name, yes: YesOption = False, data_dir: DataDir = None) -> None:
    """Restore the files of a client byte for byte, revoke its token and folder, and cancel its open requests.

    From a file that has changed since, only the added entries are removed.
    """
    definition, console = known_client(client), plain_console()
    path = record_file(definition, data_dir)
    if not path.exists():
        raise AskbackError(f"{definition.title} is not installed here.")
    require_writable_record(path)
    record = Record.read(path)
    for file in record.files:
        _show(console, file)
    if not yes:
        typer.confirm(f"Disconnect {definition.title}?", abort=True)
    revoke_error = _revoke(client, record, data_dir=data_dir)
    remaining_files = [item for file in record.files if (item := _undo(file)) is not None]
    credentials_file(definition, data_dir).unlink(missing_ok=True)
    path.unlink()
    if remaining_files:
        raise AskbackError(
            "\n".join(
                [f"{definition.title} is disconnected, but look at its configuration.", *remaining_files]
            )
        )
    if revoke_error is not None:
        raise AskbackError(
            f"{definition.title} is disconnected, but its token is still valid. {revoke_error} "
            f"Revoke it there: askback token revoke {record.token_id or 'ID'}"
        )
    console.print(f"Disconnected {definition.title} and revoked its token.")


def _show(console: Console, file: ChangedFile) -> None:
    """Show what changes in a file. Raises `CannotEdit` if the file has to change and is protected."""
    if file.is_untouched():
        file.addition.require_writable()
        console.print(f"{file.path}: as it was before")
    elif not file.is_restored():
        with suppress(CannotEdit):  # said at the end
            text, remaining_text = file.addition.read(), file.text_without_addition()
            show_diff(console, file.addition.path, text, remaining_text)
            if text == remaining_text:
                console.print(f"{file.path}: no longer has an askback entry")
                return
        file.addition.require_writable()


def _undo(file: ChangedFile) -> str | None:
    """Undo the change of a file; returns why it has to be undone by hand."""
    try:
        file.undo()
    except (CannotEdit, OSError) as error:
        return f"{file.path} is as it was, with what askback added. {error}"
    return None


def _revoke(client: str, record: Record, *, data_dir: Path | None) -> AskbackError | None:
    """Revoke what the client got; returns why that is not done: the server may be gone for good."""
    try:
        run_as("admin", lambda ask: revoke(ask, client, record), data_dir=data_dir)
    except AskbackError as error:
        return error
    return None
