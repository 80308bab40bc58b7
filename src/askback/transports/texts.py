"""Replies that REST and the WebSocket share, as JSON text: what is stored as text is spliced in as it is."""

from __future__ import annotations

import json
from collections.abc import Sequence

from askback.ports.policy import RuleRecord
from askback.ports.store import Change
from askback.service.batch import Result
from askback.transports.problems import problem


def results_text(results: Sequence[Result], *, locale: str) -> str:
    """Write what became of each request of a batch."""
    return f'{{"results":[{",".join(_result(id_, found, locale) for id_, found in results)}]}}'


def _result(request_id: str, found: Change | Exception, locale: str) -> str:
    if isinstance(found, Exception):
        status, error = problem(found, locale=locale)
        return json.dumps({"id": request_id, "status": status, "error": error})
    return f'{{"id":{json.dumps(request_id)},"status":200,"request":{found.record.wire}}}'


def rules_text(rules: Sequence[RuleRecord], cursor: str | None) -> str:
    """Write a page of rules."""
    return f'{{"rules":[{",".join(rule.wire for rule in rules)}],"next_cursor":{json.dumps(cursor)}}}'


def audit_text(entries: Sequence[str], head: tuple[int, str]) -> str:
    """Write a page of the audit log, and where the log ends."""
    seq, sealed = head
    return f'{{"entries":[{",".join(entries)}],"head":{{"seq":{seq},"hash":"{sealed}"}}}}'
