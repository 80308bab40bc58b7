"""Run the agent's own validator, and turn its result into messages for the person."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from askback.domain.fields import Form
from askback.domain.request import Answer


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Ask the person again: with what is wrong by field id, in one sentence, or with another form."""

    field_errors: Mapping[str, str] | None = None
    error_summary: str | None = None
    form: Form | Mapping[str, Any] | None = None


Verdict = None | str | Mapping[str, str] | Form | AskAgain
"""None accepts. A sentence, sentences by field id, another form, or all of them as `AskAgain` ask again."""

Validator = Callable[[Answer], Verdict | Awaitable[Verdict]]
"""Takes an answer that the form allows. A plain function runs in a thread, so that it may take its time."""


async def judged(validator: Validator, answer: Answer) -> AskAgain | None:
    """Call a validator; None means that it accepts. Raises the validator's errors."""
    if inspect.iscoroutinefunction(validator):
        verdict: Verdict = await validator(answer)
    else:
        found = await asyncio.to_thread(validator, answer)
        verdict = await found if inspect.isawaitable(found) else found
    if verdict is None or isinstance(verdict, AskAgain):
        return verdict
    if isinstance(verdict, str):
        return AskAgain(error_summary=verdict)
    if isinstance(verdict, Form):
        return AskAgain(form=verdict)
    return AskAgain(field_errors=verdict) if verdict else None
