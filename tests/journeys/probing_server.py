"""A server with the probe `crm` and the validator `stock`, which record their calls.

Run as `python probing_server.py DATA_DIR CALLS_FILE`, with the tokens in ASKBACK_BOOTSTRAP_TOKENS.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import anyio

from askback.cli.serve import bind, local_url
from askback.domain.limits import DEFAULTS
from askback.domain.secrets.secret import Secret
from askback.domain.verdict import Accept
from askback.ports.probe import HOLDS, Verdict
from askback.ports.validator import Submission
from askback.server.app import create_app
from askback.server.process import run_server
from askback.server.settings import load


class Crm:
    """Counts its calls in a file, which outlives the process; never ends for the value `hangs`."""

    async def probe(self, secrets: Mapping[str, Secret], /) -> Verdict:
        """Write a line, then accept, or never return."""
        with open(sys.argv[2], "a", encoding="ascii") as calls:
            calls.write("called\n")
        if secrets["A_KEY"].reveal() == "hangs":
            await anyio.sleep_forever()
        return HOLDS


async def check_stock(submission: Submission) -> Accept:
    """Write a line; the first call never returns."""
    calls = Path(sys.argv[2])
    first = not calls.exists()
    with calls.open("a", encoding="ascii") as log:
        log.write(f"{submission.id}\n")
    if first:
        await anyio.sleep_forever()
    return Accept(message="It is in stock.")


def main() -> None:
    settings = load(os.environ, data_dir=Path(sys.argv[1]), port=0)
    listener = bind(settings)

    async def announce() -> None:
        print(local_url(settings, listener), flush=True)

    limits = replace(DEFAULTS, probe_s=1, validator_s=1)
    app = create_app(settings, probes={"crm": Crm()}, validators={"stock": check_stock}, limits=limits)
    run_server(app, listener, on_ready=announce)


if __name__ == "__main__":
    main()
