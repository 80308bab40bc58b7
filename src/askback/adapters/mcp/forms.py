"""Forms for Claude's own questions, and which forms fit into an elicitation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askback.adapters.arguments import QuestionForm, form_of_questions
from askback.compat.claude_questions import ASK_USER
from askback.compat.mcp_elicitation import write_elicitation
from askback.compat.translation import NotExpressible, missing_part
from askback.domain.faults import Faults
from askback.domain.fields import Form
from askback.domain.validation.ask import check_form


def prompted_form(tool: str, tool_input: Mapping[str, Any]) -> QuestionForm | None:
    """Return the form if a permission prompt is about Claude's own questions; raises `Faults`."""
    if tool != ASK_USER:
        return None
    return QuestionForm(form_of_questions(tool_input, "input.questions"), answers_by_text=True)


def whole_elicitation(
    form: Form, *, own_texts: bool = True, values_shown: bool = False
) -> Mapping[str, Any] | None:
    """Return the elicitation that shows every field of a form, also the optional ones; None if there is none."""
    if any(missing_part(field) is not None for field in form.all_fields):
        return None
    try:
        return write_elicitation(form, own_texts=own_texts, values_shown=values_shown).params
    except NotExpressible:
        return None


def is_flat(form: Mapping[str, Any]) -> bool:
    """Return whether a form fits into an elicitation; an invalid one does, because the server reports its faults."""
    try:
        return whole_elicitation(check_form(form)) is not None
    except Faults:
        return True
