"""Rules as the terminal shows them: one line each for `askback rules`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

from askback.cli.terminal import printable
from askback.client.records import Rule

_STYLES = {"allow": "green", "ask": "yellow", "deny": "red"}
_HEADS = ("id", "effect", "rule", "holds", "by", "since", "until", "why")


def show(rules: Sequence[Rule]) -> None:
    """Print a table; on a pipe a line of tabs for each rule, so that nothing is cut or wrapped."""
    console = Console(highlight=False)
    if not rules:
        console.print("There are no rules.")
    elif console.is_terminal:
        table = Table(*_HEADS, box=None, pad_edge=False)
        for rule in rules:
            table.add_row(*(Text(cell) for cell in _cells(rule)), style=_style(rule))
        console.print(table)
    else:
        for rule in rules:
            print("\t".join(_cells(rule)))


def say(rule: Rule) -> None:
    """Print one rule on one line."""
    print("  ".join(cell for cell in _cells(rule) if cell))


def _cells(rule: Rule) -> tuple[str, ...]:
    marks = [mark for mark in ("locked", "shadow") if getattr(rule, mark)]
    holds = " ".join(filter(None, (rule.scope, rule.thread_id or rule.project)))
    cells = (
        rule.id,
        " ".join([rule.effect, *marks]),
        rule.rule,
        holds,
        rule.created_by.name if rule.created_by else "",
        _moment(rule.created_at),
        _end(rule),
        rule.why or "",
    )
    return tuple(printable(cell).replace("\n", "\\n") for cell in cells)


def _end(rule: Rule) -> str:
    if rule.revoked_at is not None:
        by = f" by {rule.revoked_by.name}" if rule.revoked_by else ""
        return f"revoked {_moment(rule.revoked_at)}{by}"
    return _moment(rule.expires_at) if rule.expires_at else ""


def _style(rule: Rule) -> str:
    return "dim" if rule.revoked_at else _STYLES[rule.effect]


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
