"""The sample agent as a separate process: `python -m askback.demo --thread T --run ID --output DIR`.

It finds its server as every client does and prints one line of JSON when it ends: `{"folder": path, "published": url}`.
Each may be null: the person may not want a project, and there may be no `--registry`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from datetime import date
from pathlib import Path

from askback.client import AsyncClient
from askback.demo.conversation import Conversation
from askback.demo.scaffolder import BuiltProject, Scaffolder
from askback.errors import AskbackError


def main() -> int:
    """Run the agent; returns 0 at its end, 1 if something failed, 130 if it was stopped."""
    try:
        folder = asyncio.run(_run(_arguments()))
    except (AskbackError, OSError) as error:
        print(f"The agent stopped: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 130
    result = (
        {"folder": str(folder.folder), "published": folder.published}
        if folder
        else {"folder": None, "published": None}
    )
    print(json.dumps(result), flush=True)
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m askback.demo", description=__doc__)
    parser.add_argument("--thread", required=True, help="the conversation to talk in")
    parser.add_argument("--run", required=True, help="the id of this run; the same one again continues it")
    parser.add_argument("--output", required=True, type=Path, help="where the project's folder goes")
    parser.add_argument(
        "--today", required=True, type=date.fromisoformat, help="the day on which the run began"
    )
    parser.add_argument("--pace", type=float, default=0.0, help="seconds between two pieces of text")
    parser.add_argument("--registry", help="the address of a registry to publish to")
    return parser.parse_args()


async def _run(options: argparse.Namespace) -> BuiltProject | None:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with AsyncClient() as client:
        conversation = Conversation(client, options.thread, options.run, pace=options.pace)
        await conversation.recall()
        return await Scaffolder(conversation, options.output, options.today, options.registry).run()


if __name__ == "__main__":
    sys.exit(main())
