"""The settings of the MCP server."""

from __future__ import annotations

from askback.server.database_address import SettingsError

LONGEST_S = 3600.0


def read_seconds(variable: str, text: str) -> float:
    """Read a number of seconds; raises `SettingsError`."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_S:
        raise SettingsError(f"{variable} must be a number of seconds above 0, at most {LONGEST_S:.0f}.")
    return seconds


def read_switch(variable: str, text: str) -> bool:
    """Read `on` or `off`; raises `SettingsError`."""
    if text.lower() not in ("on", "off"):
        raise SettingsError(f"{variable} must be on or off.")
    return text.lower() == "on"
