"""The composition root: the only place that chooses a backend for each port and joins the transports."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import anyio
from anyio.abc import TaskGroup
from starlette.routing import Router, WebSocketRoute

from askback.delivery.in_process_bus import InProcessBus
from askback.delivery.multi_server_bus import MultiServerBus
from askback.delivery.option_sources import SourceFunction
from askback.delivery.presence import SharedPresence
from askback.delivery.validators import ValidatorFunction
from askback.delivery.webhooks import HttpWebhookClient
from askback.domain.events import Event
from askback.domain.limits import Limits
from askback.domain.modeltext import with_texts
from askback.domain.values import frozen
from askback.domain.webhooks import AllowedTargets
from askback.errors import StoreUnusable, missing_extra
from askback.ports.agents import Directory
from askback.ports.bus import Bus
from askback.ports.clock import Clock, Ids
from askback.ports.filescan import FileScan
from askback.ports.kinds import KindExtension
from askback.ports.presence import Presence
from askback.ports.probe import Probe
from askback.ports.store import Store
from askback.ports.vault import Vault
from askback.ports.webhooks import WebhookClient
from askback.server.connections import Connections
from askback.server.database_address import PostgresAddress
from askback.server.extensions import build_file_scans, build_option_sources, build_validators
from askback.server.mcp import Mcp
from askback.server.plugins import installed_probes, registered_kinds
from askback.server.proof import Proof
from askback.server.settings import DEFAULT_TENANT, Settings, load
from askback.server.startup import Startup
from askback.server.system import SystemClock, SystemIds
from askback.service.access import sessions, tokens
from askback.service.context import Services
from askback.service.jobs import deadlines, files, recovery, submissions
from askback.service.local_state.default_ports import LocalPresence, TokenDirectory
from askback.service.local_state.rate_limits import AttemptLimiter, RateLimiter
from askback.service.local_state.read_only import RETRY_S
from askback.service.repeat import repeat
from askback.service.threads import erase
from askback.service.webhooks import dispatch
from askback.storage.auditlog import TenantLog
from askback.storage.private import require_private
from askback.storage.sqlite import auditfile
from askback.storage.sqlite.store import SqliteStore
from askback.transports import rest
from askback.transports.endpoint import Paths, Prefix, refuse_unknown_path
from askback.transports.guard import Guard
from askback.transports.http import Receive, Scope, Send
from askback.transports.rest.oauth import finish_oauth
from askback.transports.rest.pages import Site
from askback.transports.security import Addresses
from askback.vault.auditseal import AuditSeals
from askback.vault.envelope import Envelope, LockedVault
from askback.vault.keyfile import read_key_file
from askback.vault.keys import KEY_BYTES, KeyRing, parse_keys
from askback.vault.ownkeys import KeyFile
from askback.vault.sealed import encode

STATIC = Path(__file__).parents[1] / "static"
RESTART_S = 1.0


class App:
    """An askback server as an ASGI app. Code in the same process may use its `services`."""

    def __init__(self, settings: Settings, services: Services, *, scratch: Path | None) -> None:
        self.settings = settings
        self.services = services
        self._scratch = scratch
        site = Site(STATIC)
        self.connections = Connections(services, finish_oauth=finish_oauth(site))
        services.presence.on_arrival(services.awaiting_viewer.viewer_arrived)
        self.routes = [
            *rest.api(
                connections=self.connections.counts,
                watch_thread=self.connections.streams.thread,
                watch_inbox=self.connections.streams.inbox,
                site=site,
            ),
            *rest.pages(site),
        ]
        self._mcp = Mcp(self, services, settings)
        router = Router(
            [
                Paths(services, self.routes),
                *self._mcp.routes(),
                *Proof(settings.server_file).routes(),
                WebSocketRoute("/v1/ws", self.connections.sockets),
                Prefix("/compat/", self.connections.compat),
            ],
            redirect_slashes=False,
            default=refuse_unknown_path,
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
        """Create a token for an app in the caller's own process, after its lifespan has begun.

        `names` and `threads` are patterns of a runner's secrets and threads, `user` is your id of the person
        that it acts for.
        """
        new_token = tokens.NewToken(
            role=role,
            name=name or user or role,
            tenant=tenant,
            names=names,
            threads=threads,
            user=user,
            groups=groups,
        )
        return (await tokens.issue_token(self.services, new_token, source="app")).secret

    @asynccontextmanager
    async def running(self, *, serves: bool = True, retry_s: float = RETRY_S) -> AsyncGenerator[None]:
        """Open the store, register the chosen tokens and run the jobs until the block ends.

        The ASGI lifespan does the same; this method raises the errors of the start unchanged. A command that does not
        serve (`serves=False`) keeps tokens that its settings do not name, since its settings may differ from
        the server's. If the disk refuses writes, the server starts read-only and tries again every `retry_s`.
        Raises `StoreUnusable`.
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
            failure: Exception | None = None
            async with anyio.create_task_group() as tasks:
                self._startup.begin(tasks, serves=serves, retry_s=retry_s)
                try:
                    yield
                except Exception as error:  # noqa: BLE001 - raised below; the task group would wrap it
                    failure = error
                tasks.cancel_scope.cancel()
            if failure is not None:
                raise failure
        finally:
            with anyio.CancelScope(shield=True):
                async with AsyncExitStack() as parts:  # all are closed, in reverse order, also when one fails
                    if self._scratch is not None:
                        parts.callback(shutil.rmtree, self._scratch, ignore_errors=True)
                    for part in (self.services.store, self.services.bus, self.services.presence):
                        parts.push_async_callback(part.close)
                    parts.push_async_callback(self.services.token_usage.flush, self.services.store)
                    parts.callback(self.end_connections)
                    parts.push_async_callback(self._mcp.close)

    def end_connections(self) -> None:
        """End lasting connections and held calls, each with a complete reply: the server is about to stop."""
        self._mcp.end()
        self.connections.end()

    def when_writable(self, call: Callable[[], Awaitable[object]]) -> None:
        """Call a function once a server that started read-only accepts writes."""
        self._startup.when_writable(call)

    def _require_private(self, folder: Path) -> None:
        settings = self.settings
        database = [settings.database] if isinstance(settings.database, Path) else []
        require_private(
            files=[*database, settings.key_file, settings.server_file],
            folders=[folder, *(Path(os.path.realpath(file)).parent for file in database)],
        )

    def _start_jobs(self, tasks: TaskGroup) -> None:
        for name, job in (("deadlines", deadlines.run), ("deliveries to webhooks", dispatch.run_deliveries)):
            restart = partial(repeat, interval_s=RESTART_S, failure=f"the {name} stopped")
            tasks.start_soon(restart, partial(job, self.services))
        tasks.start_soon(self.services.token_usage.run, self.services.store)
        tasks.start_soon(submissions.run_checks, self.services)
        tasks.start_soon(recovery.run_follow_ups, self.services)
        tasks.start_soon(deadlines.watch_for_viewers, self.services)
        tasks.start_soon(sessions.watch_ended_sessions, self.services, self.connections.session_ids)
        tasks.start_soon(files.run_file_sweep, self.services)
        tasks.start_soon(erase.run_retention, self.services, self.settings.retention_days)
        if self.settings.on_restart == "expire":
            started = self.services.clock.now_ms()
            tasks.start_soon(partial(recovery.run_expiry, self.services, before_ms=started))


def create_app(
    settings: Settings | None = None,
    *,
    store: Store | None = None,
    bus: Bus | None = None,
    clock: Clock | None = None,
    ids: Ids | None = None,
    vault: Vault | None = None,
    directory: Directory | None = None,
    webhook_client: WebhookClient | None = None,
    probes: Mapping[str, Probe] | None = None,
    file_scan: FileScan | None = None,
    validators: Mapping[str, ValidatorFunction] | None = None,
    option_sources: Mapping[str, SourceFunction] | None = None,
    kinds: Sequence[KindExtension] = (),
    limits: Limits | None = None,
) -> App:
    """Build a server. Ports that are not passed get their production implementation.

    Without settings the database is in a temporary folder, deleted when the app ends, and the master key in memory. A
    `store` must publish its commits to `bus`. `probes`, `file_scan`, `validators`, `option_sources` and
    `kinds` are added to the ones of installed packages. `validators` and `option_sources` may be plain
    functions.
    """
    scratch = None
    if settings is None:
        scratch = Path(tempfile.gettempdir()) / f"askback-{secrets.token_hex(8)}"
        settings = load({}, data_dir=scratch)
        settings = replace(settings, master_keys=f"scratch:{encode(secrets.token_bytes(KEY_BYTES))}")
    presence: Presence = LocalPresence()
    if store is None:
        backend = backends(settings, bus=bus)
        store, bus, presence, clock = backend.store, backend.bus, backend.presence, clock or backend.clock
    keys = _keys(settings) if vault is None else Keys(vault)
    clock, ids, limits = clock or SystemClock(), ids or SystemIds(), limits or settings.limits
    client = webhook_client or HttpWebhookClient(clock, allowed=AllowedTargets.parse(settings.webhook_hosts))
    services = Services(
        store,
        bus or InProcessBus(),
        clock,
        ids,
        keys.vault,
        limits,
        directory=directory or TokenDirectory(),
        presence=presence,
        webhook_client=client,
        own_keys=keys.key_file,
        seals=keys.seals,
        own_paths=settings.own_paths,
        rate_limiter=RateLimiter(limits),
        wrong_tokens=AttemptLimiter(limits.max_wrong_tokens_per_minute - 1),
        validators=build_validators(settings, validators or {}, client=client, clock=clock),
        option_sources=build_option_sources(settings, option_sources, client=client, clock=clock, ids=ids),
        probes={**installed_probes(), **(probes or {})},
        file_scans=build_file_scans(settings, file_scan, client=client, clock=clock, ids=ids),
        texts=with_texts({}, brand=settings.brand),
        public_url=settings.public_url,
        reported_approvals=settings.reported_approvals,
        oauth_providers=settings.oauth_providers,
        blocked_secret_names=settings.blocked_secret_names,
        kinds=registered_kinds(kinds),
    )
    return App(settings, services, scratch=scratch)


@frozen(slots=True)
class Backends:
    """A store with its bus, clock and presence."""

    store: Store
    bus: Bus
    clock: Clock
    presence: Presence


def backends(settings: Settings, *, bus: Bus | None = None) -> Backends:
    """Return the backends for the database in the settings.

    Raises `StoreUnusable` if a package that it needs is not installed.
    """
    if isinstance(settings.database, PostgresAddress):
        return _postgres(settings.database.url, bus)
    bus = bus or InProcessBus()
    return Backends(
        SqliteStore(settings.database, on_commit=bus.publish), bus, SystemClock(), LocalPresence()
    )


def _postgres(url: str, bus: Bus | None) -> Backends:
    try:
        from askback.storage.postgres import Database, PostgresStore
    except ModuleNotFoundError as error:
        raise StoreUnusable(missing_extra("Postgres", "postgres")) from error

    def on_commit(events: Sequence[Event]) -> None:
        shared_bus.publish(events)

    store = PostgresStore(Database(url), on_commit=on_commit)
    shared_bus = bus or MultiServerBus(store, origin=store.origin)
    return Backends(
        store, shared_bus, store.clock, SharedPresence(store.register, shared_bus, server=store.origin)
    )


def audit_logs(settings: Settings) -> AbstractContextManager[Iterator[TenantLog]]:
    """Read the audit log of every tenant from the database, even while a server uses it."""
    if isinstance(settings.database, PostgresAddress):
        from askback.storage.postgres import Database
        from askback.storage.postgres.auditread import read_audit

        return read_audit(Database(settings.database.url))
    return auditfile.read_audit(settings.database)


@frozen(slots=True)
class Keys:
    """The vault and the seals on the audit log, with the key file if the server keeps one."""

    vault: Vault
    key_file: KeyFile | None = None
    seals: AuditSeals | None = None


def _keys(settings: Settings) -> Keys:
    """Return the vault and the seals; keys from the settings must be valid."""
    if settings.master_keys == "off":
        return Keys(LockedVault())
    if settings.master_keys is None and isinstance(settings.database, PostgresAddress):
        return Keys(LockedVault())  # a key file is on one machine, and every server must open the secrets
    if settings.master_keys is not None:
        ring = KeyRing(parse_keys(settings.master_keys, source="ASKBACK_MASTER_KEYS"))
        return Keys(Envelope(ring), seals=AuditSeals(lambda: ring))
    key_file = KeyFile(settings.key_file)
    return Keys(Envelope(key_file), key_file, AuditSeals(lambda: key_file.ring))


def audit_seals(settings: Settings) -> AuditSeals | None:
    """Return the seals for checking audit logs, or None if there are no keys. Raises `KeysUnusable`."""
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
