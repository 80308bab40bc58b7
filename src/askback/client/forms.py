"""Ask a person a question, and wait for the answer."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Unpack

from typing_extensions import TypeVar

from askback.client import questions
from askback.client.frames import create_request
from askback.client.methods import method
from askback.client.modelform import ModelForm, model_form
from askback.client.options import Errors, RequestOptions, dump_options
from askback.client.resources.base import Resource
from askback.client.resources.requests import Requests
from askback.client.resources.review import SubmissionReview
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.domain.options import Option
from askback.domain.request import Answer, InputRequest
from askback.domain.state_models import Hook
from askback.domain.verdict import Accept, AskAgain, Verdict, read_verdict
from askback.errors import Cancelled, Declined, Expired, NotAnswered

Outcome = Answer | Declined | Cancelled | Expired
"""How a request ended: an answer, or one of the three ways to end without one (they carry the request)."""

_NOT_ANSWERED: Mapping[str, type[Declined | Cancelled | Expired]] = {
    Status.DECLINED: Declined,
    Status.CANCELLED: Cancelled,
    Status.EXPIRED: Expired,
}


def settled_outcome(wire: Mapping[str, Any]) -> Outcome:
    """Return the outcome of a settled request, as it was received."""
    if wire["status"] == Status.ANSWERED:
        return Answer.model_validate(wire["answer"])
    return _NOT_ANSWERED[wire["status"]](InputRequest.model_validate(wire))


def outcome_of(request: InputRequest) -> Outcome:
    """Return the outcome of a settled request."""
    if request.status is Status.ANSWERED:
        return request.answer or Answer()
    return _NOT_ANSWERED[request.status](request)


def answer_or_raise(outcome: Outcome) -> Answer:
    """Return the answer, or raise the other outcome."""
    if isinstance(outcome, NotAnswered):
        raise outcome
    return outcome


Validator = Callable[[Answer], Verdict | Awaitable[Verdict]]
"""Takes an answer that the form allows. A plain function runs in a thread, so that it may take its time."""


FormHooks = Mapping[Hook, Callable[[InputRequest], Verdict | Awaitable[Verdict]]]
"""A function that decides about a decline or a deadline before it counts; `request.submitted` has the typed values.

None lets it stand, `Accept(values=…)` answers instead, and anything else asks again, after a decline only once.
"""

D = TypeVar("D")


async def run_validator(validator: Validator, answer: Answer) -> Accept | AskAgain:
    """Call a validator and return its verdict in full. Raises the validator's errors."""
    return await _call(validator, answer)


async def _call(function: Callable[[D], Verdict | Awaitable[Verdict]], argument: D) -> Accept | AskAgain:
    if inspect.iscoroutinefunction(function):
        return read_verdict(await function(argument))
    errors = await asyncio.to_thread(function, argument)
    return read_verdict(await errors if inspect.isawaitable(errors) else errors)


async def _check_both(form_of_model: ModelForm, validate: Validator | None, answer: Answer) -> Verdict:
    """Return the verdict of the type, and only after it that of the caller's own validator."""
    refusal = await asyncio.to_thread(form_of_model.refusal, answer.values)
    return refusal if refusal is not None or validate is None else await _call(validate, answer)


M = TypeVar("M", default=dict[str, Any])


class FormOptions(RequestOptions, total=False):
    """The options of `form`, which `ask`, `confirm` and `model` pass on."""

    validate: Validator | None
    hooks: FormHooks | None
    errors: Errors | None
    idempotency_key: str | None
    cancel_on_abort: bool


class Forms(Resource):
    """The part of the client that asks questions and forms."""

    _requests: Requests
    _review: SubmissionReview

    @method
    async def form(
        self,
        form: Form | Mapping[str, Any],
        *,
        thread_id: str | None = None,
        validate: Validator | None = None,
        hooks: FormHooks | None = None,
        errors: Errors | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **options: Unpack[RequestOptions],
    ) -> Answer:
        """Ask a person and return the answer; raises `Declined`, `Cancelled` or `Expired`, which carry the request.

        `errors` are shown with the form from the beginning: a sentence, or sentences by field id. `validate`
        checks an answer that the form allows, before it is accepted, and returns a `Verdict`. The person sees
        that the answer is being checked, and is asked again with the errors; after ten rounds the request is
        cancelled. An exception of the validator cancels the request, and is raised here.

        `hooks` decide about a decline or a deadline before it counts: see `FormHooks`.

        With an `idempotency_key` that was used before, the earlier request is found again, with its answer. When the
        awaiting task is cancelled, the request is cancelled, unless `cancel_on_abort` is off. Raises `Invalid` with
        every fault of the form.
        """
        asking = self._outcome(
            form, thread_id, dump_options(options, errors), idempotency_key, cancel_on_abort, validate, hooks
        )
        del form, options  # the wait may last for days, and a form is five times as large as the wait
        return answer_or_raise(await asking)

    @method
    async def try_form(
        self,
        form: Form | Mapping[str, Any],
        *,
        thread_id: str | None = None,
        validate: Validator | None = None,
        hooks: FormHooks | None = None,
        errors: Errors | None = None,
        idempotency_key: str | None = None,
        cancel_on_abort: bool = True,
        **options: Unpack[RequestOptions],
    ) -> Outcome:
        """Ask as `form` does, and return `Declined`, `Cancelled` and `Expired` instead of raising them."""
        asking = self._outcome(
            form, thread_id, dump_options(options, errors), idempotency_key, cancel_on_abort, validate, hooks
        )
        del form, options
        return await asking

    @method
    async def model(
        self,
        model: type[M] | Mapping[str, Any],
        *,
        thread_id: str | None = None,
        **options: Unpack[FormOptions],
    ) -> M:
        """Ask for a value of a type, field by field, and return it; `options` are those of `form`.

        `model` is a Pydantic model, a dataclass or a TypedDict; or a JSON Schema of an object, for which a dict is
        returned. Where the type's own validators refuse an answer, the person is asked again with their errors, as by
        `validate`, which comes after them. Raises `NoFormFor` with each part of it that cannot be asked for, and
        `Invalid` (`refused_by_type`) if values that nobody can correct do not fit, such as those of
        `on_timeout="default"`.
        """
        form_of_model = model_form(model)
        if form_of_model.has_own_rules:
            options["validate"] = partial(_check_both, form_of_model, options.get("validate"))
        answer = await self.form(form_of_model.form, thread_id=thread_id, **options)
        return form_of_model.instance(answer.values)

    @method
    async def ask(
        self,
        question: str,
        choices: Sequence[str | Option] | None = None,
        *,
        thread_id: str | None = None,
        allow_other: bool = False,
        default: str | None = None,
        **options: Unpack[FormOptions],
    ) -> str:
        """Ask one question and return the answer: the chosen value, or the text that the person typed.

        With `allow_other` the person may type another answer. `options` are those of `form`.
        """
        form = questions.question(question, choices, allow_other=allow_other, default=default)
        return str((await self.form(form, thread_id=thread_id, **options)).values[questions.FIELD_ID])

    @method
    async def confirm(
        self, question: str, *, thread_id: str | None = None, **options: Unpack[FormOptions]
    ) -> bool:
        """Ask a question whose answer is Yes (true) or No; `options` are those of `form`."""
        answer = await self.form(questions.confirmation(question), thread_id=thread_id, **options)
        return answer.values[questions.FIELD_ID] == questions.YES

    async def _outcome(
        self,
        form: Form | Mapping[str, Any],
        thread_id: str | None,
        options: Mapping[str, Any],
        key: str | None,
        withdraw: bool,
        validate: Validator | None,
        hooks: FormHooks | None,
    ) -> Outcome:
        thread_id = self._thread(thread_id)
        if validate is not None or hooks:
            checked = {**options}
            if validate is not None:
                checked["validator"] = "requester"
            if hooks:
                checked["hooks"] = list(hooks)
            op = create_request(form, thread_id=thread_id, options=checked, key=key)
            del form, options, checked
            final_request = await self._review.run(
                op, lambda _: partial(self._decide_about, validate, hooks or {}), withdraw=withdraw
            )
            return outcome_of(final_request)
        op = create_request(form, thread_id=thread_id, options=options, key=key)
        del form, options
        future = await self._link.ask(f'{op},"wait":true', withdraw=withdraw)
        del op
        return settled_outcome(await self._await_settled(future))

    async def _decide_about(
        self, validate: Validator | None, hooks: FormHooks, request: InputRequest
    ) -> InputRequest:
        """Decide about the held answer or event of a request (`hooks`), and return the updated request."""
        if request.held is not None:
            verdict = await _call(hooks[request.held.event], request)
        else:
            assert validate is not None
            verdict = await run_validator(validate, request.submitted or Answer())
        if isinstance(verdict, Accept):
            return await self._requests.accept(
                request, values=verdict.values, result=verdict.result, message=verdict.message
            )
        return await self._requests.reprompt(
            request,
            field_errors=verdict.field_errors,
            error_summary=verdict.error_summary,
            form=verdict.form,
            timeout_s=verdict.timeout_s,
        )
