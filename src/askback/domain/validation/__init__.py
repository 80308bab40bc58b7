"""The rules of a question and of its answer: every fault at once, each with its path.

`ask.py` checks what an agent sends, `answer.py` what a person sends. The same rules run in
TypeScript; `vectors/` holds the cases that both must agree on, and spells the rules out.
"""

from __future__ import annotations

from askback.domain.validation.answer import check_answer
from askback.domain.validation.ask import check_ask, check_form

__all__ = ["check_answer", "check_ask", "check_form"]
