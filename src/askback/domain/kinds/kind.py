"""The interface of a kind of request."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from askback.domain.access import AccessLevel
from askback.domain.request import Answer, InputRequest
from askback.domain.spec import Spec


class RequestKind(ABC):
    """One kind of request. `spec` always belongs to a request of this kind."""

    name: ClassVar[str]
    level: ClassVar[AccessLevel] = AccessLevel.PROMPT
    """The level in a thread that is needed to answer or decline."""
    refusals: ClassVar[frozenset[str]] = frozenset({"refused", "dismissed"})
    """The reasons of a decline after which the same request is refused without asking for a while."""
    is_question: ClassVar[bool] = False
    """Whether it counts towards the quota of questions of its thread, which is refunded if nobody answers it."""
    is_audited: ClassVar[bool] = True
    """Whether its steps are written into the audit log."""
    is_reported: ClassVar[bool] = False
    """Whether the agent that asked may report the outcome itself."""
    is_executed: ClassVar[bool] = False
    """Whether an execution uses the answer."""
    keeps_submission: ClassVar[bool] = False
    """Whether an answer that was sent back stays in the state, to be corrected."""

    @abstractmethod
    def identity(self, spec: Spec, /) -> str | None:
        """Return a text that equal requests share, for remembered refusals; None if no request equals another."""

    def audit_subject(self, _spec: Spec, /) -> Mapping[str, Any]:
        """Return the members that name the subject of the request in an audit entry."""
        return {}

    @abstractmethod
    def outcome_key(self, request: InputRequest, answer: Answer, /) -> str:
        """Return the key of the model's text for the outcome; it may be longer than the keys in `modeltext.TEXTS`."""

    def error_paths(self, _spec: Spec, /) -> frozenset[str]:
        """Return the paths that a check's errors may name."""
        return frozenset()

    def is_secret(self, _spec: Spec, /) -> bool:
        """Return whether answers may hold secrets, so that only the code that seals them reads their bytes."""
        return False

    def excludes_requester(self, _spec: Spec, /) -> bool:
        """Return whether the person that the agent works for cannot answer."""
        return False

    def takes_reported_answer(self, _spec: Spec, /) -> bool:
        """Return whether one person alone can answer, without secrets, so that the agent can report the answer."""
        return False

    def deciders(self, _spec: Spec, /) -> int:
        """Return how many people have to answer."""
        return 1

    def allows_skip(self, _spec: Spec, /) -> bool:
        """Return whether a person may decline as skipped."""
        return False

    def file_fields(self, _spec: Spec, /) -> frozenset[str]:
        """Return the ids of the fields for which files can be uploaded."""
        return frozenset()

    def sourced_fields(self, _spec: Spec, /) -> frozenset[str]:
        """Return the ids of the fields whose options come from a source."""
        return frozenset()

    def locale(self, _spec: Spec, /) -> str | None:
        """Return the language of the request, if it has one."""
        return None
