"""Test support: a scripted person for tests of agents, and conformance suites and fakes for extensions.

The names below are for tests of agents. Backends are tested with the suites of `bus_contracts`, `presence_contracts`
and `vault_contracts`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from askback.testing.recording import Rate, approval_rates, load, replay, save
    from askback.testing.replies import Approve, Decline, Deny, Fail, LeaveOpen, Reply
    from askback.testing.scripted_person import ScriptedPerson, ScriptedRequest, ScriptError, person

__all__ = [
    "Approve",
    "Decline",
    "Deny",
    "Fail",
    "LeaveOpen",
    "Rate",
    "Reply",
    "ScriptError",
    "ScriptedPerson",
    "ScriptedRequest",
    "approval_rates",
    "load",
    "person",
    "replay",
    "save",
]

_MODULES = {
    "askback.testing.recording": ("Rate", "approval_rates", "load", "replay", "save"),
    "askback.testing.replies": ("Approve", "Decline", "Deny", "Fail", "LeaveOpen", "Reply"),
}


def _load(name: str) -> object:
    """Import a name when it is first used: the conformance suites need no server."""
    if name not in __all__:
        raise AttributeError(f"module 'askback.testing' has no attribute {name!r}")
    modules = (module for module, names in _MODULES.items() if name in names)
    module = import_module(next(modules, "askback.testing.scripted_person"))
    globals()[name] = value = getattr(module, name)
    return value


if not TYPE_CHECKING:  # a type checker that saw it would accept any name
    __getattr__ = _load
