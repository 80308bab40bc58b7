"""Forms for Claude's own questions, and which forms fit into an elicitation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from askback.adapters.arguments import QuestionForm, form_of_questions
from askback.compat.mcp_elicitation import write_elicitation
from askback.compat.translation import NotExpressible
from askback.domain.faults import Faults
from askback.domain.validation.ask import check_form

QUESTIONS_TOOL = "AskUserQuestion"


def prompted_form(tool: str, tool_input: Mapping[str, Any]) -> QuestionForm | None:
    """Return the form if a permission prompt is about Claude's own questions; raises `Faults`."""
    if tool != QUESTIONS_TOOL:
        return None
    return QuestionForm(form_of_questions(tool_input, "input.questions"), answers_by_text=True)


def is_flat(form: Mapping[str, Any]) -> bool:
    """Whether a form fits into an elicitation; an invalid one does, because the server reports its faults."""
    try:
        write_elicitation(check_form(form))
    except NotExpressible:
        return False
    except Faults:
        return True
    return True
