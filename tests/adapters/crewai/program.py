"""A program with a flow of CrewAI, and its state in SQLite, that is killed.

    python program.py (run|resume|live) FOLDER URL TOKEN

As those of `tests.adapters.programs`, with the blocking client.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from crewai.flow.async_feedback import HumanFeedbackPending
from crewai.flow.flow_config import flow_config
from crewai.flow.persistence import SQLiteFlowPersistence

from askback import Client
from askback.adapters.crewai import AskbackFeedback, resume_flow
from tests.adapters.crewai.models import Review
from tests.adapters.programs import Life


class Program:
    """A life of the program."""

    def __init__(self, ask: Client, life: Life) -> None:
        self._ask = ask
        self._life = life
        self._stored = SQLiteFlowPersistence(str(life.folder / "flows.db"))

    def park(self) -> None:
        """Run the flow to its pause."""
        flow_config.hitl_provider = AskbackFeedback(self._ask, wait=False)
        paused: Any = Review(persistence=self._stored).kickoff()
        self._life.store(paused.context.flow_id)

    def resume(self) -> Any:
        """Return the result of the flow, None while it waits."""
        flow = Review.from_pending(self._life.parked.read_text(), self._stored)
        result = resume_flow(self._ask, flow)
        self._life.pass_by("resumed")
        return None if isinstance(result, HumanFeedbackPending) else result

    def listen(self) -> Any:
        """Continue the flow when it is answered."""
        for resume in self._ask.resumes.listen(self._life.thread):
            result = self.resume()
            self._ask.resumes.ack(resume)
            if result is not None:
                return result
        return None


def main(verb: str, folder: str, url: str, token: str) -> None:
    with Client(url, token, thread_id=Path(folder).name) as ask:
        life = Life(ask, Path(folder))
        flow = Program(ask, life)
        Review.ran = life.folder / "ran"
        if verb == "run":
            flow.park()
            time.sleep(1000)
        elif verb == "resume":
            print(flow.listen())
        else:
            if not life.parked.exists():
                flow.park()
            result = flow.resume()
            (life.folder / "done").write_text(result or flow.listen())


if __name__ == "__main__":
    main(*sys.argv[1:])
