"""List the built-in rules, whether they are in force, and their usage."""

from __future__ import annotations

from typing import Any

from askback.domain.policy import hard_limits
from askback.domain.policy.built_in_lists import LISTS, built_in_groups, built_in_rules
from askback.domain.policy.description import describe_rule
from askback.ports.store import Principal
from askback.service.access import roles
from askback.service.approvals.policy import get_policy
from askback.service.approvals.rules import read_usage
from askback.service.context import Services


async def list_built_in_rules(ctx: Services, principal: Principal) -> dict[str, Any]:
    """Return the built-in rules in groups, as JSON values; those of the lists of the default policy are active."""
    await roles.require(ctx, principal, "list_built_in_rules")
    settings = await get_policy(ctx, principal)
    groups = built_in_groups()
    usage = await read_usage(ctx, principal, [rule.text for rules in groups.values() for rule in rules])
    active = {rule.text for name in settings.lists if name in LISTS for rule in built_in_rules(name)}
    return {
        "lists": settings.lists,
        "groups": [
            {
                "name": name,
                "rules": [
                    {
                        "rule": rule.text,
                        "description": describe_rule(rule).model_dump(exclude_defaults=True),
                        "active": rule.text in active,
                        "usage": usage.get(rule.text),
                    }
                    for rule in rules
                ],
            }
            for name, rules in groups.items()
        ],
        "limits": list(hard_limits.LIMITS),
    }
