"""The memory of what the policy allowed a moment ago."""

from __future__ import annotations

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import parse_rule
from askback.service.local_state.recent_decisions import RecentDecisions

ALLOWED = Policy(rules=(parse_rule("bash(git status)", "allow"),))
STATUS = {"command": "git status"}


def test_the_same_policy_decides_about_the_same_call_once() -> None:
    recent = RecentDecisions()
    first = recent.decide(Call("bash", STATUS), ALLOWED, decide)
    assert first.decision == "allow"
    assert recent.decide(Call("bash", dict(STATUS)), Policy(rules=tuple(ALLOWED.rules)), decide) is first


def test_another_rule_folder_or_input_is_decided_again() -> None:
    recent = RecentDecisions()
    recent.decide(Call("bash", STATUS), ALLOWED, decide)
    stopped_policy = Policy(rules=(*ALLOWED.rules, parse_rule("bash(git:*)", "deny")))
    assert recent.decide(Call("bash", STATUS), stopped_policy, decide).decision == "deny"
    assert recent.decide(Call("bash", {"command": "git push"}), ALLOWED, decide).decision == "ask"
    own_policy = Policy(rules=ALLOWED.rules, own_paths=("/data",))
    assert recent.decide(Call("bash", STATUS, "/data"), own_policy, decide).decision == "ask"
    assert recent.decide(Call("bash", STATUS), ALLOWED, decide).decision == "allow"


def test_only_the_last_allowed_scope_is_stored() -> None:
    recent = RecentDecisions(size=1)
    calls = [Call("bash", STATUS), Call("bash", STATUS, "/work"), Call("bash", {"command": "\ud800"})]
    first, *_ = [recent.decide(call, ALLOWED, decide) for call in calls]
    assert recent.decide(calls[0], ALLOWED, decide) == first
    assert recent.decide(calls[0], ALLOWED, decide) is not first
