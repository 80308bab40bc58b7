"""`askback stop`: end the server that a connected client has started."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from askback.cli.background import stop_server
from askback.errors import AskbackError
from askback.server import settings as settings_module

app = typer.Typer(add_completion=False)


@app.command()
def stop(
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the running server.")] = None,
) -> None:
    """Stop the server that Claude Code or another connected client has started in the background.

    A connected client starts it again when it needs it. Requests stay open meanwhile.
    """
    folder = settings_module.load(data_dir=data_dir).data_dir
    if not stop_server(folder):
        raise AskbackError(
            f"No server of {folder} runs in the background. Stop one in a terminal with Ctrl-C."
        )
    print(f"Stopped the server of {folder}.")
