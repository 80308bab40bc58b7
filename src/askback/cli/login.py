"""`askback login`: a new login link from the server that runs on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from askback.cli import admin

app = typer.Typer(add_completion=False)


@app.command()
def login(
    name: Annotated[
        str | None,
        typer.Option(help="The name shown beside what is answered there; --user, or `owner`, without it."),
    ] = None,
    user: Annotated[
        str | None, typer.Option(help="Your id of the person: the same in each of their logins.")
    ] = None,
    group: Annotated[list[str] | None, typer.Option(help="A group they are in; several times.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the running server.")] = None,
) -> None:
    """Print a link that logs one browser in; it works once, for ten minutes."""
    person = {"name": name or user or "owner", "user": user, "groups": group or []}
    print(admin.post(data_dir, "/v1/login-links", person)["url"])
