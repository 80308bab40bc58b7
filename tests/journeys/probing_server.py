"""A server with the probe `crm`, which writes down that it is called; it never ends for the value `hangs`.

Run as `python probing_server.py DATA_DIR CALLS_FILE`, with the tokens in ASKBACK_BOOTSTRAP_TOKENS.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import anyio

from askback.app import create_app
from askback.cli.runner import run_server
from askback.cli.serve import bind, local_url
from askback.domain.limits import DEFAULTS
from askback.domain.secrets.secret import Secret
from askback.ports.probe import HOLDS, Verdict
from askback.settings import load


class Crm:
    """Counts its calls in a file, which outlives the process."""

    async def probe(self, secrets: Mapping[str, Secret], /) -> Verdict:
        """Write a line, then agree, or not come back."""
        with open(sys.argv[2], "a", encoding="ascii") as calls:
            calls.write("called\n")
        if secrets["A_KEY"].reveal() == "hangs":
            await anyio.sleep_forever()
        return HOLDS


def main() -> None:
    settings = load(os.environ, data_dir=Path(sys.argv[1]), port=0)
    listener = bind(settings)

    async def announce() -> None:
        print(local_url(settings, listener), flush=True)

    app = create_app(settings, probes={"crm": Crm()}, limits=replace(DEFAULTS, probe_s=1))
    run_server(app, listener, ready=announce)


if __name__ == "__main__":
    main()
