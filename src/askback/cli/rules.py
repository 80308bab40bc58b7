"""`askback rules`: list, add, revoke and try the rules for what may run without asking."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from askback.cli import rule_files
from askback.cli.connection import NoServerRunning, find
from askback.cli.language import sentences
from askback.cli.local import all_pages, client_as
from askback.cli.options import DataDir, report_empty, require_choice
from askback.cli.output import discard_stdout, plain_console
from askback.cli.policy_line import check_line
from askback.cli.terminal import minute, printable
from askback.client import AsyncClient, Rule
from askback.domain.policy.built_in_lists import LISTS, built_in_rules
from askback.domain.policy.effective import enforced_policy
from askback.domain.policy.engine import Policy
from askback.domain.questiontext import escape_hidden
from askback.server.settings import data_folders

EFFECTS, SCOPES = ("allow", "ask", "deny"), ("thread", "project", "always")

app = typer.Typer(add_completion=False, no_args_is_help=True)
app.command(name="built-in")(rule_files.built_in)
app.command()(rule_files.preview)
app.command()(rule_files.export)
app.command(name="import")(rule_files.import_)


@app.callback()
def rules() -> None:
    """Manage the rules for what may run without asking, on the running server or, without one, in its database."""


@app.command(name="list")
def list_(
    thread: Annotated[str | None, typer.Option(help="Only rules for this conversation.")] = None,
    project: Annotated[str | None, typer.Option(help="Only rules for this project.")] = None,
    ended: Annotated[bool, typer.Option("--ended", help="Include revoked and expired rules.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print each rule as a line of JSON.")] = False,
    data_dir: DataDir = None,
) -> None:
    """List rules, newest first, with the agent that each belongs to, who made it and why."""

    async def read() -> list[Rule]:
        async with client_as("responder", data_dir=data_dir) as client:
            return await _every_rule(client, thread_id=thread, project=project, ended=ended)

    rules = asyncio.run(read())
    report_empty(rules, "rules")
    if as_json:
        for rule in rules:
            print(escape_hidden(rule.model_dump_json(exclude_none=True)))
    else:
        show_rules(rules)


@app.command()
def add(
    rule: Annotated[str, typer.Argument(help="Such as bash(git diff:*) or write_file(path=src/**).")],
    effect: Annotated[str, typer.Option(help=f"One of {', '.join(EFFECTS)}.")] = "allow",
    scope: Annotated[
        str | None,
        typer.Option(help=f"One of {', '.join(SCOPES)}. Default: thread or project if given, else always."),
    ] = None,
    thread: Annotated[str | None, typer.Option(help="The conversation that the rule applies to.")] = None,
    project: Annotated[str | None, typer.Option(help="The project that the rule applies to.")] = None,
    agent: Annotated[
        str | None, typer.Option(help="The id of the agent that the rule is for. Default: every agent.")
    ] = None,
    expires_in: Annotated[
        float | None, typer.Option(help="Let the rule expire after this many seconds.")
    ] = None,
    why: Annotated[str | None, typer.Option(help="A note on why the rule exists.")] = None,
    locked: Annotated[
        bool,
        typer.Option("--locked", help="People cannot override it on a card. Admin only."),
    ] = False,
    shadow: Annotated[
        bool,
        typer.Option("--shadow", help="Only record in the audit log what the rule would decide."),
    ] = False,
    script_may_change: Annotated[
        bool, typer.Option("--script-may-change", help="Allow the command's script to run after it changes.")
    ] = False,
    data_dir: DataDir = None,
) -> None:
    """Add a rule and print it."""
    scope = scope or ("thread" if thread else "project" if project else "always")
    facts: dict[str, Any] = {
        "effect": require_choice(effect, EFFECTS, "--effect"),
        "scope": require_choice(scope, SCOPES, "--scope"),
        "thread_id": thread,
        "project": project,
        "agent": agent,
        "expires_in_s": expires_in,
        "why": why,
        "locked": locked,
        "shadow": shadow,
        "script_may_change": script_may_change,
    }

    async def write() -> Rule:
        async with client_as("admin" if locked else "responder", data_dir=data_dir, creates=True) as client:
            return await client.rules.create(rule, **facts)

    show_rules([asyncio.run(write())])


@app.command()
def revoke(
    rule_id: Annotated[str, typer.Argument(help="The rule's id (rul_…), from askback rules list.")],
    locked: Annotated[bool, typer.Option("--locked", help="Revoke a locked rule, as the admin.")] = False,
    data_dir: DataDir = None,
) -> None:
    """Revoke a rule. Calls that it allowed are asked again."""

    async def end() -> Rule:
        async with client_as("admin" if locked else "responder", data_dir=data_dir) as client:
            return await client.rules.revoke(rule_id)

    show_rules([asyncio.run(end())])


@app.command()
def check(
    source: Annotated[str, typer.Argument(help="A file of JSON lines; - is standard input.")] = "-",
    named: Annotated[
        str | None,
        typer.Option(
            "--list",
            help=f"Rules for lines without their own: {', '.join(LISTS)}. "
            "Default: those of the running server, or `default` if none runs.",
        ),
    ] = None,
    root: Annotated[
        list[Path] | None,
        typer.Option(help="A folder that the agent may read; repeatable. A line may have its own."),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="The folder in which calls run if their line names none.")
    ] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Use the server with this data folder.")] = None,
) -> None:
    """Show how calls would be decided, and why, without running them. Reads and writes JSON lines.

    A line is `{"tool"?, "command" | "argv" | "input", "shell"?, "allow"?: [...], "ask"?: [...],
    "deny"?: [...], "mode"?, "level"?, "ask_mode"?, "roots"?: [...], "folder"?}`. Other keys are ignored. An
    unreadable line needs approval.
    """
    if named is not None:
        require_choice(named, tuple(LISTS), "--list")
    machine = Policy(
        roots=tuple(str(item.expanduser().absolute()) for item in root or ()),
        own_paths=data_folders(data_dir),
    )
    cwd = None if folder is None else str(folder.expanduser().absolute())
    fallback = cache(
        lambda: _with_machine_settings(
            _servers_policy(data_dir) if named is None else _policy_of(named), machine
        )
    )
    try:
        lines = sys.stdin.buffer if source == "-" else open(source, "rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise typer.BadParameter(f"{source} cannot be read: {error.strerror}", param_hint="SOURCE") from None
    try:
        with lines:
            for line in lines:
                if line.strip():
                    # Flushed line by line: the caller may wait for each answer.
                    print(check_line(line, fallback, machine, cwd), flush=True)
    except BrokenPipeError:
        discard_stdout()


@dataclass(frozen=True, slots=True)
class _ConvertedRule:
    """A rule of the API, converted for a policy."""

    effect: str
    text: str
    locked: bool
    shadow: bool


def _with_machine_settings(policy: Policy, machine: Policy) -> Policy:
    return replace(policy, roots=machine.roots, own_paths=machine.own_paths)


def _policy_of(name: str) -> Policy:
    """Return a policy with one list; the default list includes the read-only tools, as on a new server."""
    return Policy(
        built_in_rules(name), read_only=built_in_rules("read-only-tools") if name == "default" else ()
    )


def _servers_policy(data_dir: Path | None) -> Policy:
    """Return the rules of the running server with the scope `always`, or the default list. Raises `NoServer`."""
    try:
        server = find("responder", data_dir=data_dir)
    except NoServerRunning:
        return _policy_of("default")

    async def read() -> Policy:
        async with server.client() as client:
            settings = await client.policy.get()
            rules = [rule for rule in await _every_rule(client) if rule.scope == "always"]
        return enforced_policy(
            settings, [_ConvertedRule(rule.effect, rule.rule, rule.locked, rule.shadow) for rule in rules]
        )

    return asyncio.run(read())


async def _every_rule(client: AsyncClient, **filters: Any) -> list[Rule]:
    return await all_pages(lambda cursor: client.rules.list(**filters, cursor=cursor, limit=200))


_STYLES = {"allow": "green", "ask": "yellow", "deny": "red"}


def show_rules(rules: Sequence[Rule]) -> None:
    """Print rules without cutting lines, so that a line can be searched and an id copied."""
    console = plain_console()
    for rule in rules:
        style = "dim" if rule.revoked_at else _STYLES[rule.effect]
        console.print(_escape(f"{rule.id}  {rule.effect:5}  {rule.rule}"), style=style)
        console.print(_escape(f"    {_origin(rule)}"), style="dim")


def _origin(rule: Rule) -> str:
    """Return the scope, origin, times and reason of a rule."""
    creator_text = f" by {rule.created_by.name}" if rule.created_by else ""
    facts = (
        " ".join(filter(None, (rule.scope, rule.thread_id or rule.project))),
        f"for {rule.agent_name or rule.agent}" if rule.agent else "for every agent",
        "locked" if rule.locked else "",
        "shadow: it decides nothing" if rule.shadow else "",
        f"since {minute(rule.created_at)}{creator_text}",
        f"until {minute(rule.expires_at)}" if rule.expires_at else "",
        _end(rule),
        f"why: {rule.why}" if rule.why else "",
        f"needs a choice: {_choice(rule)}" if rule.needs_choice else "",
        f"used {rule.usage.count}×, last {minute(rule.usage.last_at)}" if rule.usage else "",
    )
    return ", ".join(filter(None, facts))


def _choice(rule: Rule) -> str:
    codes = [rule.needs_choice_code] if rule.needs_choice_code else []
    return " ".join(sentences([rule.needs_choice or ""], codes))


def _end(rule: Rule) -> str:
    if rule.revoked_at is None:
        return ""
    revoker_text = f" by {rule.revoked_by.name}" if rule.revoked_by else ""
    return f"revoked {minute(rule.revoked_at)}{revoker_text}"


def _escape(line: str) -> str:
    return printable(line).replace("\n", "\\n")
