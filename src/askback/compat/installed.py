"""The systems that are installed: each package of `askback.compat` with a `SYSTEM`, served below `/compat/<its name>`.

Nothing lists them: to remove the package removes the system.
"""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec

from askback.ports.systems import System

_NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")


def find_system(name: str) -> System | None:
    """Return the `SYSTEM` of `askback.compat.<name>`, which is loaded when it is first used."""
    module = f"askback.compat.{name}"
    if _NAME.fullmatch(name) is None or find_spec(module) is None:
        return None
    system = getattr(import_module(module), "SYSTEM", None)
    return system if isinstance(system, System) else None
