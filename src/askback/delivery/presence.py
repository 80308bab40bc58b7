"""Who has a page open at any of several servers: each writes down where it has somebody, under a lease that it renews.

The register is asked, and no server remembers what others said: so nothing has to be told twice, and of a server that
dies nothing is left when its lease has run out. A page that is open counts at every server before it hears that it is.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from askback.domain.headcount import Headcount
from askback.errors import Unavailable
from askback.ports.bus import Bus
from askback.ports.presence import Place, Register, Told

LEASE_S = 10.0
"""How long those count whose server has died."""
RENEWALS = 3
"""How often a lease is renewed before it runs out, so that one renewal may fail."""
PATIENCE_S = 2.0
"""How long a page waits until it counts elsewhere: it is of use without."""

_log = logging.getLogger(__name__)


class SharedPresence:
    """The `Presence` port on a `Register`. `server` is what this server's entries are known by."""

    def __init__(self, register: Register, bus: Bus, *, server: str, lease_s: float = LEASE_S) -> None:
        self._register = register
        self._bus = bus
        self._server = server
        self._lease_s = lease_s
        self._watching = Headcount[Place](self._look_at)
        self._changed: set[Place] = set()
        self._change = asyncio.Event()
        self._written = asyncio.Event()  # what is being written, or was last
        self._written.set()
        self._to_write = asyncio.Event()  # what has changed since
        self._keeping: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Take a lease, and keep it; raises what the register raises when it cannot be reached."""
        await self._note()
        self._keeping = asyncio.get_running_loop().create_task(self._keep())

    async def close(self) -> None:
        """Give the lease up."""
        task, self._keeping = self._keeping, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            with contextlib.suppress(Unavailable):  # then it runs out
                await self._register.strike(self._server)

    def enter(self, tenant: str, thread_id: str | None) -> Callable[[], None]:
        """Count one more, until the returned function is called."""
        return self._watching.enter((tenant, thread_id))

    async def known(self) -> None:
        """Return once everybody who is here by now is written down, or after a moment."""
        done = self._to_write if self._changed else self._written
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S):
                await done.wait()

    async def anybody(self, tenant: str, thread_id: str) -> bool:
        """Whether somebody watches this thread, or all of them, here or elsewhere; raises `Unavailable`."""
        if not self._watching.places.isdisjoint(((tenant, thread_id), (tenant, None))):
            return True
        return await self._register.anybody(tenant, thread_id)

    def on_arrival(self, told: Told) -> None:
        """Call `told` when the first somebody enters a place, here or elsewhere."""
        self._bus.on_arrival(told)

    def _look_at(self, place: Place, _came: bool, /) -> None:
        self._changed.add(place)
        if self._to_write.is_set():
            self._to_write = asyncio.Event()
        self._change.set()

    async def _keep(self) -> None:
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._lease_s / RENEWALS):
                    await self._change.wait()
            try:
                await self._note()
            except Exception as error:  # noqa: BLE001 - it is tried again with each renewal
                _log.warning("other servers cannot be told who has a page open here: %s", error)
                self._to_write.set()  # whoever waits for it need not wait for that

    async def _note(self) -> None:
        """Write down how it stands wherever something has changed.

        Whether it stands so already does not matter: what could not be written may be written all the same.
        """
        self._change.clear()
        changed, self._changed = self._changed, set()
        self._written, self._to_write = self._to_write, asyncio.Event()
        came = changed & self._watching.places
        try:
            stands = await self._register.note(
                self._server, came=came, left=changed - came, lease_ms=round(self._lease_s * 1000)
            )
        except BaseException:
            self._changed |= changed
            raise
        finally:
            self._written.set()
        for place in came:
            self._bus.arrive(*place)
        if not stands:
            self._changed |= self._watching.places - came
        if self._changed:
            self._change.set()
