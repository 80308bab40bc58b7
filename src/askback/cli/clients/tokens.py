"""The token of a connected client, which is revoked even if the installation was killed before it knew the token."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime

from askback.cli.clients.record import Record
from askback.cli.local import all_pages
from askback.client import AsyncClient
from askback.domain.lifecycle import OPEN
from askback.errors import Conflict, Gone, NotFound
from askback.wire.admin_replies import Token


async def ids_of_tokens(ask: AsyncClient, client: str) -> list[str]:
    """Return the ids of the tokens that the agents of a client have."""
    return [token.id for token in await _tokens(ask, client)]


async def revoke(ask: AsyncClient, client: str, record: Record) -> None:
    """Revoke the token of an installation and the folder that its agent may read, and cancel its open requests.

    An agent with another valid token, such as one on another machine, keeps its open requests.
    """
    if record.token_id:
        created_tokens = [(record.token_id, record.agent)]
    else:
        created_tokens = [
            (token.id, token.agent) for token in await _tokens(ask, client) if _is_unknown(token, record)
        ]
    for token_id, agent in created_tokens:
        with suppress(NotFound):
            await ask.tokens.revoke(token_id)
        if record.root is not None and agent:
            with suppress(NotFound):
                await ask.agents.revoke_root(agent, record.root)
        if agent and not await _has_valid_token(ask, agent):
            await _cancel_open(ask, agent)


async def _has_valid_token(ask: AsyncClient, agent: str) -> bool:
    tokens = await all_pages(lambda cursor: ask.tokens.list(agent=agent, cursor=cursor))
    return any(
        token.revoked_at is None and (token.expires_at is None or token.expires_at > datetime.now(UTC))
        for token in tokens
    )


async def _cancel_open(ask: AsyncClient, agent: str) -> None:
    for request in await all_pages(
        lambda cursor: ask.requests.list(agent=agent, status=sorted(OPEN), brief=True, cursor=cursor)
    ):
        with suppress(Conflict, Gone, NotFound):  # it has ended meanwhile
            await ask.requests.cancel(request, "admin")


def _is_unknown(token: Token, record: Record) -> bool:
    """Return whether an installation may have made a token, which nobody got then."""
    return token.id not in record.tokens_before and token.last_used_at is None and token.revoked_at is None


async def _tokens(ask: AsyncClient, client: str) -> Sequence[Token]:
    tokens = await all_pages(lambda cursor: ask.tokens.list(cursor=cursor))
    return [token for token in tokens if token.agent is not None and token.name == client]
