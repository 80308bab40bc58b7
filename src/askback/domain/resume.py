"""The text with which an agent goes on that has ended its turn: what it asked, and what came of it.

The sentence about the outcome is that of `modeltext`, which says what was asked; the id in front tells apart requests
that ask the same. What people and agents wrote is JSON: data that cannot pass for our sentence.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from askback.domain import jsontext
from askback.domain.modeltext import TEXTS, model_text
from askback.domain.record import Record
from askback.domain.request import InputRequest
from askback.domain.timestamps import rfc3339


def check_cause(revision: int) -> str:
    """Return the cause of a resume that tells of an answer which waits to be checked, by the request's revision."""
    return f"check:{revision}"


def resume_text(request: InputRequest, texts: Mapping[str, str] = TEXTS) -> str:
    """Return what the agent of a settled request reads first."""
    said = model_text(request, texts)
    if request.secret is not None:
        return said  # it has its names, and its exact words
    return f"About {_subject(request)} ({request.id}): {said}"


def resume_wire(
    resume_id: str, record: Record, *, attempt: int, until: int, texts: Mapping[str, str] = TEXTS
) -> str:
    """Write what an agent gets of a settled request, as JSON text, however it gets it; `until` in ms."""
    said = resume_text(InputRequest.model_validate_json(record.wire), texts)
    told = {"id": resume_id, "thread_id": record.thread_id, "request_id": record.id, "text": said}
    lasts = {"attempt": attempt, "until": rfc3339(until)}
    return jsontext.merge(json.dumps({**told, **lasts}), f'{{"request":{record.wire}}}')


def _subject(request: InputRequest) -> str:
    if request.approval is None:
        return "your question"
    return "your tool call" if request.approval.plan is None else "your plan"
