"""Chainlit: an app that asks with buttons, run by Chainlit's own server. Nothing is durable.

The agent is the app itself, so the time is measured there. `question.json` beside it has the question, and
how often it is asked in each session.
"""
# pyright: reportMissingImports=false

from __future__ import annotations

import json
import time
from pathlib import Path

import chainlit

CHOICES = ("staging", "production", "preview")
PATIENCE_S = 120
TASK = json.loads(Path(__file__).with_name("question.json").read_text())


async def ask() -> None:
    """Ask once."""
    actions = [chainlit.Action(name=item, payload={"value": item}, label=item) for item in CHOICES]
    chosen_action = await chainlit.AskActionMessage(
        content=TASK["content"], actions=actions, timeout=PATIENCE_S
    ).send()
    assert chosen_action is not None
    assert chosen_action["name"] == CHOICES[0]


@chainlit.on_chat_start
async def start() -> None:
    """Ask this often, and send the start and the duration of each, in seconds of the monotonic clock."""
    samples: list[tuple[float, float]] = []
    for turn in range(TASK["warm"] + TASK["turns"]):
        started_at = time.perf_counter()
        await ask()
        if turn >= TASK["warm"]:
            samples.append((started_at, time.perf_counter() - started_at))
    await chainlit.context.emitter.emit("samples", {"samples": samples})
