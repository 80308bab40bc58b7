"""The requests and the results of a batch of decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askback.client.refusals import refusal
from askback.domain.model import without_none
from askback.domain.request import InputRequest
from askback.errors import Refused


@dataclass(frozen=True, slots=True)
class BatchResult:
    """The result for one request of a batch: the updated request, or the reason why it was not changed."""

    id: str
    request: InputRequest | None = None
    error: Refused | None = None


def batch_item(request: InputRequest | str) -> dict[str, Any]:
    """Return one request of a batch for the wire."""
    if isinstance(request, str):
        return {"id": request}
    digest = request.approval.digest if request.approval else None
    return without_none(id=request.id, revision=request.revision, digest=digest or None)


def batch_result(result: Mapping[str, Any]) -> BatchResult:
    """Parse one result of a batch."""
    if "error" in result:
        return BatchResult(result["id"], error=refusal(result["error"], status=result["status"]))
    return BatchResult(result["id"], request=InputRequest.model_validate(result["request"]))
