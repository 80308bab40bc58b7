"""The browser of the tests: Chromium without windows if there is one, started so that a page costs little."""

from __future__ import annotations

import shutil
from pathlib import Path

AXE = Path(__file__).parents[1] / "web/node_modules/axe-core/axe.min.js"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
PATIENCE_MS = 60_000
"""After that much time a page will not show any more what a test waits for, however busy the machine is."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--in-process-gpu",
    # To start a process for each page costs as much as to load the page.
    "--disable-site-isolation-trials",
    "--renderer-process-limit=1",
    # Native date inputs follow the browser's own language, whatever the page says.
    "--lang=en-US",
]
