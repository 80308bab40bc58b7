"""askback without a server: the app runs in this process, on the same data folder.

The rules, the policy and the audit log are therefore the real ones. While a server uses the folder, its lock
prevents this.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from askback.cli.connection import NoServerRunning, find
from askback.client import AsyncClient, Page
from askback.client.transport_app import RunningApp
from askback.errors import StoreUnusable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Local:
    """A running app, and a token of each role by role."""

    app: Any
    tokens: Mapping[str, str]

    def token(self, role: str) -> str:
        """Return the token of a role; raises `StoreUnusable` if none is known."""
        if role not in self.tokens:
            raise StoreUnusable(
                f"The database is read-only, and no token of the role {role} is known. Make room, or make the disk "
                "writable, and try again."
            )
        return self.tokens[role]

    def client(self, role: str) -> AsyncClient:
        """Return a client of the app in a role; raises as `token` does."""
        return AsyncClient(app=self.app, token=self.token(role), via="cli")


@asynccontextmanager
async def run_app(data_dir: Path | None) -> AsyncGenerator[Local]:
    """Run the app until the block ends; raises `StoreUnusable` if another process uses the folder."""
    # Imported here: usually a server is running, and this slow import is not needed.
    from askback.server import settings as settings_module
    from askback.server.app import create_app
    from askback.server.bootstrap_tokens import open_keyring, require_database_of_tokens

    settings = settings_module.load(data_dir=data_dir)
    require_database_of_tokens(settings)
    application = create_app(settings)
    async with application.running(serves=False):
        yield Local(RunningApp(application), await open_keyring(application))


@asynccontextmanager
async def client_as(
    role: str, *, data_dir: Path | None, creates: bool = False
) -> AsyncGenerator[AsyncClient]:
    """Connect in a role to the running server, or to the app in this process if no server is running.

    Only a command that `creates` something creates a missing database. Raises `NoServer` if the named server
    cannot be used (the folder here is not its folder), and `StoreUnusable` without a database.
    """
    try:
        server = find(role, data_dir=data_dir)
    except NoServerRunning:
        if not creates:
            require_database(data_dir)
        async with run_app(data_dir) as local, local.client(role) as client:
            yield client
    else:
        async with server.client() as client:
            yield client


def run_as(
    role: str,
    work: Callable[[AsyncClient], Coroutine[Any, Any, T]],
    *,
    data_dir: Path | None,
    creates: bool = False,
) -> T:
    """Run `work` with a client of the running server, or without one of the app in this process."""

    async def run() -> T:
        async with client_as(role, data_dir=data_dir, creates=creates) as client:
            return await work(client)

    return asyncio.run(run())


async def all_pages(read: Callable[[str | None], Coroutine[Any, Any, Page[T]]]) -> list[T]:
    """Return the items of all pages; `read` takes a cursor."""
    page = await read(None)
    items = [*page]
    while page.next_cursor is not None:
        page = await read(page.next_cursor)
        items += page
    return items


def require_database(data_dir: Path | None) -> None:
    """Raise `StoreUnusable` without a database: a command that reads does not create one."""
    from askback.server import settings as settings_module

    settings_module.load(data_dir=data_dir).require_database()
