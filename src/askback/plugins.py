"""What installed packages bring to a server, by entry points.

    [project.entry-points."askback.probes"]
    crm = "acme_askback:crm"

An entry point leads to the thing itself, here an object with the method `probe`.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from askback.errors import AskbackError
from askback.ports.probe import Probe

PROBES = "askback.probes"


class PluginUnusable(AskbackError):
    """An installed package brings something that cannot be used; the message says which and why."""


def installed_probes() -> dict[str, Probe]:
    """Return the probes by the names under which agents ask for them. Raises `PluginUnusable`."""
    return {found.name: _probe(found) for found in entry_points(group=PROBES)}


def _probe(found: EntryPoint) -> Probe:
    try:
        probe: object = found.load()
    except Exception as failed:
        raise PluginUnusable(
            f"The probe {found.name} ({found.value}) cannot be loaded: {type(failed).__name__}."
        ) from failed
    if not callable(getattr(probe, "probe", None)):
        raise PluginUnusable(f"The probe {found.name} ({found.value}) has no method probe.")
    return probe  # pyright: ignore[reportReturnType] - it was looked at
