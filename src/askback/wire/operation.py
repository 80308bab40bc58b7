"""The parts of a row of the table of operations (`operations.py`): roles, media types, parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal

from askback.domain.values import frozen

REQUESTER = frozenset({"requester"})
ADMIN = frozenset({"admin"})
PEOPLE = frozenset({"responder", "admin"})
EVERYBODY = REQUESTER | PEOPLE
OPERATOR = "operator"
"""The role of the token for the server's own commands; no other token has it."""
METRICS = "metrics"
"""The role of the token in `ASKBACK_METRICS_TOKEN`, which reads the metrics of the whole server and nothing else."""

MAX_WAIT_S = 60
UNBOUNDED = 2**53 - 1
"""The largest integer that every JSON parser reads exactly."""
STREAM = "text/event-stream"
PLAIN = "text/plain"
HTML = "text/html"
BYTES = "application/octet-stream"
PNG = "image/png"
LINES = "application/x-ndjson"

NO_ROLE: frozenset[str] = frozenset()
Transport = Literal["http", "websocket"]
BOTH_TRANSPORTS: frozenset[Transport] = frozenset({"http", "websocket"})
HTTP: frozenset[Transport] = frozenset({"http"})
WEBSOCKET: frozenset[Transport] = frozenset({"websocket"})


@frozen(slots=True)
class Parameter:
    """An argument: a query parameter over HTTP, a member of the frame over the WebSocket.

    `maximum` is a number, or the name of the limit (`domain/limits.py`) that is the maximum. `pattern` matches every
    cursor of a list (`domain/cursors.py`); any text is valid without one.
    """

    name: str
    type: Literal["text", "integer", "number", "flag", "statuses", "texts"]
    description: str
    minimum: int = 0
    maximum: int | str = UNBOUNDED
    default: int | None = None
    transports: frozenset[Transport] = BOTH_TRANSPORTS
    pattern: str = ""


@frozen()
class Operation:
    """One row. `route` is the HTTP method and the path, `roles` are empty if no credential is needed.

    `replies` are model names by status, None for no content; the first is the usual one. `body` names the
    possible models, or is `BYTES`. `refuses` are the statuses of refusals that do not follow from the rest of
    the row. An `idempotent` operation takes an idempotency key. A `confidential` body may contain a secret
    and reaches the service unread. A `large` reply may be megabytes: a connection sends one at a time
    (`unwait` is large so that it comes after the `wait` that it ends). `former_name` is the name of
    the operation over the WebSocket in earlier versions.
    """

    name: str
    route: str
    summary: str
    roles: frozenset[str]
    replies: Mapping[int, str | None]
    body: str | None = None
    parameters: tuple[Parameter, ...] = ()
    transports: frozenset[Transport] = BOTH_TRANSPORTS
    refuses: tuple[int, ...] = ()
    idempotent: bool = False
    confidential: bool = False
    large: bool = False
    former_name: str = ""

    @property
    def method(self) -> str:
        """The HTTP method, empty for an operation of the WebSocket only."""
        return self.route.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path, such as `/v1/requests/{request_id}`."""
        return self.route.partition(" ")[2]

    @cached_property
    def path_parameters(self) -> tuple[str, ...]:
        """The names in the path."""
        return tuple(re.findall(r"\{(\w+)", self.path))

    @cached_property
    def refusals(self) -> Sequence[int]:
        """The statuses of its possible refusals, in order."""
        checked = bool(self.roles) or self.body is not None
        settles = self.path.startswith("/v1/requests/{request_id}/") and self.method != "GET"
        rules = {
            401: checked,
            403: checked,
            404: bool(self.path_parameters),
            409: settles or self.idempotent,
            410: settles,
            413: self.body is not None,
            422: self.body is not None or bool(self.parameters or self.path_parameters),
            429: checked,
            503: checked,
        }
        return sorted({status for status, applies in rules.items() if applies} | {*self.refuses})

    @property
    def public(self) -> bool:
        """Whether it needs no credential."""
        return not self.roles

    @property
    def stream(self) -> bool:
        """Whether the reply continues until its reader leaves."""
        return STREAM in self.replies.values()
