"""Replies that REST and the WebSocket share, as JSON text: stored text is inserted unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from askback.domain import jsontext
from askback.domain.audit import SealStatus, read_seal
from askback.domain.faults import Fault
from askback.domain.record import Record
from askback.domain.resume import resume_wire
from askback.domain.timestamps import rfc3339
from askback.ports.audit import AuditHead
from askback.ports.resumes import Lease
from askback.ports.secrets import SecretRecord, SecretUse
from askback.ports.store import Change, Principal
from askback.service.access import sharing
from askback.service.audit.search import FoundEntries
from askback.service.audit.verify import Verification
from askback.service.requests.batch import Result
from askback.service.secrets.lease import LeasedSecret
from askback.service.server import ServerInfo
from askback.service.threads.conversations import Conversation
from askback.service.threads.details import thread_wire
from askback.transports.problems import fault_texts, problem

_ASK_MEMBERS = frozenset({"form", "approval", "secret", "view"})


def with_warnings(text: str, warnings: Sequence[Fault], locale: str) -> str:
    """Return a reply with the warnings about the values that were sent, if there are any."""
    return jsontext.with_members(text, warnings=fault_texts(warnings, locale)) if warnings else text


def page(name: str, wires: Iterable[str], cursor: str | None) -> str:
    """Write a page of stored JSON texts."""
    return f'{{"{name}":[{",".join(wires)}],"next_cursor":{json.dumps(cursor)}}}'


def conversations(principal: Principal, visible: Iterable[Conversation], cursor: str | None) -> str:
    """Write a page of conversations."""
    return page("conversations", (_conversation(principal, item) for item in visible), cursor)


def _conversation(principal: Principal, conversation: Conversation) -> str:
    wire = thread_wire(principal, conversation.details)
    members = json.dumps(wire if conversation.message is None else {**wire, "message": conversation.message})
    if conversation.request is None:
        return members
    return jsontext.merge(members, f'{{"request":{sharing.list_item(principal, conversation.request)}}}')


def results_text(results: Sequence[Result], *, locale: str) -> str:
    """Write the result of each request of a batch."""
    return f'{{"results":[{",".join(_result(id_, result, locale) for id_, result in results)}]}}'


def _result(request_id: str, result: Change | Exception, locale: str) -> str:
    if isinstance(result, Exception):
        status, error = problem(result, locale=locale)
        if "request" in error:
            error["request"] = {k: v for k, v in error["request"].items() if k not in _ASK_MEMBERS}
        return json.dumps({"id": request_id, "status": status, "error": error})
    return f'{{"id":{json.dumps(request_id)},"status":200,"request":{_brief(result.record)}}}'


def _brief(record: Record) -> str:
    """Write the state of a request without its question: two hundred questions would be too much."""
    identity = {"id": record.id, "kind": record.kind, "thread_id": record.thread_id}
    members = json.dumps({**identity, "created_at": rfc3339(record.created_at)})
    return jsontext.merge(members, record.state.text)


def resumes_text(leases: Sequence[Lease], texts: Mapping[str, str]) -> str:
    """Write the leased resumes, each with the text for the model and the settled request."""
    wires = [
        resume_wire(lease.resume.id, lease.record, attempt=lease.attempt, until=lease.until, texts=texts)
        for lease in leases
    ]
    return f'{{"resumes":[{",".join(wires)}]}}'


def secrets_text(
    secrets: Sequence[SecretRecord],
    agents: Mapping[str, Sequence[str] | str],
    uses: Mapping[str, SecretUse],
    cursor: str | None,
) -> str:
    """Write a page of secrets: names, times, and by the id of the secret its agents and its last use."""
    items = [
        jsontext.with_members(secret.wire, agents=agents[secret.id], **_use(uses.get(secret.id)))
        for secret in secrets
    ]
    return page("secrets", items, cursor)


def _use(use: SecretUse | None) -> dict[str, Any]:
    return {} if use is None else {"used_at": rfc3339(use.at), "used_by": json.loads(use.actor)}


def leased_text(leased: Mapping[str, LeasedSecret]) -> str:
    """Write the leased values: the only text of this server that contains any."""
    values = {
        name: {"value": item.secret.reveal(), "scope": item.record.scope, "version": item.record.version}
        for name, item in leased.items()
    }
    expires_at = min(item.expires_at for item in leased.values())
    return json.dumps({"secrets": values, "expires_at": rfc3339(expires_at)}, ensure_ascii=False)


def audit_text(entries: Sequence[str], head: AuditHead, status: SealStatus) -> str:
    """Write a page of the audit log, its head, and its seal."""
    closing_members = json.dumps(_head_members(head, status), separators=(",", ":"))
    return f'{{"entries":[{",".join(entries)}],"head":{closing_members}}}'


def _head_members(head: AuditHead, status: SealStatus) -> dict[str, Any]:
    head_seal = read_seal(head.seal or "")
    seal = {
        "status": status,
        **({"key": head_seal.key_id, "unsealed": head_seal.unsealed} if head_seal else {}),
    }
    return {"seq": head.seq, "hash": head.hash, "seal": seal}


def server_text(server: ServerInfo) -> str:
    """Write the server information for admins."""
    return json.dumps(
        {
            "version": server.version,
            "database": server.schema.database,
            "migration": server.schema.version,
            "read_only": server.read_only,
            "audit": _head_members(server.head, server.seal),
        }
    )


def audit_entries(page: FoundEntries) -> str:
    """Write found entries, with the names for their ids."""
    members = {
        "names": {"agents": page.agents, "threads": page.threads},
        "checked": page.checked,
        "checked_to": page.checked_to,
        "next_cursor": page.cursor,
    }
    return jsontext.merge(f'{{"entries":[{",".join(page.texts)}]}}', json.dumps(members, ensure_ascii=False))


def verification(result: Verification) -> str:
    """Write the result of verifying the audit log."""
    range_members = {"start": result.start, "end": result.end}
    return json.dumps(
        {
            **{name: {"seq": seq, "hash": sealed} for name, (seq, sealed) in range_members.items()},
            "head": _head_members(result.head, result.seal),
            "checked": result.end[0] - result.start[0],
            "complete": result.complete,
            "broken": result.first_break and {"seq": result.first_break[0], "why": result.first_break[1]},
        }
    )
