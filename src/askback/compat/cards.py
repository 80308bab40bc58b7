"""A page that shows the open requests of all conversations as cards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from askback.domain.lifecycle import TERMINAL
from askback.ports.systems import Channel, Json


class CardPage(ABC):
    """One page. `shown` has the requests that are open on it by their ids, as they were shown."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.api = channel.api
        self.shown: dict[str, Json] = {}

    @abstractmethod
    async def opening(self, request: Json, shown: Json | None, /, *, recovered: bool) -> Sequence[Json]:
        """Return the frames that show a request, again if it is `shown`; none if this page cannot show it.

        One that is `recovered` was there before the page.
        """

    @abstractmethod
    async def closing(self, request: Json, shown: Json, /) -> Sequence[Json]:
        """Return the frames that say how a request ended, which is `shown` until now."""

    async def follow(self) -> None:
        """Show open requests, oldest first, then new ones."""
        async with self.api.watch(None) as events:
            for request in await self.api.open_requests():
                await self.update(request, recovered=True)
            async for event in events:
                await self.update(event["request"])

    async def update(self, request: Json, *, recovered: bool = False) -> None:
        """Show a change of a request; decisions of the policy have no card."""
        shown_card = self.shown.get(request["id"])
        if request["status"] in TERMINAL:
            if shown_card is not None:
                del self.shown[request["id"]]
                await self.send(await self.closing(request, shown_card))
            return
        is_new = shown_card is None or shown_card["revision"] != request["revision"]
        is_due = is_new and not request.get("queued_behind")
        if is_due and (frames := await self.opening(request, shown_card, recovered=recovered)):
            self.shown[request["id"]] = request
            await self.send(frames)

    async def send(self, frames: Sequence[Json]) -> None:
        """Send frames, one after the other."""
        for frame in frames:
            await self.channel.send(frame)
