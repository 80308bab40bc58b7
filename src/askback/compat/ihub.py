"""iHub's `ask_user` (S001): how much it lets a conversation be asked, and what its model reads when that is used up."""

from __future__ import annotations

from typing import Any

from askback.domain.policy.conduct import BOUNDS
from askback.errors import RateLimited

MAX_CLARIFICATIONS = 10
CODE = "CLARIFICATION_LIMIT_REACHED"
MESSAGE = (
    "Maximum clarification limit ({limit}) reached for this conversation. "
    "Please proceed with the available information or make reasonable assumptions."
)


def policy(limit: int = MAX_CLARIFICATIONS) -> dict[str, Any]:
    """Return what `POST /v1/policy` takes so that a thread, or all, has this limit in these words."""
    ever = BOUNDS["questions_window_s"][1]  # theirs has no window: it counts for the conversation
    words = MESSAGE.format(limit=limit)
    return {"max_questions": limit, "questions_window_s": ever, "max_questions_text": words}


def limit_reached(refused: RateLimited) -> dict[str, Any]:
    """Return the result of the tool for a question that was one too many under such a policy."""
    return {"error": True, "code": CODE, "message": refused.message}
