"""Which prefix rules allow nothing, and what to write instead."""

from __future__ import annotations

import shlex

from askback.domain.policy.dangers import command_risks
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import Rule, RuleError, parse_rule
from askback.domain.policy.shell.hazards import rule_fault


def needs_choice(rule: Rule) -> Reason | None:
    """Say why a rule that allows covers no command, and what to write instead; None for a rule that may cover one.

    Such a rule may still be stored by an older version: it stays in the list, and what it covered is asked.
    """
    if rule.effect != "allow" or not rule.prefix or rule.any_arguments or not rule.words:
        return None
    risks = command_risks(rule.words)
    why = Reason("dangerous") if risks else rule_fault(rule.words)
    return why and Reason("rule_allows_nothing", words=shlex.join(rule.words), why=why)


def choice_of(text: str, effect: str) -> Reason | None:
    """Return `needs_choice` for a stored rule by its text; None as well where it cannot be read."""
    try:
        return needs_choice(parse_rule(text)) if effect == "allow" else None
    except RuleError:
        return None
