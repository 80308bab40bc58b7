"""The sample agent of the demo in a chat: it needs no model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path

from askback.adapters.asking import short_id
from askback.chat.turn import Turn
from askback.demo.conversation import Conversation
from askback.demo.scaffolder import Scaffolder

PACE_S = 0.03


@dataclass(frozen=True, slots=True)
class ScriptedAgent:
    """Sets up a small project with the person at each message."""

    folder: Path
    pace: float = PACE_S

    @property
    def greeting(self) -> str:
        """The first message in a new thread."""
        return "Hello! No model is configured, so a script answers. Write something, and it sets up a project with you."

    async def answer(self, turn: Turn) -> None:
        """Run the sample agent, from where it was killed."""
        conversation = Conversation(turn.ask, turn.thread_id, short_id(turn.prompt["id"]), pace=self.pace)
        await conversation.recall()
        start_date = date.fromisoformat(turn.prompt["at"][:10])
        await Scaffolder(conversation, self.folder, start_date).run()
