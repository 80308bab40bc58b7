"""Single questions as forms: a choice, a line of text, yes or no."""

from __future__ import annotations

from collections.abc import Sequence

from askback.domain.fields import Form, Select, Text
from askback.domain.options import Option
from askback.errors import Invalid

FIELD_ID = "answer"
YES, NO = "Yes", "No"
MAX_BUTTONS = 5
"""The most short choices that are shown as buttons; more are a list."""

MAX_BUTTON_LENGTH = 30


def question(
    text: str,
    choices: Sequence[str | Option] | None = None,
    *,
    allow_other: bool = False,
    default: str | None = None,
) -> Form:
    """Ask for one of `choices`, or without any for a line of text."""
    _check(text)
    if choices is None:
        return Form(fields=[Text(id=FIELD_ID, label=text, required=True, default=default)])
    options = [Option(value=c, label=c) if isinstance(c, str) else c for c in choices]
    has_buttons = len(options) <= MAX_BUTTONS and all(
        len(option.label) <= MAX_BUTTON_LENGTH for option in options
    )
    choice = Select(
        id=FIELD_ID,
        label=text,
        required=True,
        options=options,
        allow_other=allow_other,
        default=default,
        widget="buttons" if has_buttons and not allow_other else None,
    )
    return Form(fields=[choice])


def confirmation(text: str) -> Form:
    """Ask for Yes or No."""
    _check(text)
    options = [Option(value=word, label=word) for word in (YES, NO)]
    return Form(fields=[Select(id=FIELD_ID, label=text, required=True, options=options, widget="confirm")])


def _check(text: str) -> None:
    if not text.strip():
        fault = {"path": "question", "code": "empty", "message": "Must not be empty."}
        raise Invalid("The question is empty. Give a text.", field_errors=[fault])
