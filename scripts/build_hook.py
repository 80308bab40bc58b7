"""Refuse to build a wheel or an sdist that would lack the web UI.

The built UI is not in git, so a build from a fresh clone would otherwise make a package that installs and
then shows an error page. An editable install needs no UI: if it is missing, the server says what to run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MISSING_UI_TEXT = (
    "The web UI is not built: src/askback/static has no {missing}. "
    "Run `make ui` (needs Node 20 or later) and build again; the package itself needs no Node."
)
INCLUDED_FILES = ("*.html", "assets/*.js")


class UiPresent(BuildHookInterface[Any]):
    """Fail the build, with instructions, if the UI is missing."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatchling's signature
        """Look for the UI before a standard build; raise RuntimeError without it."""
        if version == "editable":
            return
        static = Path(self.root, "src", "askback", "static")
        for pattern in INCLUDED_FILES:
            if not any(static.rglob(pattern)):
                raise RuntimeError(MISSING_UI_TEXT.format(missing=pattern))
