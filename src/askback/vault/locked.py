"""The vault of a server without a master key."""

from __future__ import annotations

from askback.domain.secrets.secret import Secret
from askback.ports.vault import Binding, VaultLocked


class LockedVault:
    """The `Vault` port where nothing can be kept: everything raises `VaultLocked`, nothing is ever stored in clear."""

    async def active(self) -> str:
        """Raise `VaultLocked`."""
        raise VaultLocked

    async def seal(self, binding: Binding, secret: Secret) -> str:  # noqa: ARG002
        """Raise `VaultLocked`."""
        raise VaultLocked

    async def open(self, binding: Binding, sealed: str) -> Secret:  # noqa: ARG002
        """Raise `VaultLocked`."""
        raise VaultLocked

    async def rewrap(self, binding: Binding, sealed: str) -> str | None:  # noqa: ARG002
        """Raise `VaultLocked`."""
        raise VaultLocked
