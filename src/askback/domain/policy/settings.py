"""The policy that settings and stored rules make."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cache
from typing import Protocol, cast

from askback.domain.policy.conduct import read_conduct
from askback.domain.policy.engine import Policy
from askback.domain.policy.lists import LISTS, rules_of
from askback.domain.policy.preferences import PolicySettings, Trial
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rules import Effect, Rule, RuleError, parse_rule

CONFIRMATION = "ENABLE FULL"
"""What has to be typed before everything runs unasked."""


class KeptRule(Protocol):
    """What a policy needs of a stored rule."""

    @property
    def effect(self) -> str: ...  # noqa: D102 - as in `RuleRecord`
    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def locked(self) -> bool: ...  # noqa: D102
    @property
    def shadow(self) -> bool: ...  # noqa: D102


LOOSENING = frozenset({"accept_edits", "full"})
"""Modes that let more run: that of a thread is only for the agents that were in it when it was set."""


def read_settings(
    everywhere: str | None, in_thread: str | None = None, *, agent: str | None = None
) -> PolicySettings:
    """Return the settings that hold in a thread, from the stored JSON texts; what the thread says itself wins.

    With an `agent` those that hold for it: the mode of a thread may be for others.
    """
    settings = PolicySettings.model_validate_json(everywhere) if everywhere else PolicySettings()
    if not in_thread:
        return settings
    own = read_conduct(everywhere, in_thread).model_dump()
    mode = Trial.model_validate_json(in_thread).mode
    if (
        agent is not None
        and mode in LOOSENING
        and agent not in (json.loads(in_thread).get("mode_agents") or ())
    ):
        mode = None
    return settings.model_copy(update=own if mode is None else {**own, "mode": mode})


def enforced(settings: PolicySettings, kept: Iterable[KeptRule]) -> Policy:
    """Return the policy that decides."""
    return _policy(settings, [rule for rule in kept if not rule.shadow])


def tried(settings: PolicySettings, kept: Iterable[KeptRule]) -> Policy | None:
    """Return the policy that is only tried, with the rules that are; None when nothing is."""
    rules = list(kept)
    if settings.shadow is None and not any(rule.shadow for rule in rules):
        return None
    trial = settings.shadow.model_dump(exclude_none=True) if settings.shadow else {}
    return _policy(settings.model_copy(update=trial), rules)


def _policy(settings: PolicySettings, kept: Iterable[KeptRule]) -> Policy:
    rules: list[Rule] = []
    faults: list[Reason] = []
    for each in kept:
        effect = cast("Effect", each.effect)
        try:
            rules.append(parse_rule(each.text, effect, locked=each.locked))
        except RuleError as odd:
            # A rule of an older version that cannot be read any more: it must not let through what it stopped.
            if effect != "allow":
                faults.append(Reason("rule_unread_asked", rule=each.text, why=odd.why))
    lists = [name for name in settings.lists if name in LISTS]
    looking = "read-only-tools"
    return Policy(
        rules=(*rules, *(rule for name in lists if name != looking for rule in _listed(name))),
        level=settings.level,
        ask=settings.ask_mode,
        mode=settings.mode,
        read_only=_listed(looking) if looking in lists else (),
        faults=tuple(faults),
    )


@cache
def _listed(name: str) -> tuple[Rule, ...]:
    return rules_of(name)
