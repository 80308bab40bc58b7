"""`Secrets`: the result of a request for secrets. It has names, and never a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from askback.domain.lifecycle import Status
from askback.domain.modeltext import TEXTS, model_text, secrets_off_text
from askback.domain.request import Answer, InputRequest

Came = Literal[
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
class Secrets:
    """Whether all of the names may be used; true only then, so that `if secrets:` is all that is needed.

    `status` is `answered` when a person typed at least one value, `already_present` when all were kept before, or how
    it ended without them: `dismissed`, `declined`, `cancelled`, `expired`; `pending` while nobody has dealt with it,
    `secrets_off` when the server keeps none. `existing` are those of the `names` that were kept before, `scope` is
    where the others hold: `session`, `project` or `global`. `verified` says what a probe of the server has found, and
    is false where it could not tell; None where none was asked. `text` is the sentence for the model. `request` is None
    where there never was one.
    """

    status: Came
    names: tuple[str, ...]
    text: str
    scope: str | None = None
    existing: tuple[str, ...] = ()
    verified: bool | None = None
    request: InputRequest | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        return self.status in {"answered", "already_present"}


def given(request: InputRequest, texts: Mapping[str, str] = TEXTS) -> Secrets:
    """Read from a request what may be used."""
    assert request.secret is not None
    answer = request.answer or Answer()
    return Secrets(
        status=_came(request, answer),
        names=tuple(answer.names or request.secret.names),
        text=model_text(request, texts),
        scope=answer.scope,
        existing=tuple(answer.existing),
        verified=answer.verified,
        request=request,
    )


def not_kept(names: Sequence[str], texts: Mapping[str, str] = TEXTS) -> Secrets:
    """Say that nobody was asked, because the server keeps no secrets."""
    return Secrets(status="secrets_off", names=tuple(names), text=secrets_off_text(names, texts))


def _came(request: InputRequest, answer: Answer) -> Came:
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
