"""The result of a request for secrets. It has names, and never a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from askback.domain.lifecycle import Status
from askback.domain.modeltext import TEXTS, model_text, secrets_off_text
from askback.domain.request import Answer, InputRequest

SecretsStatus = Literal[
    "answered",
    "already_present",
    "dismissed",
    "declined",
    "cancelled",
    "expired",
    "pending",
    "secrets_off",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class SecretsResult:
    """The names that may be used. It is true only when all that are not optional may, so `if result:` is enough.

    `status` is `answered` when a person typed at least one value and `already_present` when all were stored before;
    without them `dismissed`, `declined`, `cancelled` or `expired`; `pending` while nobody has answered, and
    `secrets_off` when the server stores no secrets. `existing` are the names that were stored before; `scope` of the
    others is `session`, `project` or `global`. `verified` is the result of a probe of the server, false if it could not
    tell, None without a probe. `text` is the sentence for the model. `request` is None when none was created.
    """

    status: SecretsStatus
    names: tuple[str, ...]
    text: str
    scope: str | None = None
    existing: tuple[str, ...] = ()
    verified: bool | None = None
    request: InputRequest | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.status in {"answered", "already_present"}

    @classmethod
    def from_request(cls, request: InputRequest, texts: Mapping[str, str] = TEXTS) -> SecretsResult:
        """Return the result of a request for secrets."""
        assert request.secret is not None
        answer = request.answer or Answer()
        return cls(
            status=_status(request, answer),
            names=tuple(answer.names or request.secret.names),
            text=model_text(request, texts),
            scope=answer.scope,
            existing=tuple(answer.existing),
            verified=answer.verified,
            request=request,
        )

    @classmethod
    def secrets_off(cls, names: Sequence[str], texts: Mapping[str, str] = TEXTS) -> SecretsResult:
        """Return the result when the server stores no secrets, so that nobody was asked."""
        return cls(status="secrets_off", names=tuple(names), text=secrets_off_text(names, texts))


def _status(request: InputRequest, answer: Answer) -> SecretsStatus:
    match request.status:
        case Status.PENDING | Status.RESOLVING:
            return "pending"
        case Status.DECLINED:
            return "dismissed" if request.reason == "dismissed" else "declined"
        case Status.CANCELLED:
            return "cancelled"
        case Status.EXPIRED:
            return "expired"
        case Status.ANSWERED:
            return "already_present" if answer.reused else "answered"
