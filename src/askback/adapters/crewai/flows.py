"""Answer the questions of flows: `@human_feedback` and `Flow.ask`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from crewai.execution import get_execution_uuid
from crewai.flow.async_feedback import HumanFeedbackPending, PendingFeedbackContext
from crewai.flow.runtime import Flow
from pydantic_core import to_jsonable_python

from askback.adapters.asking import PausePoint, ask_once
from askback.adapters.openquestion import FIELD, describe_value, open_form, title_and_details
from askback.client.forms import answer_or_raise, outcome_of
from askback.client.methods import call_blocking
from askback.client.sync_client import Client
from askback.domain.fields import Form, Radio, Textarea
from askback.domain.request import InputRequest


class AskbackFeedback:
    """A provider for `@human_feedback(provider=…)`, `flow_config.hitl_provider` and `flow_config.input_provider`.

    Without `wait` a flow ends at `@human_feedback` with `HumanFeedbackPending`, and `resume_flow` continues it.
    `thread_id` is by default that of the client, or the id of the flow. A question that nobody answers raises
    `Declined`, `Cancelled` or `Expired`: the framework takes an empty answer for the first outcome.
    """

    def __init__(
        self,
        ask: Client,
        *,
        wait: bool = True,
        thread_id: str | None = None,
        timeout_s: float | None = None,
    ) -> None:
        self._ask = ask
        self._wait = wait
        self._thread_id = thread_id
        self._timeout_s = timeout_s

    def request_feedback(self, context: PendingFeedbackContext, flow: Flow[Any]) -> str:
        """Ask about the output of a method; with `emit` the outcomes are the choices."""
        request = self.find_or_ask(context, wait=self._wait)
        if not request.settled:
            raise HumanFeedbackPending(context, {"request_id": request.id})
        return match_outcomes_exactly(flow, feedback(request))

    def request_input(
        self,
        message: str,
        flow: Flow[Any],
        metadata: dict[str, Any] | None = None,  # noqa: ARG002 - the framework's protocol
    ) -> str | None:
        """Ask what `Flow.ask` asks; the framework makes an error None."""
        point = PausePoint(
            id=f"crewai:{uuid4().hex}",
            thread_id=self._thread(flow.flow_id),
            run_id=get_execution_uuid(),
            agent=type(flow).__name__,
        )
        form = open_form(message, yes_no=False)
        request = call_blocking(self._ask, ask_once, form, point, timeout_s=self._timeout_s)
        return feedback(request)

    def find_or_ask(self, context: PendingFeedbackContext, *, wait: bool) -> InputRequest:
        """Return the request of a pause: a new one, or the one that was find_or_ask before, in whichever process."""
        point = PausePoint(
            id=f"crewai:{context.flow_id}:{context.method_name}:{context.requested_at.isoformat()}",
            thread_id=self._thread(context.flow_id),
            run_id=context.execution_uuid,
            agent=context.flow_class.rpartition(".")[2],
        )
        return call_blocking(self._ask, ask_once, _form(context), point, wait=wait, timeout_s=self._timeout_s)

    def _thread(self, flow_id: str | None) -> str | None:
        return self._thread_id or self._ask.thread_id or flow_id


def resume_flow(ask: Client, flow: Flow[Any], *, thread_id: str | None = None) -> Any:
    """Continue a flow of `Flow.from_pending` with the person's feedback; returns the result of `kickoff`.

    If nobody has answered yet, that is `HumanFeedbackPending`. Raises `Declined`, `Cancelled` or `Expired`. Any process
    with the same flow and persistence can do it.
    """
    context = flow.pending_feedback
    if context is None:
        raise TypeError(
            "The flow waits for no feedback: make it with Flow.from_pending(flow_id, persistence)."
        )
    request = AskbackFeedback(ask, thread_id=thread_id).find_or_ask(context, wait=False)
    if not request.settled:
        return HumanFeedbackPending(context, {"request_id": request.id})
    return flow.resume(match_outcomes_exactly(flow, feedback(request)))


def match_outcomes_exactly(flow: Flow[Any], answer: str) -> str:
    """Use an answer that equals an outcome of the flow directly, without a model that classifies it."""

    def collapse(feedback: str, outcomes: Sequence[str], llm: Any) -> str:
        if feedback in outcomes:
            return feedback
        return type(flow)._collapse_to_outcome(flow, feedback, outcomes, llm)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]

    flow._collapse_to_outcome = collapse  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    return answer


def feedback(request: InputRequest) -> str:
    """Return the person's feedback; raises `Declined`, `Cancelled` or `Expired`."""
    return str(answer_or_raise(outcome_of(request)).values[FIELD])


def _form(context: PendingFeedbackContext) -> Form:
    label, details = title_and_details(context.message)
    output = to_jsonable_python(context.method_output, fallback=str)
    output_text = output if isinstance(output, str) else describe_value(output)
    field: Radio | Textarea = Textarea(id=FIELD, label=label, required=True)
    if context.emit:
        field = Radio(id=FIELD, label=label, options=[*context.emit], allow_other=True, required=True)
    text = "\n\n".join(part for part in (details, output_text) if part)
    return Form(description=text or None, format="plain", fields=[field])
