"""A courier that delivers nothing, for services without one."""

from __future__ import annotations

from collections.abc import Mapping

from askback.ports.webhooks import AddressRefused, Answered


class Nowhere:
    """The `Courier` port without a network: every address is refused."""

    def vet(self, url: str) -> None:  # noqa: ARG002 - the signature is the port's
        """Refuse it."""
        raise AddressRefused("unusable")

    async def post(self, url: str, *, headers: Mapping[str, str], body: bytes) -> Answered:  # noqa: ARG002 - as above
        """Refuse it."""
        raise AddressRefused("unusable")
