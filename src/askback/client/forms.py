"""Ask a person a question, and wait for the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, Unpack

from pydantic import BaseModel

from askback.client import operations, questions, results
from askback.client.context import Context, written
from askback.client.modelform import model_form
from askback.client.resolving import Resolving
from askback.client.results import Outcome, answered
from askback.client.validating import Validator, judged
from askback.domain.fields import Form, Option
from askback.domain.request import Answer, InputRequest

M = TypeVar("M", bound=BaseModel)


class FormOptions(Context, total=False):
    """What `form` takes besides the form and its thread; `ask`, `confirm` and `model` pass it on."""

    validate: Validator | None
    idempotency_key: str | None
    cancel_on_abort: bool


class Forms(Resolving):
    """The part of the client that asks forms."""

    async def form(
        self,
        form: Form | Mapping[str, Any],
        *,
        thread_id: str,
        validate: Validator | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **context: Unpack[Context],
    ) -> Answer:
        """Ask a person and return the answer; raises `Declined`, `Cancelled` or `Expired`, which carry the request.

        `validate` looks at an answer that the form allows, before it counts: see `Verdict` for what it returns. The
        person sees that it is being checked, and is asked again with what was wrong; after ten rounds the request is
        cancelled. What the validator raises takes the question back, and is raised here.

        With an `idempotency_key` that was used before, the old question is found again, and the
        answer that was given meanwhile. When the awaiting task is cancelled, the question is taken
        back, unless `cancel_on_abort` is off. Raises `Invalid` with every fault of the form.
        """
        asking = self._outcome(form, thread_id, context, idempotency_key, cancel_on_abort, validate)
        del form, context  # the wait may last for days, and a form is five times as large as the wait
        return answered(await asking)

    async def try_form(
        self,
        form: Form | Mapping[str, Any],
        *,
        thread_id: str,
        validate: Validator | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **context: Unpack[Context],
    ) -> Outcome:
        """Ask as `form` does, and return `Declined`, `Cancelled` and `Expired` instead of raising them."""
        asking = self._outcome(form, thread_id, context, idempotency_key, cancel_on_abort, validate)
        del form, context
        return await asking

    async def model(self, model: type[M], *, thread_id: str, **options: Unpack[FormOptions]) -> M:
        """Ask for a Pydantic model, field by field, and return an instance; `options` are those of `form`.

        Raises `NoFormFor` when `model` is not a Pydantic model, or a field of it cannot be asked for.
        """
        shaped = model_form(model)
        answer = await self.form(shaped.form, thread_id=thread_id, **options)
        return shaped.instance(model, answer.values)

    async def ask(
        self,
        question: str,
        choices: Sequence[str | Option] | None = None,
        *,
        thread_id: str,
        allow_other: bool = False,
        default: str | None = None,
        **options: Unpack[FormOptions],
    ) -> str:
        """Ask one question and return the answer: the chosen value, or without `choices` what the person typed.

        `allow_other` lets the person type an answer of their own besides the choices. `options` are those of `form`.
        """
        form = questions.question(question, choices, allow_other=allow_other, default=default)
        return str((await self.form(form, thread_id=thread_id, **options)).values[questions.FIELD])

    async def confirm(self, question: str, *, thread_id: str, **options: Unpack[FormOptions]) -> bool:
        """Ask a question whose answer is Yes (true) or No; `options` are those of `form`."""
        answer = await self.form(questions.confirmation(question), thread_id=thread_id, **options)
        return answer.values[questions.FIELD] == questions.YES

    async def _outcome(
        self,
        form: Form | Mapping[str, Any],
        thread_id: str,
        context: Context,
        key: str | None,
        withdraw: bool,
        validate: Validator | None,
    ) -> Outcome:
        if validate is not None:
            checked = {**written(context), "validator": "requester"}
            op = operations.create(form, thread_id, checked, key)
            del form, context, checked
            ended = await self._looked_at(op, lambda _: partial(self._validated, validate), withdraw=withdraw)
            return results.ended(ended)
        op = operations.create(form, thread_id, written(context), key)
        del form, context
        ticket = await self._link.ask(f'{op},"wait":true', withdraw=withdraw)
        del op
        return results.outcome(await self._settled(ticket))

    async def _validated(self, validate: Validator, request: InputRequest) -> InputRequest:
        """Look at what was sent for a request, and return the request as it is then."""
        assert request.submitted is not None
        again = await judged(validate, request.submitted)
        if again is None:
            return await self.accept(request)
        return await self.reprompt(
            request, field_errors=again.field_errors, error_summary=again.error_summary, form=again.form
        )
