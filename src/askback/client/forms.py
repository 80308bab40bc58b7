"""Asking a person a question, and waiting for the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel

from askback.client import operations, questions, results
from askback.client.connection import Connection
from askback.client.link import Ticket
from askback.client.modelform import model_form
from askback.client.results import Outcome, answered
from askback.domain.fields import Form, Option
from askback.domain.request import Agent, Answer

M = TypeVar("M", bound=BaseModel)


class Forms(Connection):
    """The part of the client that asks forms."""

    async def form(
        self,
        form: Form | Mapping[str, Any],
        *,
        thread_id: str,
        run_id: str | None = None,
        message_id: str | None = None,
        tool_call_id: str | None = None,
        agent: str | Agent | None = None,
        assignees: Sequence[str] | None = None,
        timeout_s: float | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
    ) -> Answer:
        """Ask a person and return the answer; raises `Declined`, `Cancelled` or `Expired`, which carry the request.

        Only `assignees`, by name or id, may answer; without them everybody may who answers at all.
        With an `idempotency_key` that was used before, the old question is found again, and the
        answer that was given meanwhile. When the awaiting task is cancelled, the question is taken
        back, unless `cancel_on_abort` is off. Raises `Invalid` with every fault of the form.
        """
        context = operations.context(
            run_id=run_id,
            message_id=message_id,
            tool_call_id=tool_call_id,
            agent=agent,
            assignees=assignees,
            timeout_s=timeout_s,
        )
        ticket = await self._ask(form, thread_id, context, idempotency_key, cancel_on_abort)
        del form, context  # the wait may last for days, and a form is five times as large as the wait
        return answered(results.outcome(await self._settled(ticket)))

    async def try_form(
        self,
        form: Form | Mapping[str, Any],
        *,
        thread_id: str,
        run_id: str | None = None,
        message_id: str | None = None,
        tool_call_id: str | None = None,
        agent: str | Agent | None = None,
        assignees: Sequence[str] | None = None,
        timeout_s: float | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
    ) -> Outcome:
        """Ask as `form` does, and return `Declined`, `Cancelled` and `Expired` instead of raising them."""
        context = operations.context(
            run_id=run_id,
            message_id=message_id,
            tool_call_id=tool_call_id,
            agent=agent,
            assignees=assignees,
            timeout_s=timeout_s,
        )
        ticket = await self._ask(form, thread_id, context, idempotency_key, cancel_on_abort)
        del form, context
        return results.outcome(await self._settled(ticket))

    async def model(self, model: type[M], *, thread_id: str, **context: Any) -> M:
        """Ask for a Pydantic model, field by field, and return an instance; `context` is that of `form`.

        Raises `NoFormFor` when a field of the model cannot be asked for.
        """
        shaped = model_form(model)
        answer = await self.form(shaped.form, thread_id=thread_id, **context)
        return shaped.instance(model, answer.values)

    async def ask(
        self,
        question: str,
        choices: Sequence[str | Option] | None = None,
        *,
        thread_id: str,
        allow_other: bool = False,
        default: str | None = None,
        **context: Any,
    ) -> str:
        """Ask one question and return the chosen value; without `choices` it is `"Yes"` or `"No"`."""
        form = questions.question(question, choices, allow_other=allow_other, default=default)
        return str((await self.form(form, thread_id=thread_id, **context)).values[questions.FIELD])

    async def confirm(self, question: str, *, thread_id: str, **context: Any) -> bool:
        """Ask a question whose answer is Yes (true) or No."""
        return await self.ask(question, thread_id=thread_id, **context) == questions.YES

    async def _ask(
        self,
        form: Form | Mapping[str, Any],
        thread_id: str,
        context: Mapping[str, Any],
        key: str | None,
        withdraw: bool,
    ) -> Ticket:
        op = operations.create(form, thread_id, context, key)
        return await self._link.ask(f'{op},"wait":true', withdraw=withdraw)
