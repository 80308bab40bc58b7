"""Threads as a whole in the store in memory: quotas, keys, the archive, held messages, erasure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from askback.domain.events import MESSAGE_ADDED, THREAD_ERASED, Draft
from askback.domain.record import Record
from askback.ports.outcome import Outcome
from askback.ports.policy import NOTHING, Along, Execution
from askback.ports.store import KeyHeld, Settlement
from askback.ports.threads import Idle, Quota, QuotaSpent, Terms, ThreadArchived, ThreadOfAnother, Use
from askback.storage.transcript import delivered
from askback.testing.fake_rows import FakeRows, KeptThread


class FakeThreads(FakeRows):
    """The `ThreadStore` part of the port in dictionaries."""

    _executions: dict[tuple[str, str], Execution]

    async def terms(self, tenant: str, thread_id: str) -> Terms:
        """Read what holds in a thread."""
        everywhere, here = (self._policies.get((tenant, name)) for name in ("", thread_id))
        thread = self._threads.get((tenant, thread_id), KeptThread())
        return Terms(everywhere, here, thread.refused_at, self._access_to(tenant, thread_id))

    async def use(self, tenant: str, thread_id: str) -> Use:
        """Read how much a thread has used."""
        thread = self._threads.get((tenant, thread_id), KeptThread())
        return Use(thread.asked, thread.asked_from, len(self._open_in(tenant, thread_id)))

    async def reset_use(self, tenant: str, thread_id: str, along: Along = NOTHING) -> None:
        """Begin to count the questions of a thread anew."""
        self._begin()
        self._keep(along)
        if (thread := self._threads.get((tenant, thread_id))) is not None:
            thread.asked = thread.asked_from = 0

    async def set_archived(self, event: Draft, along: Along = NOTHING, *, archived_at: int | None) -> Outcome:
        """Archive a thread, or take it back."""
        self._begin()
        if (self._archived(event) is not None) is (archived_at is not None):
            return Outcome.REPLAYED
        self._check_agent(event)
        self._keep(along)
        self._emit(event, None)
        thread = self._threads[event.tenant, event.thread_id]
        thread.archived_at, thread.archiving = archived_at, archived_at is not None
        self._finish()
        return Outcome.APPLIED

    async def archiving(self, *, before_ms: int, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Read threads whose archiving has not ended."""
        since = {name: thread.archived_at or 0 for name, thread in self._threads.items() if thread.archiving}
        return sorted((name for name in since if since[name] < before_ms), key=since.__getitem__)[:limit]

    async def archiving_ended(self, tenant: str, thread_id: str) -> None:
        """Note it, unless something is open."""
        self._begin()
        thread = self._threads.get((tenant, thread_id))
        if thread is not None and not self._open_in(tenant, thread_id):
            thread.archiving = False

    async def next_in_line(self, *, limit: int = 200) -> Sequence[Record]:
        """Read requests that can come forward."""
        line: dict[tuple[str, ...], Record] = {}
        for record in sorted(self._all_in_line(), key=lambda r: r.id):
            if self._holder(record) is None:
                line.setdefault(_key(record), record)
        return list(line.values())[:limit]

    async def deliverable(self, *, limit: int = 200) -> Sequence[tuple[str, str]]:
        """Read which threads can deliver what they hold."""
        held = [name for name, thread in self._threads.items() if thread.held]
        return [name for name in held if not self._open_in(*name)][:limit]

    async def deliver(self, tenant: str, thread_id: str, *, at: int) -> int:
        """Deliver what a thread holds."""
        self._begin()
        thread = self._threads.get((tenant, thread_id), KeptThread())
        if self._open_in(tenant, thread_id):
            return 0
        held = [message for message in thread.messages.values() if message.id in thread.held]
        for message in held:
            data = delivered(message.data)
            draft = Draft(MESSAGE_ADDED, tenant, thread_id, at, None, data, thread.owners[message.id])
            del thread.messages[message.id]
            thread.messages[message.id] = replace(message, data=data, seq=self._emit(draft, None))
        thread.held.clear()
        self._finish()
        return len(held)

    async def erase_thread(self, event: Draft, along: Along = NOTHING) -> bool:
        """Erase a thread."""
        self._begin()
        name = (event.tenant, event.thread_id)
        thread = self._threads.get(name)
        if thread is None:
            return False
        self._keep(along)
        requests = {r.id for _, r in self._requests.values() if (r.tenant, r.thread_id) == name}
        for request_id in requests:
            del self._requests[event.tenant, request_id]
            self._executions.pop((event.tenant, request_id), None)
        self._erase_claims(event, requests, set(thread.messages))
        self._erase_kept(event, requests)
        self._threads[name] = KeptThread(
            seq=thread.seq, archived_at=thread.archived_at, archiving=thread.archiving
        )
        self._emit(event, None)
        self._finish()
        return True

    async def idle_threads(
        self, *, before_ms: int, after: tuple[str, str] = ("", ""), limit: int = 100
    ) -> Sequence[Idle]:
        """Read threads in which nothing has happened since."""
        last = {name: thread.events[-1].draft for name, thread in self._threads.items()}
        found = [
            Idle(*name, draft.at)
            for name, draft in sorted(last.items())
            if name > after and draft.at < before_ms and draft.type != THREAD_ERASED
            if not self._open_in(*name)
        ]
        return found[:limit]

    async def scrub(self) -> None:
        """Do nothing: there are no files."""

    # What a change asks of its thread

    def _admit(self, record: Record, event: Draft, quota: Quota | None) -> None:
        """Raise what keeps a new request out."""
        self._check_takes(event)
        if record.settled:
            return
        if record.exclusive is not None and not record.behind:
            holder = self._holder(record)
            if holder is not None:
                raise KeyHeld(holder)
        if quota is not None:
            self._check_quota(record, quota)

    def _check_agent(self, event: Draft) -> None:
        access = self._access_to(event.tenant, event.thread_id)
        if event.agent is not None and not access.admits(event.agent):
            raise ThreadOfAnother

    def _check_takes(self, event: Draft) -> None:
        self._check_agent(event)
        if self._archived(event) is not None:
            raise ThreadArchived(event.thread_id)

    def _check_quota(self, record: Record, quota: Quota) -> None:
        most, name = quota.pending_in_thread, (record.tenant, record.thread_id)
        if most is not None and len(self._open_in(*name)) >= most:
            raise QuotaSpent("pending_in_thread", most)
        mine = [
            r for r in self._open_requests() if (r.tenant, r.requester) == (record.tenant, record.requester)
        ]
        if (most := quota.pending_of_requester) is not None and len(mine) >= most:
            raise QuotaSpent("pending_of_requester", most)
        thread = self._threads.get(name, KeptThread())
        again = _again_at(thread, record, quota)
        if record.kind == "form" and quota.questions is not None and again is not None:
            raise QuotaSpent("questions", quota.questions, again)

    def _count(self, record: Record, quota: Quota | None) -> None:
        """Count a form that was just stored."""
        if quota is None or record.kind != "form" or record.settled:
            return
        thread = self._threads[record.tenant, record.thread_id]
        if thread.asked_from + quota.window_ms <= record.created_at:
            thread.asked, thread.asked_from = 0, record.created_at
        thread.asked += 1

    def _note(self, step: Settlement, record: Record) -> None:
        thread = self._threads[record.tenant, record.thread_id]
        if step.refunds and thread.asked and thread.asked_from <= record.created_at:
            thread.asked -= 1
        if step.refused:
            thread.refused_at = step.event.at

    def _holder(self, record: Record) -> Record | None:
        """Return the open request that has the key of this one."""
        having = (r for r in self._open_requests() if r.exclusive is not None and not r.behind)
        return next((r for r in having if _key(r) == _key(record)), None)

    def _all_in_line(self) -> list[Record]:
        return [r for r in self._open_requests() if r.behind]

    def _open_requests(self) -> list[Record]:
        return [self._read(*name) for name, (_, r) in self._requests.items() if not r.settled]

    def _open_in(self, tenant: str, thread_id: str) -> list[Record]:
        return [r for r in self._open_requests() if (r.tenant, r.thread_id) == (tenant, thread_id)]

    def _archived(self, event: Draft) -> int | None:
        return self._threads.get((event.tenant, event.thread_id), KeptThread()).archived_at

    def _erase_claims(self, event: Draft, requests: set[str], messages: set[str]) -> None:
        self._claims = {
            name: kept
            for name, kept in self._claims.items()
            if name[0] != event.tenant
            or (kept[1] not in requests and not (kept[1] in messages and event.thread_id in name[2]))
        }

    def _erase_kept(self, event: Draft, requests: set[str]) -> None:
        tenant, thread_id = event.tenant, event.thread_id
        subjects = {("request", request_id) for request_id in requests} | {("session", thread_id)}
        self._secrets = {
            k: s for k, s in self._secrets.items() if k[0] != tenant or (s.scope, s.subject) not in subjects
        }
        self._candidates = {
            k: s for k, s in self._candidates.items() if k[0] != tenant or k[1] not in requests
        }
        self._grants = {k: g for k, g in self._grants.items() if k[:2] != (tenant, thread_id)}
        self._resumes = {k: r for k, r in self._resumes.items() if k[0] != tenant or k[1] not in requests}
        self._refusals = [r for r in self._refusals if (r.tenant, r.thread_id) != (tenant, thread_id)]
        self._rules = {
            k: r
            for k, r in self._rules.items()
            if k[0] != tenant or (r.scope, r.subject) != ("thread", thread_id)
        }
        self._policies.pop((tenant, thread_id), None)


def _key(record: Record) -> tuple[str, ...]:
    return record.tenant, record.thread_id, record.requester, record.exclusive or ""


def _again_at(thread: KeptThread, record: Record, quota: Quota) -> int | None:
    """Return when a thread that has had its questions has room again; None when it has some."""
    end = thread.asked_from + quota.window_ms
    full = quota.questions is not None and thread.asked >= quota.questions
    if end <= record.created_at:
        return end if quota.questions == 0 else None
    return end if full else None
