"""Replies that REST and the WebSocket share, as JSON text: what is stored as text is spliced in as it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from askback.domain import jsontext
from askback.domain.audit import SealStatus, read_seal
from askback.domain.record import Record
from askback.domain.resume import resume_wire
from askback.domain.timestamps import rfc3339
from askback.ports.audit import AuditHead
from askback.ports.resumes import Lease
from askback.ports.secrets import SecretRecord
from askback.ports.store import Change
from askback.service.requests.batch import Result
from askback.service.secrets.lease import LeasedSecret
from askback.transports.problems import problem

_ASKED = frozenset({"form", "approval", "secret", "view"})


def page(name: str, wires: Iterable[str], cursor: str | None) -> str:
    """Write a page of what is stored as JSON text."""
    return f'{{"{name}":[{",".join(wires)}],"next_cursor":{json.dumps(cursor)}}}'


def results_text(results: Sequence[Result], *, locale: str) -> str:
    """Write what became of each request of a batch."""
    return f'{{"results":[{",".join(_result(id_, found, locale) for id_, found in results)}]}}'


def _result(request_id: str, found: Change | Exception, locale: str) -> str:
    if isinstance(found, Exception):
        status, error = problem(found, locale=locale)
        if "request" in error:
            error["request"] = {k: v for k, v in error["request"].items() if k not in _ASKED}
        return json.dumps({"id": request_id, "status": status, "error": error})
    return f'{{"id":{json.dumps(request_id)},"status":200,"request":{_brief(found.record)}}}'


def _brief(record: Record) -> str:
    """Write where a request stands without what it asked: of two hundred, all that they asked would be too much."""
    named = {"id": record.id, "kind": record.kind, "thread_id": record.thread_id}
    asked = json.dumps({**named, "created_at": rfc3339(record.created_at)})
    return jsontext.merge(asked, record.state.text)


def resumes_text(found: Sequence[Lease], texts: Mapping[str, str]) -> str:
    """Write the resumes that were leased, each with the text for the model and the request as it ended."""
    wires = [
        resume_wire(each.resume.id, each.record, attempt=each.attempt, until=each.until, texts=texts)
        for each in found
    ]
    return f'{{"resumes":[{",".join(wires)}]}}'


def secrets_text(
    secrets: Sequence[SecretRecord], agents: Mapping[str, Sequence[str] | str], cursor: str | None
) -> str:
    """Write a page of secrets: names, times, and `agents`, by the id of the secret: those that may use it."""
    return page(
        "secrets", [jsontext.with_members(each.wire, agents=agents[each.id]) for each in secrets], cursor
    )


def leased_text(leased: Mapping[str, LeasedSecret]) -> str:
    """Write the values that an executor asked for: the one text of this server that has any."""
    values = {
        name: {"value": each.secret.reveal(), "scope": each.record.scope, "version": each.record.version}
        for name, each in leased.items()
    }
    until = min(each.expires_at for each in leased.values())
    return json.dumps({"secrets": values, "expires_at": rfc3339(until)}, ensure_ascii=False)


def audit_text(entries: Sequence[str], head: AuditHead, standing: SealStatus) -> str:
    """Write a page of the audit log, where the log ends, and its seal."""
    held = read_seal(head.seal or "")
    seal = {"status": standing, **({"key": held.key_id, "unsealed": held.unsealed} if held else {})}
    ends = json.dumps({"seq": head.seq, "hash": head.hash, "seal": seal}, separators=(",", ":"))
    return f'{{"entries":[{",".join(entries)}],"head":{ends}}}'
