"""Presence across several servers: each registers its viewers under a lease that it renews.

Every query asks the register and no server keeps a copy, so the entries of a dead server end with its lease. A page
is registered before the server confirms that it is connected.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from askback.domain.ref_counter import RefCounter
from askback.errors import Unavailable
from askback.ports.bus import Bus
from askback.ports.presence import ArrivalListener, PresenceRegister, View

LEASE_S = 10.0
"""How long the viewers of a dead server are counted."""
RENEWALS = 3
"""How often a lease is renewed before it ends, so that one renewal may fail."""
PATIENCE_S = 2.0
"""How long a page waits at most to be registered; it also works unregistered."""

_log = logging.getLogger(__name__)


class SharedPresence:
    """The `Presence` port on a `PresenceRegister`. `server` is the name of this server's entries."""

    def __init__(
        self, register: PresenceRegister, bus: Bus, *, server: str, lease_s: float = LEASE_S
    ) -> None:
        self._register = register
        self._bus = bus
        self._server = server
        self._lease_s = lease_s
        self._view_counts = RefCounter[View](self._mark_changed)
        self._changed: set[View] = set()
        self._change = asyncio.Event()
        self._write_done = asyncio.Event()  # set after the current or last write
        self._write_done.set()
        self._next_write_done = asyncio.Event()  # set after the next write
        self._keeping: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Start a lease and renew it until `close`; raises `Unavailable` if the register cannot be reached."""
        await self._update()
        self._keeping = asyncio.get_running_loop().create_task(self._renew_lease())

    async def close(self) -> None:
        """End the lease."""
        task, self._keeping = self._keeping, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            with contextlib.suppress(Unavailable):  # the lease ends by itself
                await self._register.remove(self._server)

    def enter(self, tenant: str, thread_id: str | None) -> Callable[[], None]:
        """Count one more viewer until the returned function is called."""
        return self._view_counts.add((tenant, thread_id))

    async def wait_until_synchronized(self) -> None:
        """Return once all viewers of this server are registered, or after `PATIENCE_S`."""
        write_done = self._next_write_done if self._changed else self._write_done
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await write_done.wait()

    async def has_viewer(self, tenant: str, thread_id: str) -> bool:
        """Return whether any server has a viewer of this thread, or of all threads; raises `Unavailable`."""
        if not self._view_counts.keys.isdisjoint(((tenant, thread_id), (tenant, None))):
            return True
        return await self._register.has_viewer(tenant, thread_id)

    def on_arrival(self, notify: ArrivalListener) -> None:
        """Call `notify` when a thread gets its first viewer at any server."""
        self._bus.on_arrival(notify)

    def _mark_changed(self, view: View, _added: bool, /) -> None:
        self._changed.add(view)
        if self._next_write_done.is_set():
            self._next_write_done = asyncio.Event()
        self._change.set()

    async def _renew_lease(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._lease_s / RENEWALS):
                    await self._change.wait()
            try:
                await self._update()
            except Exception as error:  # noqa: BLE001 - each renewal tries again
                _log.warning("the viewers of this server could not be registered: %s", error)
                self._next_write_done.set()  # pages need not wait for the next attempt

    async def _update(self) -> None:
        """Register the changed views and renew the lease; repeating an update is harmless."""
        self._change.clear()
        changed, self._changed = self._changed, set()
        self._write_done, self._next_write_done = self._next_write_done, asyncio.Event()
        added = changed & self._view_counts.keys
        try:
            valid = await self._register.update(
                self._server,
                added=added,
                removed=changed - added,
                lease_ms=round(self._lease_s * 1000),
            )
        except BaseException:
            self._changed |= changed
            raise
        finally:
            self._write_done.set()
        for view in added:
            self._bus.arrive(*view)
        if not valid:
            self._changed |= self._view_counts.keys - added
        if self._changed:
            self._change.set()
