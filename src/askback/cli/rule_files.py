"""`askback rules built-in`, `preview`, `export` and `import`."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer
from pydantic_core import from_json

from askback.cli.local import client_as
from askback.cli.options import DataDir
from askback.cli.terminal import minute, printable
from askback.client.resources.policy import RuleDraft
from askback.wire.policy_replies import BuiltInRules, RuleImport, RuleUsage


def built_in(data_dir: DataDir = None) -> None:
    """List the built-in rules by subject, and how often each has decided."""

    async def read() -> BuiltInRules:
        async with client_as("responder", data_dir=data_dir) as client:
            return await client.rules.built_in()

    built_in_rules = asyncio.run(read())
    print(f"lists in force: {', '.join(built_in_rules.lists) or 'none'}")
    for group in built_in_rules.groups:
        print(f"{group.name}:")
        for rule in group.rules:
            state = "" if rule.active else "  (not in force)"
            print(f"  {rule.rule}{state}{_usage_text(rule.usage)}")


def preview(
    rule: Annotated[str, typer.Argument(help="Such as bash(git diff:*) or write_file(path=src/**).")],
    effect: Annotated[str, typer.Option(help="One of allow, ask, deny.")] = "allow",
    project: Annotated[str | None, typer.Option(help="Only calls of this project.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only calls of the agent with this id.")] = None,
    data_dir: DataDir = None,
) -> None:
    """List the calls of the last 30 days that a rule would decide differently; nothing is stored."""

    async def pages() -> None:
        cursor, checked, changed = None, 0, 0
        async with client_as("responder", data_dir=data_dir) as client:
            while True:
                draft = RuleDraft(effect=cast("Literal['deny', 'ask', 'allow']", effect))
                page = await client.rules.preview(rule, project=project, agent=agent, cursor=cursor, **draft)
                for call in page.calls:
                    new_result = call.decision or call.status
                    print(printable(f"{call.then:5}  {call.headline}  ({call.agent.name}, {new_result})"))
                checked, changed = checked + page.checked, changed + len(page.calls)
                cursor = page.next_cursor
                if cursor is None:
                    break
        print(f"{changed} of {checked} calls since {minute(page.since)}.")

    asyncio.run(pages())


def export(
    file: Annotated[str, typer.Argument(help="Where to write; - is standard output.")] = "-",
    data_dir: DataDir = None,
) -> None:
    """Export the rules in force as JSON."""

    async def read() -> str:
        async with client_as("responder", data_dir=data_dir) as client:
            return (await client.rules.export()).model_dump_json(indent=2, exclude_defaults=True)

    text = asyncio.run(read())
    if file == "-":
        print(text)
    else:
        Path(file).write_text(text + "\n", encoding="utf-8")


def import_(
    file: Annotated[str, typer.Argument(help="An export; - is standard input.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be added.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Import an export, as the admin; existing rules are skipped.

    Exit status 1: a row is refused, and nothing was stored.
    """
    rows = _rows(file)

    async def run() -> RuleImport:
        async with client_as("admin", data_dir=data_dir, creates=True) as client:
            checked_rule_import = await client.rules.import_(rows, dry_run=True)
            return (
                checked_rule_import
                if dry_run or checked_rule_import.refused
                else await client.rules.import_(rows)
            )

    report = asyncio.run(run())
    for line in _problem_lines(report):
        print(printable(line), file=sys.stderr)
    added = "would be added" if report.dry_run else "added"
    print(f"{report.added} {added}, {report.known} in force already, {report.refused} refused.")
    raise typer.Exit(1 if report.refused else 0)


def _rows(file: str) -> list[Any]:
    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        rows = from_json(text)["rules"]
    except OSError as error:
        raise typer.BadParameter(f"{file} cannot be read: {error.strerror}", param_hint="FILE") from None
    except (ValueError, TypeError, KeyError):
        rows = None
    if not isinstance(rows, list):
        raise typer.BadParameter(
            "must be an export of askback rules export: JSON with a list `rules`", param_hint="FILE"
        )
    return cast("list[Any]", rows)


def _problem_lines(report: RuleImport) -> Iterator[str]:
    for row in report.rows:
        for problem in row.problems:
            yield f"{problem.path}: {problem.message}"


def _usage_text(usage: RuleUsage | None) -> str:
    return "" if usage is None else f"  used {usage.count}×, last {minute(usage.last_at)}"
