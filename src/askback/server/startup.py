"""The start of a server: its tokens, its keys and its jobs, immediately or as soon as the store takes writes."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial

import anyio
from anyio.abc import TaskGroup

from askback.errors import Unavailable
from askback.server.settings import DEFAULT_TENANT, Settings
from askback.service.access import tokens
from askback.service.audit import seal
from askback.service.context import Services
from askback.service.local_state.read_only import RETRY_S
from askback.vault.keys import KeysUnusable
from askback.wire.operation import METRICS

log = logging.getLogger(__name__)


class Startup:
    """Starts a server on an open store. `jobs` starts what runs beside it."""

    def __init__(self, settings: Settings, services: Services, jobs: Callable[[TaskGroup], None]) -> None:
        self._settings = settings
        self._services = services
        self._jobs = jobs
        self._when_writable: list[Callable[[], Awaitable[object]]] = []

    def when_writable(self, call: Callable[[], Awaitable[object]]) -> None:
        """Call this once a server that started read-only takes writes."""
        self._when_writable.append(call)

    async def prepare(self, *, serves: bool) -> None:
        """Make the tokens of the settings known and open the keys; on a read-only store only the keys.

        `serves` as in `App.running`.
        """
        reason = self._services.read_only.reason = self._services.store.read_only()
        if reason is None:
            await self._set_up(serves=serves)
        else:
            log.error(
                "started read-only: %s. Reads work, every write is refused, and writing is tried again every %.0f s",
                reason,
                RETRY_S,
            )
            if self._settings.key_file.exists() or await self._services.store.sealed_after("", limit=1):
                await self._open_keys(make=False)

    def begin(self, tasks: TaskGroup, *, serves: bool, retry_s: float = RETRY_S) -> None:
        """Start the jobs; on a read-only store, once it accepts writes, which is tried every `retry_s`."""
        if self._services.read_only.reason is None:
            self._jobs(tasks)
        else:
            tasks.start_soon(partial(self._recover, tasks, serves=serves, retry_s=retry_s))

    async def _recover(self, tasks: TaskGroup, *, serves: bool, retry_s: float) -> None:
        while self._services.read_only.reason is not None:
            await anyio.sleep(retry_s)
            try:
                await self._services.store.recover()
                await self._set_up(serves=serves)
                for call in self._when_writable:
                    await call()
                self._services.read_only.reason = None
            except Unavailable as error:
                log.debug("still read-only: %s", error)
            except Exception:
                log.exception("still read-only")
        log.warning("the database takes writes again")
        self._jobs(tasks)

    async def _set_up(self, *, serves: bool) -> None:
        sealed = await self._services.store.sealed_after("", limit=1)
        await self._open_keys(make=not sealed)
        await seal.begin_sealing(self._services)  # before anything is written: tokens are in the log
        await self._store_tokens(retire=serves)

    async def _store_tokens(self, *, retire: bool) -> None:
        configured = [
            tokens.ConfiguredToken(
                token.token, tokens.NewToken(role=token.role, name=token.name, tenant=token.tenant)
            )
            for token in self._settings.bootstrap_tokens
        ]
        if self._settings.metrics_token is not None:
            reader = tokens.NewToken(role=METRICS, name=METRICS, tenant=DEFAULT_TENANT)
            configured.append(tokens.ConfiguredToken(self._settings.metrics_token, reader))
        await tokens.configure_tokens(self._services, configured, retire=retire)

    async def _open_keys(self, *, make: bool) -> None:
        """Open the key file, and create it only if nothing was sealed yet. Without one everything else works."""
        if self._services.own_keys is not None:
            try:
                await self._services.own_keys.open(make=make)
            except KeysUnusable as error:
                log.error("secrets are off: %s", error)
