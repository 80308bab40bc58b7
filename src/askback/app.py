"""The composition root: the only place that chooses a backend for each port and joins the transports."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import anyio
from anyio.abc import TaskGroup
from starlette.routing import Router, WebSocketRoute

from askback import openapi
from askback.database_address import PostgresAddress
from askback.delivery.local import LocalBus
from askback.delivery.presence import SharedPresence
from askback.delivery.shared import SharedBus
from askback.delivery.webhooks import HttpCourier
from askback.domain.events import Event
from askback.domain.limits import Limits
from askback.domain.modeltext import with_texts
from askback.domain.webhooks import Allowed
from askback.errors import StoreUnusable
from askback.plugins import installed_probes
from askback.ports.bus import Bus
from askback.ports.clock import Clock
from askback.ports.directory import Directory
from askback.ports.ids import Ids
from askback.ports.presence import Presence
from askback.ports.probe import Probe
from askback.ports.store import Store
from askback.ports.vault import Vault
from askback.ports.webhooks import Courier
from askback.service import arrivals, deadlines, erasure, restart, sessions, tokens, waiting
from askback.service.attempts import Attempts
from askback.service.context import Services
from askback.service.directory import OwnGroups
from askback.service.pace import Pace
from askback.service.presence import LocalPresence
from askback.service.readonly import RETRY_S
from askback.service.secrets import probe
from askback.service.waits import Waits
from askback.service.watch import Watches
from askback.service.webhooks import dispatch
from askback.settings import DEFAULT_TENANT, Settings, load
from askback.startup import Startup
from askback.storage.auditlog import TenantLog
from askback.storage.private import require_private
from askback.storage.sqlite import auditfile
from askback.storage.sqlite.store import SqliteStore
from askback.system import SystemClock, SystemIds
from askback.transports.endpoint import Operation, no_such_path, routes
from askback.transports.guard import Guard
from askback.transports.http import Receive, Scope, Send
from askback.transports.rest import table
from askback.transports.rest.pages import Site
from askback.transports.security import Addresses
from askback.transports.sse import Streams
from askback.transports.websocket.endpoint import Sockets
from askback.vault.auditseal import AuditSeals
from askback.vault.envelope import Envelope
from askback.vault.keyfile import read_key_file
from askback.vault.keys import KEY_BYTES, KeyRing, parse_keys
from askback.vault.locked import LockedVault
from askback.vault.ownkeys import KeyFile
from askback.vault.sealed import encode

STATIC = Path(__file__).parent / "static"
RESTART_S = 1.0

log = logging.getLogger(__name__)


class App:
    """An askback server as an ASGI app. Its services are for whoever runs it in the same process."""

    def __init__(self, settings: Settings, services: Services, *, scratch: Path | None) -> None:
        self.settings = settings
        self.services = services
        self._scratch = scratch
        watches = Watches(services)
        self._streams = streams = Streams(watches)
        self._waits = Waits(services)
        self._sockets = Sockets(services, watches, self._waits)
        for open_ended in (streams, self._sockets):
            services.bus.on_dismissal(open_ended.hang_up)
        services.presence.on_arrival(services.unseen.arrived)
        site = Site(STATIC)
        self.operations: Sequence[Operation] = [
            *table.api(
                cache(lambda: openapi.text(self.operations)),
                connections=self._connections,
            ),
            *table.events(thread=streams.thread, inbox=streams.inbox),
            *table.pages(site),
        ]
        router = Router(
            [*routes(services, self.operations), WebSocketRoute("/v1/ws", self._sockets)],
            redirect_slashes=False,
            default=no_such_path,
            lifespan=lambda _app: self.running(),
        )
        self._startup = Startup(settings, services, self._start_jobs)
        self._asgi = Guard(router, addresses=_addresses(settings), error_page=site.error)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection, or the lifespan."""
        await self._asgi(scope, receive, send)

    async def token(
        self,
        role: str,
        *,
        name: str | None = None,
        tenant: str = DEFAULT_TENANT,
        names: Sequence[str] = (),
        threads: Sequence[str] = (),
        user: str | None = None,
        groups: Sequence[str] = (),
    ) -> str:
        """Make a token, once the lifespan has begun; for an app in the caller's own process.

        `names` and `threads` are patterns of what a runner may lease, `user` is your id of the person it is for.
        """
        new = tokens.NewToken(
            role=role,
            name=name or user or role,
            tenant=tenant,
            names=names,
            threads=threads,
            user=user,
            groups=groups,
        )
        return (await tokens.issue(self.services, new, source="app")).secret

    @asynccontextmanager
    async def running(self, *, serves: bool = True, retry_s: float = RETRY_S) -> AsyncGenerator[None]:
        """Open the store, make the chosen tokens known and run the deadlines, until the block ends.

        The ASGI lifespan does the same; a server that is its own process may prefer this, since
        what goes wrong at the start is then raised as it is. A command that `serves` nobody ends no tokens that the
        settings do not name: its settings need not be those of the server. A server whose disk takes no writes starts
        read-only, and tries again every `retry_s`. Raises `StoreUnusable`.
        """
        folder = self._scratch or self.settings.data_dir
        self._require_private(folder)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnusable(f"The folder {folder} cannot be used: {error.strerror}.") from error
        await self.services.store.open()
        try:
            await self.services.bus.open()
            await self.services.presence.open()
            await self._startup.prepare(serves=serves)
            failed: Exception | None = None
            async with anyio.create_task_group() as tasks:
                self._startup.begin(tasks, serves=serves, retry_s=retry_s)
                try:
                    yield
                except Exception as error:  # noqa: BLE001 - raised below; the task group would wrap it
                    failed = error
                tasks.cancel_scope.cancel()
            if failed is not None:
                raise failed
        finally:
            self._streams.close()
            self._sockets.close()
            await self.services.last_use.write(self.services.store)
            await self.services.presence.close()
            await self.services.bus.close()
            await self.services.store.close()
            if self._scratch is not None:
                shutil.rmtree(self._scratch, ignore_errors=True)

    def when_writable(self, call: Callable[[], Awaitable[object]]) -> None:
        """Call this once, when a server that started read-only takes writes."""
        self._startup.when_writable(call)

    def _require_private(self, folder: Path) -> None:
        settings = self.settings
        database = [settings.database] if isinstance(settings.database, Path) else []
        require_private(
            files=[*database, settings.key_file, settings.server_file],
            folders=[folder, *(Path(os.path.realpath(file)).parent for file in database)],
        )

    def _start_jobs(self, tasks: TaskGroup) -> None:
        tasks.start_soon(_keep_expiring, self.services)
        tasks.start_soon(_keep_delivering, self.services)
        tasks.start_soon(self.services.last_use.run, self.services.store)
        tasks.start_soon(probe.run, self.services)
        tasks.start_soon(waiting.run, self.services)
        tasks.start_soon(arrivals.run, self.services)
        tasks.start_soon(sessions.run, self.services, self._sessions_open)
        tasks.start_soon(erasure.run, self.services, self.settings.retention_days)
        if self.settings.on_restart == "expire":
            started = self.services.clock.now_ms()
            tasks.start_soon(partial(restart.run, self.services, before_ms=started))

    def _sessions_open(self) -> set[str]:
        return self._sockets.sessions() | self._streams.sessions()

    def _connections(self) -> Mapping[str, int]:
        return {
            "websocket": self._sockets.count(),
            "event_stream": self._streams.count(),
            "wait": self._waits.count(),
        }


def create_app(
    settings: Settings | None = None,
    *,
    store: Store | None = None,
    bus: Bus | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    vault: Vault | None = None,
    directory: Directory | None = None,
    courier: Courier | None = None,
    probes: Mapping[str, Probe] | None = None,
    limits: Limits | None = None,
) -> App:
    """Build a server; each port that is not given is the real thing.

    Without settings the database is in a temporary folder, which goes when the app ends, and the master key
    is in memory. A `store` that is given must publish to `bus` what it commits. `probes` are those that agents may
    name, beside the ones that installed packages bring.
    """
    scratch = None
    if settings is None:
        scratch = Path(tempfile.gettempdir()) / f"askback-{secrets.token_hex(8)}"
        settings = load({}, data_dir=scratch)
        settings = replace(settings, master_keys=f"scratch:{encode(secrets.token_bytes(KEY_BYTES))}")
    presence: Presence = LocalPresence()
    if store is None:
        chosen = backends(settings, bus=bus)
        store, bus, presence, clock = chosen.store, chosen.bus, chosen.presence, clock or chosen.clock
    kept = _keys(settings) if vault is None else Keys(vault)
    clock = clock or SystemClock()
    limits = limits or settings.limits
    services = Services(
        store,
        bus or LocalBus(),
        clock,
        ids or SystemIds(),
        kept.vault,
        limits,
        directory=directory or OwnGroups(),
        presence=presence,
        courier=courier or HttpCourier(clock, allowed=Allowed.of(settings.webhook_hosts)),
        own_keys=kept.own,
        seals=kept.seals,
        own_paths=settings.own_paths,
        pace=Pace(limits),
        wrong_tokens=Attempts(limits.max_wrong_tokens_per_minute - 1),
        probes={**installed_probes(), **(probes or {})},
        texts=with_texts({}, brand=settings.brand),
        public_url=settings.public_url,
    )
    return App(settings, services, scratch=scratch)


@dataclass(frozen=True, slots=True)
class Backends:
    """A store, the bus that it publishes to, the clock that goes with it, and who is there at the servers on it."""

    store: Store
    bus: Bus
    clock: Clock
    presence: Presence


def backends(settings: Settings, *, bus: Bus | None = None) -> Backends:
    """Return what goes with the database that the settings name.

    Raises `StoreUnusable` when what it needs is not installed.
    """
    if isinstance(settings.database, PostgresAddress):
        return _postgres(settings.database.url, bus)
    bus = bus or LocalBus()
    return Backends(
        SqliteStore(settings.database, on_commit=bus.publish), bus, SystemClock(), LocalPresence()
    )


def _postgres(url: str, bus: Bus | None) -> Backends:
    try:
        from askback.storage.postgres import Database, PostgresStore
    except ModuleNotFoundError as missing:
        raise StoreUnusable("Postgres needs one more package: pip install 'askback[postgres]'.") from missing

    def on_commit(events: Sequence[Event]) -> None:
        chosen.publish(events)

    store = PostgresStore(Database(url), on_commit=on_commit)
    chosen = bus or SharedBus(store, origin=store.origin)
    return Backends(store, chosen, store.clock, SharedPresence(store.register, chosen, server=store.origin))


def audit_logs(settings: Settings) -> AbstractContextManager[Iterator[TenantLog]]:
    """Read the audit log of every tenant from the database, beside whatever server uses it."""
    if isinstance(settings.database, PostgresAddress):
        from askback.storage.postgres import Database
        from askback.storage.postgres.auditread import read_audit

        return read_audit(Database(settings.database.url))
    return auditfile.read_audit(settings.database)


@dataclass(frozen=True, slots=True)
class Keys:
    """What the master keys open: the secrets, and the seals on the audit log; `own` is their file."""

    vault: Vault
    own: KeyFile | None = None
    seals: AuditSeals | None = None


def _keys(settings: Settings) -> Keys:
    """Return what keeps secrets and seals the log; keys that were given have to be right."""
    if settings.master_keys == "off":
        return Keys(LockedVault())
    if settings.master_keys is None and isinstance(settings.database, PostgresAddress):
        return Keys(LockedVault())  # a file is one machine's, and secrets have to open at every server
    if settings.master_keys is not None:
        ring = KeyRing(parse_keys(settings.master_keys, source="ASKBACK_MASTER_KEYS"))
        return Keys(Envelope(ring), seals=AuditSeals(lambda: ring))
    own = KeyFile(settings.key_file)
    return Keys(Envelope(own), own, AuditSeals(lambda: own.ring))


def audit_seals(settings: Settings) -> AuditSeals | None:
    """Return what checks the seals on the audit logs, without making a key; None where no keys are.

    Raises `KeysUnusable`.
    """
    if settings.master_keys is not None or isinstance(settings.database, PostgresAddress):
        return _keys(settings).seals
    if not settings.key_file.exists():
        return None
    ring = KeyRing(read_key_file(settings.key_file))
    return AuditSeals(lambda: ring)


def _addresses(settings: Settings) -> Addresses:
    public = [settings.public_url] if settings.public_url else []
    hosts = [settings.host, *settings.allowed_hosts, *(url.partition("://")[2] for url in public)]
    return Addresses.of(hosts, settings.allowed_origins, public=public, literals=settings.wildcard)


async def _keep_expiring(services: Services) -> None:
    """Run the deadlines for as long as the server lives: a fault in one sweep must not end them."""
    while True:
        try:
            await deadlines.run(services)
        except Exception:
            log.exception("the deadlines stopped; they start again")
        await anyio.sleep(RESTART_S)


async def _keep_delivering(services: Services) -> None:
    """Deliver to webhooks for as long as the server lives."""
    while True:
        try:
            await dispatch.run(services)
        except Exception:
            log.exception("deliveries to webhooks stopped; they start again")
        await anyio.sleep(RESTART_S)
