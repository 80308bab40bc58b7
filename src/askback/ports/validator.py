"""A validator: checks an answer on the server before it is accepted.

    def iban(submission):
        if not is_iban(submission.answer.values["iban"]):
            return {"iban": "No bank has this IBAN."}

It may be called again for the same `Submission.id`, on another server, if a server stopped before its verdict.
"""

from __future__ import annotations

from typing import Literal, Protocol

from askback.domain.request import Answer, InputRequest
from askback.domain.values import frozen
from askback.domain.verdict import Verdict


@frozen(slots=True)
class Submission:
    """The event to decide about; `request` is its request, with the whole question."""

    request: InputRequest

    @property
    def id(self) -> str:
        """The id of this check, the same if it is called again."""
        return f"{self.request.id}:{self.request.revision}"

    @property
    def event(self) -> Literal["answer", "decline", "timeout"]:
        """The event: an answer, or a decline or a deadline that is in the `hooks` of the request."""
        return self.request.held.event if self.request.held is not None else "answer"

    @property
    def answer(self) -> Answer:
        """The person's answer, or the values typed before a decline."""
        return self.request.submitted or Answer()


class Validator(Protocol):
    """Checks answers. An exception or a timeout is no verdict: the person is asked to send the answer again."""

    async def __call__(self, submission: Submission, /) -> Verdict:
        """Return None to accept, errors to ask again, or a full `Verdict`."""
        ...
