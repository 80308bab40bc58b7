"""Builds the policy that applies to a call, from the stored settings and rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Protocol, cast

from askback.domain.policy.built_in_lists import LISTS, built_in_rules
from askback.domain.policy.engine import Policy
from askback.domain.policy.reasons import Reason
from askback.domain.policy.rule_set import RuleSet
from askback.domain.policy.rules import Effect, Rule, RuleError, parse_rule
from askback.domain.policy.settings import PolicySettings, ShadowSettings, read_thread_settings

CONFIRMATION = "ENABLE FULL"
"""The text that a person has to type before everything may run without asking."""


class StoredRule(Protocol):
    """The attributes of a stored rule that a policy needs."""

    @property
    def effect(self) -> str: ...  # noqa: D102 - as in `RuleRecord`
    @property
    def text(self) -> str: ...  # noqa: D102
    @property
    def locked(self) -> bool: ...  # noqa: D102
    @property
    def shadow(self) -> bool: ...  # noqa: D102


LOOSENING_MODES = frozenset({"accept_edits", "full"})
"""Modes that let more run; a thread's mode applies only to the agents that were in it when it was set."""

FIRST_AGENT = ""
"""In `mode_agents`, the agent that first writes in the thread, if none had when the mode was set.

No caller can send it: an id is not blank.
"""


def read_settings(
    tenant_settings: str | None,
    in_thread: str | None = None,
    *,
    agent: str | None = None,
    is_first: bool = False,
) -> PolicySettings:
    """Return the settings of a thread from the stored JSON texts; those of the thread override the tenant's.

    With an `agent`, return the settings for that agent: a thread's mode may apply to other agents only. `is_first`
    says that the thread belongs to this agent, or to none yet.
    """
    settings = _parse_settings(tenant_settings)
    if not in_thread:
        return settings
    thread_settings = dict(read_thread_settings(tenant_settings, in_thread))
    mode = ShadowSettings.model_validate_json(in_thread).mode
    if agent is not None and mode in LOOSENING_MODES:
        agents = mode_agents(in_thread)
        if agent not in agents and not (is_first and FIRST_AGENT in agents):
            mode = None
    return settings.model_copy(update=thread_settings if mode is None else {**thread_settings, "mode": mode})


@lru_cache(maxsize=256)
def _parse_settings(text: str | None) -> PolicySettings:
    return PolicySettings.model_validate_json(text) if text else PolicySettings()


def mode_agents(in_thread: str | None) -> tuple[str, ...]:
    """Return the agents to which a thread's mode applies, if it lets more run."""
    return tuple(json.loads(in_thread).get("mode_agents") or ()) if in_thread else ()


def enforced_policy(
    settings: PolicySettings, stored_rules: Iterable[StoredRule], **folders: tuple[str, ...]
) -> Policy:
    """Return the policy that decides; `folders` are the `roots`, `own_paths` and `secret_free` of `Policy`."""
    return _build_policy(settings, [rule for rule in stored_rules if not rule.shadow], folders)


def shadow_policy(
    settings: PolicySettings, stored_rules: Iterable[StoredRule], **folders: tuple[str, ...]
) -> Policy | None:
    """Return the policy that is only tried, including the enforced rules; None if nothing is tried."""
    rules = list(stored_rules)
    if settings.shadow is None and not any(rule.shadow for rule in rules):
        return None
    trial = settings.shadow.model_dump(exclude_none=True) if settings.shadow else {}
    return _build_policy(settings.model_copy(update=trial), rules, folders)


def _build_policy(
    settings: PolicySettings, stored_rules: Iterable[StoredRule], folders: Mapping[str, tuple[str, ...]]
) -> Policy:
    lists = [name for name in settings.lists if name in LISTS]
    looking = "read-only-tools"
    rules, faults = _build_rules(
        tuple((rule.text, rule.effect, rule.locked) for rule in stored_rules),
        tuple(name for name in lists if name != looking),
    )
    return Policy(
        rules=rules,
        level=settings.level,
        ask=settings.ask_mode,
        mode=settings.mode,
        table=settings.table_in_force,
        read_only=_built_in_rules(looking) if looking in lists else (),
        faults=faults,
        **folders,
    )


@lru_cache(maxsize=256)
def _build_rules(
    stored_rules: tuple[tuple[str, str, bool], ...], lists: tuple[str, ...]
) -> tuple[RuleSet, tuple[Reason, ...]]:
    """Return stored rules and those of lists, and why stored rules could not be read."""
    rules: list[Rule] = []
    faults: list[Reason] = []
    for text, effect, locked in stored_rules:
        try:
            rules.append(parse_rule(text, cast("Effect", effect), locked=locked))
        except RuleError as error:
            # A rule of an older version may be unreadable now. Calls that it stopped must not run.
            if effect != "allow":
                faults.append(Reason("rule_unread_asked", rule=text, why=error.why))
    return RuleSet((*rules, *(rule for name in lists for rule in _built_in_rules(name)))), tuple(faults)


@cache
def _built_in_rules(name: str) -> RuleSet:
    return RuleSet(built_in_rules(name))
