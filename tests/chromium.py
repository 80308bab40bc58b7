"""The browser of the tests: Chromium without windows if there is one, started so that a page costs little."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

AXE = Path(__file__).parents[1] / "web/node_modules/axe-core/axe.min.js"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
PATIENCE_MS = 60_000
"""The time after which a page will no longer show the expected element, even on a busy machine."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--in-process-gpu",
    # Starting a process for each page costs as much as loading the page.
    "--disable-site-isolation-trials",
    "--renderer-process-limit=1",
    # Native date inputs follow the browser's own language, whatever the page says.
    "--lang=en-US",
]
ALL: Mapping[str, Any] = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
CONTRAST: Mapping[str, Any] = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
WITHOUT_CONTRAST: Mapping[str, Any] = {**ALL, "rules": {"color-contrast": {"enabled": False}}}
"""Options of axe: rules by their tags or name, all by WCAG 2.2 AA."""
