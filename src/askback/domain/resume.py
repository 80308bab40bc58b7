"""The text that resumes an agent after it ended its turn: the request and its outcome.

The sentence about the outcome comes from `modeltext`; the id in front distinguishes equal requests.
Words of people and agents are JSON, so that they cannot be taken for our sentences.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from askback.domain import jsontext
from askback.domain.modeltext import TEXTS, model_text, own_text
from askback.domain.record import Record
from askback.domain.request import InputRequest
from askback.domain.timestamps import rfc3339


def check_cause(revision: int) -> str:
    """Return the cause of a resume for an answer that waits for its check, from the request's revision."""
    return f"check:{revision}"


def resume_text(request: InputRequest, texts: Mapping[str, str] = TEXTS) -> str:
    """Return the text that the agent of a settled request reads first."""
    sentence = model_text(request, texts)
    if request.secret is not None or own_text(request) is not None:
        return sentence  # the text itself names the request
    return f"About {_subject(request)} ({request.id}): {sentence}"


def resume_wire(
    resume_id: str, record: Record, *, attempt: int, until: int, texts: Mapping[str, str] = TEXTS
) -> str:
    """Return a resume as JSON text, the same for every transport; `until` in ms."""
    sentence = resume_text(InputRequest.model_validate_json(record.wire), texts)
    members = {"id": resume_id, "thread_id": record.thread_id, "request_id": record.id, "text": sentence}
    lease = {"attempt": attempt, "until": rfc3339(until)}
    return jsontext.merge(json.dumps({**members, **lease}), f'{{"request":{record.wire}}}')


def _subject(request: InputRequest) -> str:
    if request.approval is None:
        return "your question"
    return "your tool call" if request.approval.plan is None else "your plan"
