"""The description of a rule as data."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from askback.domain.policy import hard_limits
from askback.domain.policy.built_in_lists import LISTS, built_in_groups, built_in_rules
from askback.domain.policy.description import RuleDescription, describe_rule, describe_text
from askback.domain.policy.rules import parse_rule


@pytest.mark.parametrize(
    ("text", "form", "subject", "details"),
    [
        ("git status", "command", "git status", []),
        ("git diff:*", "options", "git diff", []),
        ("deploy:!*", "any_arguments", "deploy", []),
        ("bash(make | tee log)", "text", "make | tee log", []),
        ("sh(make | tee log)", "text", "make | tee log", []),
        ("write_file(path=src/**, mode=a)", "arguments", "write_file", ["path=src/**", "mode=a"]),
        ('send_mail {"to": "Zoë"}', "input", "send_mail", ['{"to": "Zoë"}']),
        ('bash {"command": "a\\nb"}', "input", "bash", ['{"command": "a\\nb"}']),
        ("tool:wait 5", "input", "wait", ["5"]),
        ("mcp:github:get_*", "tool", "mcp__github__get_*", []),
        ("tool:Read", "tool", "Read", []),
    ],
)
def test_a_rule_is_described_by_its_form(text: str, form: str, subject: str, details: list[str]) -> None:
    described = describe_rule(parse_rule(text))
    assert described.model_dump() == {"form": form, "subject": subject, "details": details, "folder": None}


def test_a_description_has_the_folder_and_every_command_has_no_subject() -> None:
    description_with_folder = describe_text("bash(make test) in /srv/shop", "allow")
    assert description_with_folder == RuleDescription(form="command", subject="make test", folder="/srv/shop")
    assert describe_text("bash(:*)", "deny") == RuleDescription(form="everything", subject="")


def test_a_text_that_is_no_rule_any_more_has_no_description() -> None:
    assert describe_text("bash(git 'status)", "allow") is None


def test_every_built_in_rule_is_in_one_group() -> None:
    grouped_texts = [rule.text for rules in built_in_groups().values() for rule in rules]
    assert len(grouped_texts) == len(set(grouped_texts))
    assert set(grouped_texts) == {rule.text for name in LISTS for rule in built_in_rules(name)}


def test_every_hard_limit_is_listed() -> None:
    source = Path(hard_limits.__file__).read_text()
    assert set(re.findall(r'Reason\("(limit_\w+)"', source)) == set(hard_limits.LIMITS)
