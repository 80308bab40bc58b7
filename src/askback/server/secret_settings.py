"""The setting `ASKBACK_BLOCKED_SECRET_NAMES`: more names of secrets that this server refuses."""

from __future__ import annotations

from askback.domain.secrets.names import is_well_formed
from askback.server.database_address import SettingsError


def read_blocked_names(variable: str, text: str) -> frozenset[str]:
    """Return the names of a comma-separated list; raises `SettingsError`."""
    names = frozenset(name for part in text.split(",") if (name := part.strip()))
    for name in sorted(names):
        if not is_well_formed(name):
            raise SettingsError(f"{variable}: {name!r} is not the name of a secret such as MASTER_SECRET.")
    return names
