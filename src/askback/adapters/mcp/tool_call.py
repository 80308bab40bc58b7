"""One call of a tool: its ids, what repeats it, and how long it may wait."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from dataclasses import dataclass, field

from mcp_types import CallToolRequestParams
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from askback.adapters.asking import short_id
from askback.adapters.mcp.caller_connection import CallerConnection, Context, session_id_of
from askback.adapters.mcp.limits import Limits
from askback.client.options import call_key
from askback.domain.request import InputRequest

SILENT_S = 50.0
"""How long a call waits whose client gets no progress reports: many give up after a minute."""
HASTY_S = 3.0
"""The same for a client that has given up an earlier call (`repeats.py`)."""
APPROVAL_S = 24 * 3600.0
"""How long an approval stays open: the agent may have ended its turn, and the person may be away."""
_HOW = frozenset({"thread_id", "wait_s", "timeout_s"})
"""The arguments that say how to ask, and not what."""


@dataclass(frozen=True, slots=True, eq=False)
class EarlierCall:
    """What is remembered of a call without an outcome (`repeats.py`): its client, what it asked, and its request."""

    client: str
    key: tuple[str, str] | None
    request_id: str
    ended_at: float | None
    """None while it waits."""
    has_timed_out: bool

    @property
    def is_given_up(self) -> bool:
        """Whether its client no longer waits, if it makes the call again."""
        return self.ended_at is None or self.has_timed_out


@dataclass(slots=True, eq=False)
class ToolCall:
    """One call of a tool."""

    context: Context
    params: CallToolRequestParams
    connection: CallerConnection
    limits: Limits
    prompts: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """The requests of permission prompts that have returned no answer, by thread and digest of the call."""
    started_at: float = field(default_factory=time.monotonic)
    earlier: EarlierCall | None = None
    """The call of which this is a repetition."""
    is_hasty: bool = False
    """Whether its client has given up an earlier call."""
    has_timed_out: bool = False
    """Whether its client has given up this one, and said so."""
    is_continued: bool = False
    """Whether the client will call again with an answer of its person."""
    settled_id: str | None = None
    """The request whose outcome it returns."""
    asking: asyncio.Future[InputRequest] | None = None
    """Its request, once that is stored: it is withdrawn if the client cancels the call, even before the id is known."""

    @property
    def asked(self) -> InputRequest | None:
        """Its request as it was stored; None before that."""
        is_stored = self.asking is not None and self.asking.done() and not self.asking.cancelled()
        return self.asking.result() if self.asking and is_stored and not self.asking.exception() else None

    @property
    def modern(self) -> bool:
        """Whether the client asks by results of this call."""
        return self.context.protocol_version in MODERN_PROTOCOL_VERSIONS

    @property
    def call_id(self) -> str | None:
        """The id of the tool call that the client gives: Claude Code, or any other client by askback's own key."""
        id_ = self._meta("claudecode/toolUseId") or self._meta("io.askback/key")
        return None if id_ is None else short_id(id_)

    @property
    def key(self) -> str | None:
        """The idempotency key: the same call of the same tool finds the same request."""
        return call_key("mcp", {"run_id": self.params.name, "tool_call_id": self.call_id})

    @property
    def client(self) -> str | None:
        """The client's session, empty on stdio; None over HTTP since 2026-07-28, where an agent's clients are one."""
        if self.context.request is None:
            return ""
        return None if self.modern else session_id_of(self.context)

    @property
    def repeat_key(self) -> tuple[str, str] | None:
        """What an equal call of the client has in common; None if the call has an id."""
        if self.call_id is not None:
            return None
        arguments = self.params.arguments or {}
        question = {name: value for name, value in arguments.items() if name not in _HOW}
        return arguments.get("thread_id") or self.connection.thread_id, _digest(self.params.name, question)

    def as_earlier(self, *, ended_at: float | None = None) -> EarlierCall | None:
        """Return what is remembered of it; None if its client is not known, or no request was made."""
        client, asked = self.client, self.asked
        if client is None or asked is None:
            return None
        return EarlierCall(client, self.repeat_key, asked.id, ended_at, self.has_timed_out)

    @property
    def digest(self) -> str:
        """The hash of the tool's name and its arguments, which the rounds of one call share."""
        return _digest(self.params.name, self.params.arguments)

    @property
    def patience(self) -> float:
        """How many seconds the call may wait at most."""
        silent_s = HASTY_S if self.is_hasty else SILENT_S
        return self.limits.wait_s if self._reports else min(silent_s, self.limits.wait_s)

    @property
    def prompt_patience(self) -> float | None:
        """How many seconds a permission prompt may wait; None is as long as it takes."""
        return self.limits.prompt_s if self._reports else min(SILENT_S, self.limits.prompt_s or SILENT_S)

    def seconds(self, wait_s: float | None) -> float:
        """Return how long to wait; the argument of a call only shortens it."""
        return self.patience if wait_s is None else min(wait_s, self.patience)

    @property
    def _reports(self) -> bool:
        return self.context.meta is not None and self.context.meta.get("progress_token") is not None

    def _meta(self, name: str) -> str | None:
        value = (self.context.meta or {}).get(name)
        return value if isinstance(value, str) and value else None


def _digest(tool: str, arguments: object) -> str:
    return hashlib.sha256(json.dumps([tool, arguments], sort_keys=True).encode()).hexdigest()
