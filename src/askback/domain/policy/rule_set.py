"""The rules of a policy, found by the name that a call or a command must have to match them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from askback.domain.policy.argument_patterns import has_wildcard
from askback.domain.policy.rules import Rule


class RuleSet(tuple[Rule, ...]):  # noqa: SLOT001 - what is derived is kept with it
    """Rules in their order. Derived values are computed once, so keep a set that is used again."""

    @cached_property
    def _stopping(self) -> Mapping[str, tuple[Rule, ...]]:
        """The rules that deny and ask; locked rules come first, so that nobody is offered a rule that loosens one."""
        ordered = sorted(self, key=lambda rule: not rule.locked)
        return {
            effect: tuple(rule for rule in ordered if rule.effect == effect) for effect in ("deny", "ask")
        }

    @cached_property
    def _allowing(self) -> tuple[Rule, ...]:
        return tuple(rule for rule in self if rule.effect == "allow")

    @cached_property
    def _for_any_name(self) -> tuple[Rule, ...]:
        """The rules that allow more names than one."""
        return tuple(rule for rule in self._allowing if _only_name(rule) is None)

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[Rule, ...]]:
        names = {name for rule in self._allowing if (name := _only_name(rule)) is not None}
        by_name: dict[str, list[Rule]] = {name: [] for name in names}
        for rule in self._allowing:
            name = _only_name(rule)
            for item in by_name if name is None else (name,):
                by_name[item].append(rule)
        return {name: tuple(rules) for name, rules in by_name.items()}

    @cached_property
    def exact(self) -> tuple[Rule, ...]:
        """The rules that allow one input."""
        return tuple(rule for rule in self._allowing if rule.input is not None)

    @cached_property
    def built_in(self) -> RuleSet:
        """The built-in rules alone."""
        return RuleSet(rule for rule in self if rule.built_in)

    def stopping(self, effect: Literal["deny", "ask"]) -> tuple[Rule, ...]:
        """Return the rules with this effect."""
        return self._stopping[effect]

    def allowing(self, name: str | None) -> tuple[Rule, ...]:
        """Return the rules that may allow a tool, or a command whose first word is this; with None, all that allow.

        A rule of a shell tool for exactly one input is found by the name of its shell: see `exact`.
        """
        return self._allowing if name is None else self._by_name.get(name, self._for_any_name)


def _only_name(rule: Rule) -> str | None:
    """Return the only name that a rule matches, as a first word or as a tool; None if it may match several."""
    if rule.words is not None:
        return rule.words[0] if rule.words else None
    return None if has_wildcard(rule.tool) else rule.tool
