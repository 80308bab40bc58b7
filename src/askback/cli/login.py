"""`askback login`: a new login link from the server that runs on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from askback.cli import admin

app = typer.Typer(add_completion=False)


@app.command()
def login(
    name: Annotated[str, typer.Option(help="The name shown beside what is answered there.")] = "owner",
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the running server.")] = None,
) -> None:
    """Print a link that logs one browser in; it works once, for ten minutes."""
    print(admin.post(data_dir, "/v1/login-links", {"name": name})["url"])
