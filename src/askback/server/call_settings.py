"""Settings of the addresses that this server calls by name, and the secrets that sign these calls."""

from __future__ import annotations

import re

from askback.domain.webhooks import decode_secret, parse_target
from askback.server.database_address import SettingsError


def read_calls(variable: str, text: str, *, reserved: str = "") -> tuple[tuple[str, str], ...]:
    """Read `name=url,…`; no name is `reserved`. Raises `SettingsError`."""
    entries = [entry.strip() for entry in text.split(",") if entry.strip()]
    found = [(name.strip(), url.strip()) for name, _, url in (entry.partition("=") for entry in entries)]
    for name, url in found:
        if not re.fullmatch(r"[\w.-]{1,100}", name) or name == reserved or parse_target(url) is None:
            raise SettingsError(
                f"{variable}: {name!r} must be name=url, such as stock=https://example.com/check."
            )
    return tuple(found)


def read_secret(variable: str, text: str) -> str:
    """Read the secret of webhooks. Raises `SettingsError`."""
    if decode_secret(text) is None:
        raise SettingsError(f"{variable} must be whsec_ and base64.")
    return text
