"""The default ports of a server: groups, presence and webhooks without external systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from askback.domain.ref_counter import RefCounter
from askback.ports.presence import ArrivalListener, View
from askback.ports.store import Principal
from askback.ports.webhooks import AddressRefused, WebhookResponse


class TokenDirectory:
    """The `Directory` port that takes a person's groups from the token or the login."""

    async def groups(self, principal: Principal) -> frozenset[str]:
        """Return the groups of the principal itself."""
        return frozenset(principal.groups)


class LocalPresence:
    """The `Presence` port within one process; enough for a server with its own database."""

    def __init__(self) -> None:
        self._view_counts = RefCounter[View](self._on_count_change)
        self._listeners: list[ArrivalListener] = []

    async def open(self) -> None:
        """Do nothing: there are no other servers."""

    async def close(self) -> None:
        """Do nothing: there are no other servers."""

    def enter(self, tenant: str, thread_id: str | None) -> Callable[[], None]:
        """Count one more viewer until the returned function is called."""
        return self._view_counts.add((tenant, thread_id))

    async def wait_until_synchronized(self) -> None:
        """Return immediately: a viewer is counted as soon as it enters."""

    async def has_viewer(self, tenant: str, thread_id: str) -> bool:
        """Return whether somebody watches this thread, or all of them."""
        return not self._view_counts.keys.isdisjoint(((tenant, thread_id), (tenant, None)))

    def on_arrival(self, notify: ArrivalListener) -> None:
        """Call `notify` when a thread gets its first viewer."""
        self._listeners.append(notify)

    def _on_count_change(self, view: View, added: bool, /) -> None:
        if added:
            for listener in self._listeners:
                listener(*view)


class NullWebhookClient:
    """The `WebhookClient` port without a network: it refuses every address."""

    def check_url(self, url: str) -> None:  # noqa: ARG002 - the signature is the port's
        """Refuse the address."""
        raise AddressRefused("unusable")

    async def post(
        self,
        url: str,  # noqa: ARG002 - as above
        *,
        headers: Mapping[str, str],  # noqa: ARG002
        body: bytes,  # noqa: ARG002
        answer_bytes: int = 0,  # noqa: ARG002
    ) -> WebhookResponse:
        """Refuse the address."""
        raise AddressRefused("unusable")
