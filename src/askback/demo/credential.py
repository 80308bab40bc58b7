"""Asks for the registry's token and tests it before it counts, in a separate process.

    python -m askback.demo.credential --thread T --run ID --registry URL

The process that tests a value holds it. The agent, which talks with a model, must not, so this is a separate
process. It exits with 0 if the token may be used, with 3 if nobody gave it. If the agent is killed, it ends
as well, and leaves the request open for the next agent.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import threading
from functools import partial

from askback.client import AsyncClient, Lease, SecretsResult
from askback.demo.conversation import AGENT
from askback.demo.publish import TOKEN, call
from askback.errors import AskbackError

NOT_GIVEN = 3


def main() -> int:
    """Ask for the token; see the module for the exit status."""
    parser = argparse.ArgumentParser(prog="python -m askback.demo.credential", description=__doc__)
    for name in ("thread", "run", "registry"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    threading.Thread(target=_end_with_the_agent, daemon=True).start()
    try:
        secrets = asyncio.run(_ask(options.thread, options.run, options.registry))
    except (AskbackError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except (KeyboardInterrupt, asyncio.CancelledError):
        return 130
    return 0 if secrets else NOT_GIVEN


async def _ask(thread_id: str, run_id: str, registry: str) -> SecretsResult:
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    async with AsyncClient() as client:
        return await client.secrets.request(
            TOKEN,
            reason=f"To publish the project to the registry at {registry}.",
            instructions="The demo printed it **in the terminal** where you started it.",
            metadata={TOKEN: {"format_hint": "It begins with demo_"}},
            thread_id=thread_id,
            run_id=run_id,
            agent=AGENT,
            idempotency_key=f"{run_id}-token",
            probe=partial(_try, registry),
        )


def _try(registry: str, lease: Lease) -> dict[str, str] | None:
    status, words = call("GET", f"{registry}/token", lease[TOKEN].reveal())
    if status == 401:
        return {TOKEN: "The registry does not know this token."}
    if status != 204:
        raise ConnectionError(words)
    return None


def _end_with_the_agent() -> None:
    """Exit when the agent, which holds the other end of the input, has exited."""
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
