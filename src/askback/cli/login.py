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
        typer.Option(help="The name shown with answers. Default: --user, or `owner`."),
    ] = None,
    user: Annotated[str | None, typer.Option(help="Your id for the person, the same for each login.")] = None,
    group: Annotated[list[str] | None, typer.Option(help="A group of the person; repeatable.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the running server.")] = None,
) -> None:
    """Print a link that logs one browser in; it works once, for ten minutes."""
    person = {"name": name or user or "owner", "user": user, "groups": group or []}
    print(admin.post(data_dir, "/v1/login-links", person)["url"])
