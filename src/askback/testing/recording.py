"""Record the outcomes of requests, replay the answers, and measure how many calls were approved."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic_core import to_json

from askback.domain.lifecycle import Status
from askback.domain.request import Answer, InputRequest
from askback.testing.replies import Approve, Decline, Deny, Fail, LeaveOpen, Reply
from askback.testing.scripted_person import ScriptedRequest, ScriptError

RecordedRequest = InputRequest | ScriptedRequest


@dataclass(frozen=True, slots=True)
class Rate:
    """Decisions about the calls of one tool; `share` is the part that was approved, from 0 to 1."""

    decided: int
    approved: int
    edited: int

    @property
    def share(self) -> float:
        """The part of the decisions that approved the call."""
        return self.approved / self.decided


def approval_rates(requests: Iterable[RecordedRequest]) -> Mapping[str, Rate]:
    """Return how often the calls of each tool were approved, among those that somebody decided."""
    decided = defaultdict[str, list[Answer]](list)
    for request in map(_settled_request, requests):
        if request.approval is not None and request.answer is not None:
            decided[request.approval.tool].append(request.answer)
    return {tool: _rate(answers) for tool, answers in sorted(decided.items())}


def _rate(answers: Sequence[Answer]) -> Rate:
    approved = [answer for answer in answers if answer.decision == "approve"]
    edited = [answer for answer in approved if answer.edited_input is not None]
    return Rate(len(answers), len(approved), len(edited))


def save(requests: Iterable[RecordedRequest], path: Path | str) -> None:
    """Write requests as JSON lines, in order; open requests are left out. Secrets have no values."""
    lines = [to_json(request) for request in map(_settled_request, requests) if request.settled]
    Path(path).write_bytes(b"".join(line + b"\n" for line in lines))


def load(path: Path | str) -> Sequence[InputRequest]:
    """Read requests that `save` wrote."""
    lines = Path(path).read_text("utf-8").splitlines()
    return [InputRequest.model_validate_json(line) for line in lines]


def replay(
    requests: Iterable[RecordedRequest], *, secrets: Mapping[str, str] | None = None
) -> Callable[[InputRequest], Reply]:
    """Return a script that answers each request as an equal one was answered before.

    Requests are equal if the tool and its input, the form, the names or the action are. If one was answered
    several times, the answers are used in order, and then the last one again. `secrets` are values by name,
    which no recording contains. Raises `ScriptError` for a request that was not recorded.
    """
    by_content = defaultdict[str, list[InputRequest]](list)
    for request in map(_settled_request, requests):
        by_content[_content(request)].append(request)

    def reply(request: InputRequest) -> Reply:
        requests = by_content.get(_content(request))
        if requests is None:
            raise ScriptError(f"The recording has no answer for {_content(request)}.")
        return _reply_of(requests.pop(0) if len(requests) > 1 else requests[0], secrets or {})

    return reply


def _settled_request(recorded: RecordedRequest) -> InputRequest:
    return recorded if isinstance(recorded, InputRequest) else recorded.settled_request or recorded.request


def _content(request: InputRequest) -> str:
    """Return the content of a request as JSON text. It is the same for the same question in any thread."""
    request_data: object = request.data
    if request.approval is not None:
        request_data = {"tool": request.approval.tool, "input": request.approval.input}
    elif request.form is not None:
        request_data = request.form.model_dump(mode="json", exclude_defaults=True)
    elif request.secret is not None:
        request_data = sorted(request.secret.names)
    elif request.action is not None:
        request_data = request.action.model_dump(mode="json", exclude_defaults=True)
    return f"{request.kind} {json.dumps(request_data, sort_keys=True, ensure_ascii=False)}"


def _reply_of(request: InputRequest, secrets: Mapping[str, str]) -> Reply:
    answer = request.answer
    if request.status is Status.DECLINED:
        return Decline(request.reason or "dismissed", request.note)
    if answer is None:
        return LeaveOpen()
    if answer.decision == "approve":
        return Approve(input=answer.edited_input, note=answer.note)
    if answer.decision == "deny":
        return Deny(answer.note)
    if answer.outcome == "failed":
        return Fail(answer.reason or "")
    if request.secret is not None:
        return {name: secrets[name] for name in request.secret.names if name in secrets}
    if request.action is not None:
        return True
    return answer.values if request.form is not None else request_data(answer)


def request_data(answer: Answer) -> Mapping[str, object]:
    """Return the data of an answer to a kind of a package."""
    return answer.data if isinstance(answer.data, dict) else {}
