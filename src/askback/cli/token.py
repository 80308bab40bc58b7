"""`askback token`: create, list and revoke tokens, on the running server or in its database."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from askback.cli.local import all_pages, run_as
from askback.cli.options import report_empty
from askback.client import AsyncClient, Token
from askback.errors import AskbackError
from askback.server.settings import DEFAULT_TENANT
from askback.service.access.roles import BOOTSTRAP_ROLES
from askback.wire.operation import OPERATOR

_ROLES = (*BOOTSTRAP_ROLES, "runner")
_LIFETIME = re.compile(r"(\d{1,6})([smhd]?)")
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}

app = typer.Typer(add_completion=False, no_args_is_help=True)

DataDir = Annotated[Path | None, typer.Option(help="Folder of the server.")]
Tenant = Annotated[str, typer.Option(help="The tenant of the token.")]


@app.callback()
def token() -> None:
    """Create, list and revoke tokens of agents and people."""


@app.command()
def create(
    role: Annotated[
        str | None, typer.Option(help=f"One of {', '.join(_ROLES)}; requester with --agent.")
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(help="The agent that the token is for, by name or id; a new name creates an agent."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="The name shown to people. Default: the role.")] = None,
    tenant: Tenant = DEFAULT_TENANT,
    root: Annotated[
        list[str] | None, typer.Option(help="A folder that the agent may read without asking; repeatable.")
    ] = None,
    thread: Annotated[
        list[str] | None, typer.Option(help="Limit the token to these threads (* and ?); repeatable.")
    ] = None,
    expires_in: Annotated[
        str | None,
        typer.Option(
            help="Seconds, or 30m, 12h, 90d. Default: never for an agent's token, 90 days for others."
        ),
    ] = None,
    lease_name: Annotated[
        list[str] | None, typer.Option(help="A secret that a runner may lease (* and ?); repeatable.")
    ] = None,
    lease_thread: Annotated[
        list[str] | None, typer.Option(help="A thread for which a runner may lease; repeatable.")
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="Your id for the person who gets the token, or for whom the agent works."),
    ] = None,
    group: Annotated[list[str] | None, typer.Option(help="A group of the person; repeatable.")] = None,
    compat: Annotated[
        str | None,
        typer.Option(help="Limit the token to /compat/<name>, and allow it in a URL: /compat/nebo/~TOKEN/…."),
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print a new token. It is shown once; the database keeps only its digest."""
    role = role or ("requester" if agent else None)
    if role not in _ROLES:
        raise typer.BadParameter(f"must be one of {', '.join(_ROLES)}", param_hint="--role")
    body: dict[str, Any] = {
        "role": role,
        "name": name or user or (None if agent else role),
        "user": user,
        "groups": group or [],
        "tenant": tenant,
        "agent": agent,
        "roots": [str(Path(item).expanduser().absolute()) for item in root] if root else None,
        "threads": thread or None,
        "expires_in_s": None if expires_in is None else _seconds(expires_in),
        "system": compat,
        "lease": _lease(role, lease_name or [], lease_thread or []),
    }
    _create({key: value for key, value in body.items() if value is not None}, data_dir)


def _lease(role: str, names: list[str], threads: list[str]) -> dict[str, list[str]] | None:
    if (role == "runner") != bool(names and threads) or (role != "runner" and (names or threads)):
        raise typer.BadParameter(
            "--lease-name and --lease-thread are required for a runner, and only allowed for one"
        )
    return {"names": names, "threads": threads} if role == "runner" else None


def _create(token_options: dict[str, Any], data_dir: Path | None) -> None:
    new_token = run_as(
        OPERATOR, lambda client: client.tokens.create(**token_options), data_dir=data_dir, creates=True
    )
    print(new_token.token.reveal())
    if new_token.expires_at:
        print(f"Expires {new_token.expires_at:%Y-%m-%d}.", file=sys.stderr)


@app.command(name="list")
def list_(
    agent: Annotated[str | None, typer.Option(help="Only tokens of this agent, by its id.")] = None,
    tenant: Annotated[str, typer.Option(help="List tokens of this tenant.")] = DEFAULT_TENANT,
    data_dir: DataDir = None,
) -> None:
    """List tokens: id, role, agent or person, expiry, last use. Never the tokens themselves."""
    tenant.encode()  # raises for an argument that is not valid UTF-8, which JSON could carry

    async def read(client: AsyncClient) -> list[Token]:
        return await all_pages(
            lambda cursor: client.tokens.list(agent=agent, tenant=tenant, limit=200, cursor=cursor)
        )

    tokens = run_as(OPERATOR, read, data_dir=data_dir)
    report_empty(tokens, "tokens")
    for token in tokens:
        print(_line(token))


@app.command()
def revoke(
    token_id: Annotated[str, typer.Argument(help="The id, from `askback token list`.")],
    tenant: Tenant = DEFAULT_TENANT,
    data_dir: DataDir = None,
) -> None:
    """Revoke a token. Its open connections close immediately."""
    if not re.fullmatch(r"[a-z]{3}_[0-9a-z]+", token_id):
        raise AskbackError("Give the id of a token (tok_…), not the token itself.")
    revoked_token = run_as(
        OPERATOR, lambda client: client.tokens.revoke(token_id, tenant=tenant), data_dir=data_dir
    )
    print(f"Revoked {revoked_token.id}.")


def _line(token: Token) -> str:
    if token.revoked_at:
        end_text = f"revoked {token.revoked_at:%Y-%m-%d}"
    else:
        end_text = f"expires {token.expires_at:%Y-%m-%d}" if token.expires_at else "no expiry"
    used = f"used {token.last_used_at:%Y-%m-%dT%H:%M}" if token.last_used_at else "not used"
    return "  ".join([token.id, f"{token.role:9}", token.name, end_text, used, token.agent or ""]).rstrip()


def _seconds(text: str) -> int:
    match = _LIFETIME.fullmatch(text)
    if match is None:
        raise typer.BadParameter("give seconds, or a number with m, h or d", param_hint="--expires-in")
    return int(match[1]) * _SECONDS[match[2]]
