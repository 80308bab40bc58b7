"""The default directory: groups come from the token or the login."""

from __future__ import annotations

from askback.ports.store import Principal


class OwnGroups:
    """The `Directory` port on what the host said when it made the credential."""

    async def groups(self, principal: Principal) -> frozenset[str]:
        """Return the groups of the principal itself."""
        return frozenset(principal.groups)
