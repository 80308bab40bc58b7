"""A fake webhook client: it sends nothing, records messages, and gives prepared answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio

from askback.domain.webhooks import AllowedTargets, parse_target, target_fault
from askback.ports.webhooks import AddressRefused, WebhookResponse


@dataclass(frozen=True, slots=True)
class PostedMessage:
    """One recorded message."""

    url: str
    headers: Mapping[str, str]
    body: bytes


@dataclass
class FakeWebhookClient:
    """The `WebhookClient` port without a network. It returns `answers` in turn, then 204.

    An answer that is an error is raised. With `held`, messages are answered once that is set.
    """

    answers: list[WebhookResponse | Exception] = field(default_factory=list[WebhookResponse | Exception])
    posted: list[PostedMessage] = field(default_factory=list[PostedMessage])
    allowed: AllowedTargets = field(default_factory=AllowedTargets)
    held: anyio.Event | None = None

    def check_url(self, url: str) -> None:
        """Raise `AddressRefused` for a URL that is refused before its name is resolved."""
        if (problem := target_fault(parse_target(url), self.allowed)) is not None:
            raise AddressRefused(problem)

    async def post(
        self,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes,
        answer_bytes: int = 0,  # noqa: ARG002 - the answers are prepared
    ) -> WebhookResponse:
        """Record a message and answer it."""
        self.check_url(url)
        self.posted.append(PostedMessage(url, dict(headers), body))
        if self.held is not None:
            await self.held.wait()
        answer = self.answers.pop(0) if self.answers else WebhookResponse(204)
        if isinstance(answer, Exception):
            raise answer
        return answer
