"""Which outcomes a peer was told, and whether they have arrived: what is written to a dead connection is lost.

A server that knows has a `confirm` (`extension.py`): `askback serve` does, by a ping and its pong. One question is
under way at a time, whatever is told meanwhile, so a busy connection costs a ping for each round trip. Elsewhere what
is written counts as arrived.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from askback.transports.websocket.extension import Confirm


class Receipts:
    """What one peer was told; `heard` is called for each request whose outcome has arrived."""

    __slots__ = ("_asking", "_confirm", "_heard", "_missed", "_told", "_written")

    def __init__(self, confirm: Confirm | None, *, heard: Callable[[str], object]) -> None:
        self._confirm = confirm
        self._heard = heard
        self._missed: list[str] = []
        self._told: list[str] = []
        self._written: list[str] = []
        self._asking = False

    def tell(self, request_id: str) -> None:
        """Note an outcome that is put among what is sent next."""
        self._told.append(request_id)

    def miss(self, request_id: str) -> None:
        """Note an outcome for which there was no room: it is in doubt until the peer has asked for it."""
        self._missed.append(request_id)

    def taken(self) -> list[str]:
        """Return what was told since the last time: it is being written now."""
        told, self._told = self._told, []
        self._written += told
        return told

    def written(self, told: list[str]) -> None:
        """Note that these were handed to the network."""
        if self._confirm is None:
            self._arrived(len(told))
        elif told and not self._asking:
            self._ask(self._confirm)

    def unheard(self) -> list[str]:
        """Return what is in doubt."""
        return [*self._missed, *self._written, *self._told]

    def _ask(self, confirm: Confirm) -> None:
        self._asking = True
        confirm(partial(self._answered, confirm, len(self._written)))

    def _answered(self, confirm: Confirm, count: int) -> None:
        self._asking = False
        self._arrived(count)
        if self._written:
            self._ask(confirm)

    def _arrived(self, count: int) -> None:
        arrived, self._written = self._written[:count], self._written[count:]
        for request_id in arrived:
            self._heard(request_id)
