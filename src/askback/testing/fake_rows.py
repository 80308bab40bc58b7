"""What the store in memory holds of threads and requests, and how it writes events."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from askback.domain import events as domain_events
from askback.domain.access import Access
from askback.domain.events import Draft, Event
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.ports.store import Claim, ClaimMismatch, Message
from askback.testing.fake_along import FakeAlong

_log = logging.getLogger(__name__)


@dataclass
class KeptThread:
    """A thread: its messages in order, what was written of whom, what holds in it."""

    seq: int = 0
    messages: dict[str, Message] = field(default_factory=dict[str, Message])
    owners: dict[str, str] = field(default_factory=dict[str, str])
    appended: dict[str, int] = field(default_factory=dict[str, int])
    events: list[Written] = field(default_factory=list["Written"])
    held: set[str] = field(default_factory=set[str])
    archived_at: int | None = None
    archiving: bool = False
    asked: int = 0
    asked_from: int = 0
    refused_at: int | None = None


@dataclass(frozen=True)
class Written:
    """An event as it was written: who may see it is looked up when it is read."""

    draft: Draft
    seq: int
    position: int
    spec: Spec | None
    hides_names: bool

    def read(self, access: Access) -> Event:
        """Return it as it is read by now."""
        return domain_events.commit(
            self.draft,
            seq=self.seq,
            position=self.position,
            spec=self.spec,
            access=access,
            hides_names=self.hides_names,
        )


class FakeRows(FakeAlong):
    """Dictionaries by tenant and id; a request with the `seq` of its creation."""

    def __init__(self, *, on_commit: Callable[[Sequence[Event]], None] | None = None) -> None:
        super().__init__()
        self._on_commit = on_commit
        self._position = 0
        self._fresh: list[Event] = []
        self._requests: dict[tuple[str, str], tuple[int, Record]] = {}
        self._threads: dict[tuple[str, str], KeptThread] = {}
        self._claims: dict[tuple[str, str, str, str], tuple[str, str]] = {}

    def _read(self, tenant: str, request_id: str) -> Record:
        record = self._requests[tenant, request_id][1]
        return replace(record, access=self._access_to(tenant, record.thread_id))

    # What every write does

    def _replayed(self, claim: Claim | None) -> str | None:
        if claim is None:
            return None
        digest, target = self._claims.get(_name(claim), (claim.digest, None))
        if digest != claim.digest:
            raise ClaimMismatch(claim.key)
        return target

    def _emit(self, draft: Draft, record: Record | None) -> int:
        name = (draft.tenant, draft.thread_id)
        thread = self._threads.setdefault(name, KeptThread())
        access = self._shared[name] = self._access_to(*name).written_by(draft.agent)
        thread.seq += 1
        self._position += 1
        asked = (None, False) if record is None else (record.spec, record.hides_names)
        written = Written(draft, thread.seq, self._position, *asked)
        thread.events.append(written)
        self._fresh.append(written.read(access))
        return thread.seq

    def _finish(self, claim: Claim | None = None, target: str = "") -> None:
        """Keep the claim, then tell what was written: the listener finds the whole change in place."""
        if claim is not None:
            self._claims[_name(claim)] = (claim.digest, target)
        fresh, self._fresh = self._fresh, []
        if self._on_commit is None:
            return
        try:
            self._on_commit(fresh)
        except Exception:  # noqa: BLE001 - the port: a failing listener does not fail the write
            _log.exception("a listener failed; the event is stored")


def _name(claim: Claim) -> tuple[str, str, str, str]:
    return claim.tenant, claim.principal, claim.scope, claim.key
