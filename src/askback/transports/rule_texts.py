"""Replies about draft and imported rules, as JSON values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from askback.domain.policy.description import describe_rule
from askback.domain.policy.engine import PolicyResult
from askback.domain.preview import reason_data
from askback.domain.timestamps import rfc3339
from askback.service.approvals.rule_files import ImportedRow
from askback.service.approvals.trials import Preview, Trial
from askback.transports.problems import fault_texts


def trial_result(trial: Trial, locale: str) -> dict[str, Any]:
    """Write the effect of a draft rule."""
    rule = trial.rule
    return {
        "rule": rule and rule.text,
        "description": rule and describe_rule(rule).model_dump(exclude_defaults=True),
        "problems": fault_texts(trial.problems, locale),
        "covers": trial.covers,
        "why": list(trial.reasons),
        "why_codes": list(map(reason_data, trial.reasons)),
        "now": _ruling(trial.current_result),
        "then": _ruling(trial.result_with_rule),
    }


def _ruling(result: PolicyResult | None) -> dict[str, Any] | None:
    return result and {
        "decision": result.decision,
        "rules": list(result.rules),
        "reasons": list(result.reasons),
        "reason_codes": list(map(reason_data, result.reasons)),
    }


def preview(result: Preview) -> dict[str, Any]:
    """Write a page of calls that a draft rule would decide differently."""
    return {
        "calls": result.calls,
        "checked": result.checked,
        "checked_to": rfc3339(result.checked_to),
        "since": rfc3339(result.since),
        "next_cursor": result.cursor,
    }


def import_result(rows: Sequence[ImportedRow], *, dry_run: bool, locale: str) -> dict[str, Any]:
    """Write the result of each row of an import."""
    counts = Counter(row.outcome for row in rows)
    return {
        "dry_run": dry_run,
        **{outcome: counts[outcome] for outcome in ("added", "known", "refused")},
        "rows": [
            {
                "outcome": row.outcome,
                "rule": row.rule and row.rule.text,
                "id": row.rule.id if row.rule and not (dry_run and row.outcome == "added") else None,
                "problems": fault_texts(row.problems, locale),
            }
            for row in rows
        ],
    }
