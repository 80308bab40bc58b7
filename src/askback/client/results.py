"""The results of the client: outcomes as values, outcomes as exceptions, pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askback.client.refusals import refusal
from askback.domain.lifecycle import Status
from askback.domain.request import Answer, InputRequest
from askback.errors import Cancelled, Declined, Expired, NotAnswered, Refused

Outcome = Answer | Declined | Cancelled | Expired
"""How a request ended: an answer, or one of the three ways to end without one (they carry the request)."""

_NOT_ANSWERED: Mapping[str, type[Declined | Cancelled | Expired]] = {
    Status.DECLINED: Declined,
    Status.CANCELLED: Cancelled,
    Status.EXPIRED: Expired,
}


@dataclass(frozen=True, slots=True)
class Page:
    """Some requests, newest first; `next_cursor` leads to older ones and is None at the end."""

    requests: Sequence[InputRequest]
    next_cursor: str | None

    def __iter__(self) -> Iterator[InputRequest]:
        return iter(self.requests)

    def __len__(self) -> int:
        return len(self.requests)


def outcome(settled: Mapping[str, Any]) -> Outcome:
    """Read how a request ended."""
    if settled["status"] == Status.ANSWERED:
        return Answer.model_validate(settled["answer"])
    return _NOT_ANSWERED[settled["status"]](InputRequest.model_validate(settled))


def ended(request: InputRequest) -> Outcome:
    """Return how a request ended."""
    if request.status is Status.ANSWERED:
        return request.answer or Answer()
    return _NOT_ANSWERED[request.status](request)


def answered(found: Outcome) -> Answer:
    """Return the answer, or raise what is there instead of one."""
    if isinstance(found, NotAnswered):
        raise found
    return found


@dataclass(frozen=True, slots=True)
class BatchResult:
    """What became of one request of a batch: the request as it is now, or why nothing was done with it."""

    id: str
    request: InputRequest | None = None
    error: Refused | None = None


def batch_result(found: Mapping[str, Any]) -> BatchResult:
    """Read one result of a batch."""
    if "error" in found:
        return BatchResult(found["id"], error=refusal(found["error"], status=found["status"]))
    return BatchResult(found["id"], request=InputRequest.model_validate(found["request"]))
