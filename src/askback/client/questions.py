"""Small questions as forms: one choice, one line of text, yes or no."""

from __future__ import annotations

from collections.abc import Sequence

from askback.domain.fields import Form, Option, Select, Text
from askback.errors import Invalid

FIELD = "answer"
YES, NO = "Yes", "No"
BUTTONS = 5
"""Up to so many short choices are buttons; more are a list."""

BUTTON_LENGTH = 30


def question(
    text: str,
    choices: Sequence[str | Option] | None = None,
    *,
    allow_other: bool = False,
    default: str | None = None,
) -> Form:
    """Ask for one of `choices`; without any, for Yes or No (S000)."""
    _check(text)
    options = [Option(value=c, label=c) if isinstance(c, str) else c for c in choices or (YES, NO)]
    return Form(
        fields=[
            Select(
                id=FIELD,
                label=text,
                required=True,
                options=options,
                allow_other=allow_other,
                default=default,
                widget=_widget(options, confirm=not choices, allow_other=allow_other),
            )
        ]
    )


def free_text(text: str, *, placeholder: str | None = None) -> Form:
    """Ask for a line of text."""
    _check(text)
    return Form(fields=[Text(id=FIELD, label=text, required=True, placeholder=placeholder)])


def _widget(options: Sequence[Option], *, confirm: bool, allow_other: bool):
    if confirm:
        return "confirm"
    short = len(options) <= BUTTONS and all(len(option.label) <= BUTTON_LENGTH for option in options)
    return "buttons" if short and not allow_other else None


def _check(text: str) -> None:
    if not text.strip():
        fault = {"path": "question", "code": "empty", "message": "Must not be empty."}
        raise Invalid("The question is empty. Say what to ask.", field_errors=[fault])
