"""A courier that carries nothing anywhere, answers as it is told, and keeps what it was given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio

from askback.domain.webhooks import Allowed, refusal, target
from askback.ports.webhooks import AddressRefused, Answered


@dataclass(frozen=True, slots=True)
class Posted:
    """One message."""

    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class FakeCourier:
    """The `Courier` port without a network. `answers` are given in turn, and 204 when there are none left.

    An answer that is an error is raised. With `held`, messages are taken and answered once that is set.
    """

    answers: list[Answered | Exception] = field(default_factory=list[Answered | Exception])
    posted: list[Posted] = field(default_factory=list[Posted])
    allowed: Allowed = field(default_factory=Allowed)
    held: anyio.Event | None = None

    def vet(self, url: str) -> None:
        """Raise `AddressRefused` for what is refused whatever its name leads to."""
        if (why := refusal(target(url), self.allowed)) is not None:
            raise AddressRefused(why)

    async def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> Answered:
        """Keep it, and answer."""
        self.vet(url)
        self.posted.append(Posted(url, dict(headers), body))
        if self.held is not None:
            await self.held.wait()
        answer = self.answers.pop(0) if self.answers else Answered(204)
        if isinstance(answer, Exception):
            raise answer
        return answer
