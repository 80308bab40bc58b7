"""Rules as `askback rules` prints them: what holds on one line, where it comes from on the next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.console import Console

from askback.cli.language import sentences
from askback.cli.terminal import printable
from askback.client.records import Rule

_STYLES = {"allow": "green", "ask": "yellow", "deny": "red"}


def show(rules: Sequence[Rule]) -> None:
    """Print rules, whole: nothing is cut, so that a line can be searched and an id copied."""
    console = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    if not rules:
        console.print("There are no rules.")
    for rule in rules:
        style = "dim" if rule.revoked_at else _STYLES[rule.effect]
        console.print(_shown(f"{rule.id}  {rule.effect:5}  {rule.rule}"), style=style)
        console.print(_shown(f"    {_origin(rule)}"), style="dim")


def _origin(rule: Rule) -> str:
    """Say where a rule holds, how, by whom, from when until when, and why."""
    by = f" by {rule.created_by.name}" if rule.created_by else ""
    facts = (
        " ".join(filter(None, (rule.scope, rule.thread_id or rule.project))),
        f"for {rule.agent_name or rule.agent}" if rule.agent else "for every agent",
        "locked" if rule.locked else "",
        "shadow: it decides nothing" if rule.shadow else "",
        f"since {_moment(rule.created_at)}{by}",
        f"until {_moment(rule.expires_at)}" if rule.expires_at else "",
        _end(rule),
        f"why: {rule.why}" if rule.why else "",
        f"needs a choice: {_choice(rule)}" if rule.needs_choice else "",
    )
    return ", ".join(filter(None, facts))


def _choice(rule: Rule) -> str:
    codes = [rule.needs_choice_code] if rule.needs_choice_code else []
    return " ".join(sentences([rule.needs_choice or ""], codes))


def _end(rule: Rule) -> str:
    if rule.revoked_at is None:
        return ""
    by = f" by {rule.revoked_by.name}" if rule.revoked_by else ""
    return f"revoked {_moment(rule.revoked_at)}{by}"


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"


def _shown(line: str) -> str:
    return printable(line).replace("\n", "\\n")
