"""Describes a rule as data, so that a page can say in words what it covers."""

from __future__ import annotations

import json
import shlex
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from askback.domain.policy.rules import Effect, Rule, RuleError, parse_rule

Form = Literal["command", "options", "any_arguments", "everything", "text", "tool", "arguments", "input"]


class RuleDescription(BaseModel):
    """The scope of a rule as data.

    `command`: exactly the words `subject`. `options`: these words, then arguments (an allow rule: harmless ones only).
    `any_arguments`: these words, then any arguments. `everything`: every command. `text`: exactly this text of a shell.
    `tool`: the tools `subject`, a name or a pattern. `arguments`: calls of this tool whose arguments match `details`,
    each `name=pattern`. `input`: calls of this tool with exactly the input in `details`, as JSON.
    `folder` is the only folder in which the rule applies.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    form: Form
    subject: str
    details: list[str] = Field(default_factory=list)
    folder: str | None = None


def describe_text(text: str, effect: Effect) -> RuleDescription | None:
    """Describe the text of a stored rule; None if it can no longer be parsed."""
    try:
        return describe_rule(parse_rule(text, effect))
    except RuleError:
        return None


def describe_rule(rule: Rule) -> RuleDescription:
    """Describe a rule."""
    form, subject, details = _content(rule)
    return RuleDescription(form=form, subject=subject, details=details, folder=rule.folder)


def _content(rule: Rule) -> tuple[Form, str, list[str]]:
    if rule.words == ():
        return "everything", "", []
    if rule.words is not None:
        form: Form = "any_arguments" if rule.any_arguments else "options" if rule.prefix else "command"
        return form, shlex.join(rule.words), []
    if rule.input is not None:
        if rule.text.startswith(f"{rule.tool}("):
            return "text", json.loads(rule.input)["command"], []
        return "input", rule.tool, [json.dumps(json.loads(rule.input), ensure_ascii=False)]
    if rule.arguments:
        return "arguments", rule.tool, [f"{name}={glob}" for name, glob in rule.arguments]
    return "tool", rule.tool, []
