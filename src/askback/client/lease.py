"""`Lease`: the leased values of secrets, while they are in use."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, AnyStr, NoReturn, final, overload

from pydantic_core import from_json

from askback.domain.redaction import RedactedStream, Redactor
from askback.domain.secrets.secret import Secret
from askback.errors import AskbackError

OWN_PREFIX = "ASKBACK_"
"""Begins askback's own variables. A child has no business with them: the agent's token is one."""


class LeaseEnded(AskbackError):
    """The block of a lease is over, and its values are gone; lease them again."""


@final
class Lease(Mapping[str, Secret]):
    """Values by name, and those of sensitive fields by their reference: `lease["NAME"].reveal()`.

    Only `reveal` and `environ` return a value. A lease shows only its names, and cannot be copied or pickled;
    after its block it raises `LeaseEnded`. Lease again at `expires_at`, to get new values and to lose revoked
    ones.
    """

    __slots__ = ("_names", "_redactor", "_values", "expires_at")

    def __init__(self, values: Mapping[str, Secret], *, names: Sequence[str], expires_at: datetime) -> None:
        """Hold values; `names` are those that can stand in an environment."""
        self._values: Mapping[str, Secret] | None = values
        self._names = tuple(names)
        self._redactor: Redactor | None = None
        self.expires_at = expires_at

    def __getitem__(self, name: str) -> Secret:
        return self._require_values()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._require_values())

    def __len__(self) -> int:
        return len(self._require_values())

    def environ(self, base: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return a plain dict with the values in it, as the environment of a child process.

        Without `base` the rest is this process's own environment, without askback's variables. Pass it on and
        do not keep it: it contains the values.
        """
        if base is None:
            base = {name: value for name, value in os.environ.items() if not name.startswith(OWN_PREFIX)}
        return {**base, **{name: self[name].reveal() for name in self._names}}

    def redact(self, text: AnyStr) -> AnyStr:
        """Return a text with each value replaced by `[secret:NAME]`, in all encodings that `askback.Redactor` finds."""
        return self._scrubber().redact(text)

    @overload
    def stream(self, kind: type[bytes]) -> RedactedStream[bytes]: ...
    @overload
    def stream(self, kind: type[str] = str) -> RedactedStream[str]: ...
    def stream(self, kind: type[Any] = str) -> RedactedStream[Any]:
        """Redact a text that arrives in chunks of `str` or `bytes`, chunk by chunk."""
        return self._scrubber().stream(kind)

    @property
    def too_short(self) -> tuple[str, ...]:
        """The names whose values are too short to be looked for in a text."""
        return self._scrubber().too_short

    def end(self) -> None:
        """Delete the values."""
        self._values = self._redactor = None

    def _require_values(self) -> Mapping[str, Secret]:
        if self._values is None:
            raise LeaseEnded("This lease has ended. Use it within its block, or lease the secrets again.")
        return self._values

    def _scrubber(self) -> Redactor:
        if self._redactor is None:
            self._redactor = Redactor(
                {name: value.reveal() for name, value in self._require_values().items()}
            )
        return self._redactor

    def __repr__(self) -> str:
        return "Lease(ended)" if self._values is None else f"Lease({', '.join(self._values)})"

    __hash__ = None  # pyright: ignore[reportAssignmentType] - this is how Python spells it

    def __getstate__(self) -> NoReturn:
        # Asked first by copying and by every pickle protocol.
        raise TypeError("A lease is not copied or pickled: lease the secrets where they are used.")


def read_lease(reply: Secret, *, names: Sequence[str]) -> Lease:
    """Read the server's lease; `names` are the names that the caller passed."""
    lease = _read(reply, names)
    if lease is None:
        raise AskbackError(
            "The server's reply to the lease cannot be read. Check whether a proxy changes replies."
        )
    return lease


def _read(reply: Secret, names: Sequence[str]) -> Lease | None:
    # No exception leaves this function: its variables hold the values.
    try:
        reply_json = from_json(reply.reveal())
        values = {name: Secret(leased["value"]) for name, leased in reply_json["secrets"].items()}
        return Lease(values, names=names, expires_at=datetime.fromisoformat(reply_json["expires_at"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
