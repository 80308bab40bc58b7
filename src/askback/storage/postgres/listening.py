"""A connection that listens for notices: Postgres sends those of a group with its commit, in commit order."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

import asyncpg
from pydantic import TypeAdapter
from pydantic_core import ArgsKwargs

from askback.ports.bus import Activity, Arrival, Dismissal, FeedItem, Notice, PersonalChange, UnstoredMessage
from askback.storage.postgres.connection import Database, refused_by_database, unavailable

if TYPE_CHECKING:
    from asyncpg import Record

CHANNEL = "askback"
NOTIFY = "SELECT pg_notify('askback', $1)"

Receive = Callable[[FeedItem], None]

_KINDS = {
    len(fields(kind)): TypeAdapter[FeedItem](kind)
    for kind in (Dismissal, Arrival, Notice, PersonalChange, Activity)
}
"""The kinds of messages by their number of members, as servers of the previous version tell them apart."""

_log = logging.getLogger(__name__)


class Listening:
    """The `Subscription` of a shared bus."""

    def __init__(
        self, connection: asyncpg.Connection[Record], receive: Receive, *, patience_s: float
    ) -> None:
        self._connection = connection
        self._patience_s = patience_s
        self._receive = receive
        self._lost_event = asyncio.Event()
        connection.add_termination_listener(lambda _: self._lost_event.set())

    async def start(self) -> None:
        """Start to listen: every later commit is received."""
        await self._connection.add_listener(CHANNEL, self._on_notice)

    async def wait_until_lost(self) -> None:
        """Return once the connection is gone."""
        await self._lost_event.wait()

    async def check(self) -> None:
        """Query this connection, which may be dead without a reset from the other end."""
        await self._connection.execute("SELECT 1", timeout=self._patience_s)

    async def close(self) -> None:
        """Close the connection."""
        self._connection.terminate()

    def _on_notice(self, _connection: object, _pid: int, _channel: str, payload: object) -> None:
        try:
            members = json.loads(str(payload))
            feed_item = _KINDS[len(members)].validate_python(ArgsKwargs(tuple(members)))
        except (ValueError, TypeError, KeyError):
            _log.warning("a notice on the channel %s is not from askback", CHANNEL)
        else:
            self._receive(feed_item)


def payload(item: UnstoredMessage) -> str:
    """Return the payload of a notice without a commit."""
    return json.dumps(astuple(item))


async def listen(database: Database, receive: Receive) -> Listening:
    """Open a separate connection; raises `Unavailable`."""
    try:
        connection = await database.connect()
        listening = Listening(connection, receive, patience_s=database.patience.connect / 1000)
        await listening.start()
    except Exception as error:
        if refused_by_database(error):
            raise unavailable(error) from error
        raise
    return listening
