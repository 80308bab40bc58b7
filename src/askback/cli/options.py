"""Options that several commands have, and how lists say that they are empty."""

from __future__ import annotations

import sys
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


def report_empty(items: object, noun: str) -> None:
    """Print to standard error that a list is empty: scripts read only items from standard output."""
    if not items:
        print(f"There are no {noun}.", file=sys.stderr)
