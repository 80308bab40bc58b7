"""A program with a flow of CrewAI, and its state in SQLite, that is killed while it waits.

python program.py (run|resume) FOLDER URL TOKEN
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


def main(verb: str, folder: Path, url: str, token: str) -> None:
    Review.ran = folder / "ran"
    stored = SQLiteFlowPersistence(str(folder / "flows.db"))
    with Client(url, token, thread_id="t1") as ask:
        if verb == "run":
            flow_config.hitl_provider = AskbackFeedback(ask, wait=False)
            paused: Any = Review(persistence=stored).kickoff()
            (folder / "parking").write_text(paused.context.flow_id)
            (folder / "parking").rename(folder / "parked")
            time.sleep(1000)
        for resume in ask.resumes.listen("t1"):
            flow = Review.from_pending((folder / "parked").read_text(), stored)
            result = resume_flow(ask, flow)
            ask.resumes.ack(resume)
            if not isinstance(result, HumanFeedbackPending):
                print(result)
                break


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
