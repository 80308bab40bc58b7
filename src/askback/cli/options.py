"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, TypeVar

import typer

Word = TypeVar("Word", str, str | None)
DataDir = Annotated[Path | None, typer.Option(help="Use the server, or the database, of this data folder.")]


def require_choice(word: Word, choices: Collection[str], option: str) -> Word:
    """Return a word that is one of the choices, or None; raises `BadParameter` for any other."""
    if word is not None and word not in choices:
        raise typer.BadParameter(f"must be one of {', '.join(choices)}", param_hint=option)
    return word
