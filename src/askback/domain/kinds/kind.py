"""What every kind of request says of itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

from askback.domain.access import Level
from askback.domain.request import Answer, InputRequest
from askback.domain.spec import Spec


class Kind(ABC):
    """One kind of request. `spec` is always that of a request of this kind."""

    name: ClassVar[str]
    level: ClassVar[Level] = Level.PROMPT
    """The level in a thread that it takes to answer or decline."""
    refusals: ClassVar[frozenset[str]] = frozenset({"refused", "dismissed"})
    """The reasons of a decline after which the same is not asked again for a while."""
    is_question: ClassVar[bool] = False
    """Whether it counts as a question of its thread, which is given back where nobody answers it."""
    is_audited: ClassVar[bool] = True
    """Whether its steps are written into the audit log."""
    is_executed: ClassVar[bool] = False
    """Whether an execution uses what was answered."""
    keeps_submission: ClassVar[bool] = False
    """Whether an answer that was sent back stays in the state, to be corrected."""

    @abstractmethod
    def identity(self, spec: Spec, /) -> str | None:
        """Return what the same request has again, for remembered refusals; None for one that is never the same."""

    def audit_subject(self, _spec: Spec, /) -> Mapping[str, Any]:
        """Return the members that name the subject of the request in an audit entry."""
        return {}

    @abstractmethod
    def outcome_key(self, request: InputRequest, answer: Answer, /) -> str:
        """Return the key of the model's text for how a request stands (`modeltext.TEXTS`); it may be more exact."""

    def error_paths(self, _spec: Spec, /) -> frozenset[str]:
        """Return the paths that errors of a check may name."""
        return frozenset()

    def is_secret(self, _spec: Spec, /) -> bool:
        """Whether answers may hold secrets, so that their bytes are read only where they are sealed."""
        return False

    def allows_skip(self, _spec: Spec, /) -> bool:
        """Whether a person may decline as skipped."""
        return False

    def locale(self, _spec: Spec, /) -> str | None:
        """Return the language that it is asked in, where it says one."""
        return None
