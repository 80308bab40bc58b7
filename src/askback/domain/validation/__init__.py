"""The rules of forms and answers; all faults are reported together, each with its path.

`ask.py` checks forms of agents, `answer.py` answers of persons. The pages check answers too; `vectors/` has the
cases that both sides must agree on.
"""

from __future__ import annotations

from askback.domain.validation.answer import check_answer
from askback.domain.validation.ask import check_ask, check_form

__all__ = ["check_answer", "check_ask", "check_form"]
