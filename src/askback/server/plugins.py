"""Extensions from installed packages, found by entry points.

    [project.entry-points."askback.probes"]
    crm = "acme_askback:crm"

    [project.entry-points."askback.file_scans"]
    antivirus = "acme_askback:scan"

    [project.entry-points."askback.validators"]
    iban = "acme_askback:check_iban"

    [project.entry-points."askback.option_sources"]
    repositories = "acme_askback:repositories"

An entry point names the object itself: a probe has the method `probe`, a scan is an asynchronous function, a validator
and a source of options are functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from typing import Any

from askback.delivery.option_sources import SourceFunction
from askback.delivery.validators import ValidatorFunction
from askback.errors import AskbackError
from askback.ports.filescan import FileScan
from askback.ports.kinds import KindExtension
from askback.ports.probe import Probe

PROBES = "askback.probes"
FILE_SCANS = "askback.file_scans"
VALIDATORS = "askback.validators"
OPTION_SOURCES = "askback.option_sources"
KINDS = "askback.kinds"
GROUPS = (PROBES, FILE_SCANS, VALIDATORS, OPTION_SOURCES, KINDS)


class PluginUnusable(AskbackError):
    """An extension of an installed package cannot be used; the message says which and why."""


def installed_probes() -> dict[str, Probe]:
    """Return the probes by name. Raises `PluginUnusable`."""
    return {entry.name: _probe(entry) for entry in _entry_points(PROBES)}


def _entry_points(group: str) -> EntryPoints:
    """Return the entry points of a group."""
    return _entry_points_by_group(tuple(sys.path))[group]


@cache
def _entry_points_by_group(_path: tuple[str, ...]) -> Mapping[str, EntryPoints]:
    """Return the entry points by group. Reading them takes longer than building the rest of a server."""
    entries = entry_points()
    return {group: entries.select(group=group) for group in GROUPS}


def installed_file_scans() -> dict[str, FileScan]:
    """Return the scans of uploaded files by name. Raises `PluginUnusable`."""
    return {entry.name: _function(entry, "file scan") for entry in _entry_points(FILE_SCANS)}


def installed_validators() -> dict[str, ValidatorFunction]:
    """Return the validators by name. Raises `PluginUnusable`."""
    entries = _entry_points(VALIDATORS)
    return {entry.name: _function(entry, "validator") for entry in entries}


def installed_option_sources() -> dict[str, SourceFunction]:
    """Return the sources of options by name. Raises `PluginUnusable`."""
    entries = _entry_points(OPTION_SOURCES)
    return {entry.name: _function(entry, "source of options") for entry in entries}


def _function(entry: EntryPoint, noun: str) -> Callable[..., Any]:
    function = _load(entry, noun)
    if not callable(function):
        raise PluginUnusable(f"The {noun} {entry.name} ({entry.value}) is not a function.")
    return function


def _probe(entry: EntryPoint) -> Probe:
    probe = _load(entry, "probe")
    if not callable(getattr(probe, "probe", None)):
        raise PluginUnusable(f"The probe {entry.name} ({entry.value}) has no method probe.")
    return probe  # pyright: ignore[reportReturnType] - it was looked at


def _load(entry: EntryPoint, noun: str) -> object:
    try:
        return entry.load()
    except Exception as error:
        raise PluginUnusable(
            f"The {noun} {entry.name} ({entry.value}) cannot be loaded: {type(error).__name__}."
        ) from error


def registered_kinds(added: Iterable[KindExtension]) -> dict[str, KindExtension]:
    """Return the kinds of installed packages and the added ones, by name. Raises `PluginUnusable`."""
    kinds = [_kind(entry) for entry in _entry_points(KINDS)]
    by_name: dict[str, KindExtension] = {}
    for item in (*kinds, *added):
        if by_name.setdefault(item.name, item) is not item:
            raise PluginUnusable(f"Two packages add the kind {item.name}. Remove one of them.")
    return by_name


def _kind(entry: EntryPoint) -> KindExtension:
    kind = _load(entry, "kind")
    if not isinstance(kind, KindExtension):
        raise PluginUnusable(f"The kind {entry.name} ({entry.value}) is not a KindExtension.")
    return kind
