"""The settings `ASKBACK_BLOCKED_SECRET_NAMES` (secrets that this server refuses) and `ASKBACK_METRICS_TOKEN`."""

from __future__ import annotations

import re

from askback.domain.secrets.names import is_well_formed
from askback.server.database_address import SettingsError


def read_blocked_names(variable: str, text: str) -> frozenset[str]:
    """Return the names of a comma-separated list; raises `SettingsError`."""
    names = frozenset(name for part in text.split(",") if (name := part.strip()))
    for name in sorted(names):
        if not is_well_formed(name):
            raise SettingsError(f"{variable}: {name!r} is not the name of a secret such as MASTER_SECRET.")
    return names


def read_metrics_token(variable: str, text: str) -> str:
    """Read the token for `/metrics`; raises `SettingsError`."""
    if not re.fullmatch(r"[\w.~+/=-]{16,512}", text, re.ASCII):
        raise SettingsError(f"{variable} must be 16 to 512 letters, digits or . ~ + / = _ -.")
    return text
