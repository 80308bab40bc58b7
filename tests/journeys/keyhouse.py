"""A data folder, and servers on it in this process, one after the other, with chosen master keys."""

from __future__ import annotations

import base64
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import httpx2

from askback.server.app import App, create_app
from askback.server.settings import load
from tests.journeys.people import Person, Team, create_team

BASE = "http://127.0.0.1:8787"


def ring(*ids: str) -> str:
    """Master keys for `ASKBACK_MASTER_KEYS`; the same id is the same key."""
    return ",".join(
        f"{key_id}:{base64.b64encode(key_id.encode().ljust(32, b'.')).decode()}" for key_id in ids
    )


class KeyFolder:
    """The folder, and servers on it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self.database = data / "askback.db"
        self.key_file = data / "master.key"
        self._app: App | None = None

    @asynccontextmanager
    async def team(self, keys: str | None) -> AsyncIterator[Team]:
        """Everybody, on a server with these keys (None: its own choice). Their tokens are new each time."""
        environ = {} if keys is None else {"ASKBACK_MASTER_KEYS": keys}
        self._app = app = create_app(load(environ, data_dir=self.data))
        async with app.running():
            admin = await app.token("admin")
            async with create_team(BASE, admin, transport=httpx2.ASGITransport(app=app)) as new_team:
                yield new_team

    @asynccontextmanager
    async def person(self, role: str, *, tenant: str = "default") -> AsyncIterator[Person]:
        """Another person, while the server runs."""
        assert self._app is not None
        token = await self._app.token(role, tenant=tenant)
        async with Person(BASE, token, transport=httpx2.ASGITransport(app=self._app)) as person:
            yield person

    def sealed(self) -> dict[str, str]:
        """The sealed texts by name."""
        with closing(sqlite3.connect(self.database)) as database:
            return dict(database.execute("SELECT name, sealed FROM secrets").fetchall())

    def keys_in_use(self) -> set[str]:
        """The ids of the keys in use."""
        return {text.split(".")[1] for text in self.sealed().values()}

    def keys_in_file(self) -> list[str]:
        """The ids in the key file, the sealing one first."""
        lines = self.key_file.read_text().splitlines()
        return [line.partition(":")[0] for line in lines if not line.startswith("#")]
