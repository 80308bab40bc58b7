"""Turn interrupts into questions for a person, and outcomes into the values that resume the graph.

LangGraph has one function and several shapes: those of LangChain's middleware and of Agent Inbox have fields of their
own, the value of any other `interrupt` is free.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from langgraph.types import Interrupt

from askback.adapters.asking import AskOptions, PausePoint, approve_once, ask_once
from askback.adapters.asktools import ASK_TOOLS, AskOutcome
from askback.adapters.openquestion import members_of, open_answer, open_form, typed_form
from askback.client.async_client import AsyncClient
from askback.client.forms import answer_or_raise, outcome_of
from askback.domain.decision import Decision
from askback.domain.fields import Form
from askback.domain.lifecycle import Status
from askback.domain.modeltext import model_text
from askback.domain.request import InputRequest
from askback.errors import Denied

TOOL_KEY = "askback.tool"


@dataclass(frozen=True, slots=True)
class Pause:
    """An interrupt, where it is, and the tool calls that the model made there."""

    interrupt: Interrupt
    point: PausePoint
    calls: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """The requests for one interrupt, and the conversion of their outcomes into the value that resumes it."""

    asks: Sequence[Callable[[AsyncClient, AskOptions], Awaitable[AskOutcome]]]
    value: Callable[[Sequence[Any]], Any]


def request_id_of(outcome: AskOutcome) -> str | None:
    """Return the id of the request of an outcome; None if nobody was asked."""
    request = outcome if isinstance(outcome, InputRequest) else outcome.request
    return None if request is None else request.id


def read_question(pause: Pause) -> Question:
    """Read an interrupt: each framework of LangChain has its own shape."""
    value, point = pause.interrupt.value, pause.point
    shape = members_of(value)
    if TOOL_KEY in shape:
        return _tool_question(shape, point)
    if {"action_requests", "review_configs"} <= shape.keys():
        return _batched(shape, pause)
    if shape.get("type") == "tool_approval":
        allowed_decisions = set(re.findall(r'"const": "(\w+)"', json.dumps(pause.interrupt.response_schema)))
        call = replace(point, tool_call_id=shape["tool_call_id"])
        approval = _reviewed(shape["name"], shape["args"], allowed_decisions, shape.get("description"), call)
        return Question([approval.ask], lambda found: approval.decision(found[0]))
    inbox = cast("list[Any]", value)[0] if isinstance(value, list) and value else shape
    if isinstance(inbox, Mapping) and "action_request" in inbox:
        return _inbox(cast("Mapping[str, Any]", inbox), point)
    if isinstance(shape.get("action"), str) and pause.interrupt.response_schema is None:
        return _action(shape, point)
    return _form_question(value, pause.interrupt.response_schema, point)


def _tool_question(value: Mapping[str, Any], point: PausePoint) -> Question:
    kind = ASK_TOOLS[value[TOOL_KEY]]
    call_point = replace(point, tool_call_id=value["tool_call_id"])

    def asking(ask: AsyncClient, options: AskOptions) -> Awaitable[AskOutcome]:
        return kind.call(ask, value["arguments"], call_point, wait=options.get("wait", True))

    return Question([asking], lambda found: found[0].text)


@dataclass(frozen=True, slots=True)
class _Review:
    """A tool call that `HumanInTheLoopMiddleware` wants reviewed, and the types of decision that it allows."""

    name: str
    args: Mapping[str, Any]
    allowed_decisions: Collection[str]
    reason: str | None
    point: PausePoint

    async def ask(self, client: AsyncClient, options: AskOptions) -> AskOutcome:
        """Ask for approval, or for the result of a tool that only a person can give."""
        if not {"approve", "edit"} & {*self.allowed_decisions}:
            return await ask_once(
                client, open_form(self.args, title=self.name, yes_no=False), self.point, **options
            )
        return await approve_once(
            client,
            self.name,
            self.args,
            self.point,
            allow_edit="edit" in self.allowed_decisions,
            reason=self.reason,
            **options,
        )

    def decision(self, outcome: AskOutcome) -> Mapping[str, Any]:
        """Return the decision in the shape of the middleware; raises `Denied` if it does not allow any refusal."""
        if isinstance(outcome, InputRequest):
            is_answered = outcome.status is Status.ANSWERED
            return {
                "type": "respond",
                "message": str(open_answer(outcome)) if is_answered else model_text(outcome),
            }
        assert isinstance(outcome, Decision)
        if not outcome:
            if "reject" in self.allowed_decisions:
                return {"type": "reject", "message": outcome.text}
            if "respond" in self.allowed_decisions:
                return {"type": "respond", "message": outcome.text}
            raise Denied(outcome)
        if outcome.input == self.args and "approve" in self.allowed_decisions:
            return {"type": "approve"}
        return {"type": "edit", "edited_action": {"name": self.name, "args": outcome.input}}


def _reviewed(
    name: str,
    args: Mapping[str, Any],
    allowed_decisions: Collection[str],
    description: Any,
    point: PausePoint,
) -> _Review:
    """Return a review; the description that the middleware makes of the call itself says nothing new."""
    own_description = (
        description if isinstance(description, str) and f"Tool: {name}\nArgs: " not in description else None
    )
    return _Review(name, args, allowed_decisions, own_description, point)


def _batched(value: Mapping[str, Any], pause: Pause) -> Question:
    calls = list(pause.calls)
    reviews = list[_Review]()
    for number, (action, config) in enumerate(
        zip(value["action_requests"], value["review_configs"], strict=True)
    ):
        call = next((c for c in calls if (c["name"], c["args"]) == (action["name"], action["args"])), None)
        if call is not None:
            calls.remove(call)
        point = replace(
            pause.point, id=f"{pause.point.id}:{number}", tool_call_id=None if call is None else call["id"]
        )
        allowed_decisions = config["allowed_decisions"]
        reviews.append(
            _reviewed(action["name"], action["args"], allowed_decisions, action.get("description"), point)
        )
    return Question(
        [review.ask for review in reviews],
        lambda outcomes: {"decisions": [item.decision(o) for item, o in zip(reviews, outcomes, strict=True)]},
    )


def _inbox(value: Mapping[str, Any], point: PausePoint) -> Question:
    """Read a request of Agent Inbox: `{action_request, config: {allow_…}, description}`."""
    action, config = value["action_request"], value["config"]
    edit, accept = config.get("allow_edit", False), config.get("allow_accept", False)
    kinds = {"approve": accept, "edit": edit, "respond": config.get("allow_respond", False)}
    allowed_decisions = {kind for kind, is_allowed in kinds.items() if is_allowed}
    review = _reviewed(
        action["action"], action["args"], allowed_decisions | {"reject"}, value.get("description"), point
    )

    def resumed(outcomes: Sequence[Any]) -> Any:
        decision = review.decision(outcomes[0])
        if decision["type"] == "approve":
            return [{"type": "accept", "args": None}]
        if decision["type"] == "edit":
            return [
                {
                    "type": "edit",
                    "args": {"action": action["action"], "args": decision["edited_action"]["args"]},
                }
            ]
        if "respond" in allowed_decisions:
            return [{"type": "response", "args": decision["message"]}]
        return [{"type": "ignore", "args": None}]

    return Question([review.ask], resumed)


def _action(value: Mapping[str, Any], point: PausePoint) -> Question:
    """Read `{"action": …, "message"?: …, …}` of a tool that asks about itself, as LangGraph's manual has it.

    It gets `{"action": "approve", …}` with the approved arguments, or `{"action": "reject", "message": …}`.
    """
    args = {name: item for name, item in value.items() if name not in {"action", "message"}}
    review = _Review(value["action"], args, ("edit",), value.get("message"), point)

    def resumed(outcomes: Sequence[Any]) -> Any:
        decision = outcomes[0]
        if not decision:
            return {"action": "reject", "message": decision.text}
        return {**decision.input, "action": "approve"}

    return Question([review.ask], resumed)


def _form_question(value: Any, schema: Any, point: PausePoint) -> Question:
    """Ask for a value: a whole form, the value of a schema, or an open question."""
    shape = members_of(value)
    if isinstance(value, Form) or shape.keys() & {"fields", "sections"}:
        return Question([_form_asker(value, point)], lambda found: _values(found[0]))
    if schema is None and {*shape} == {"query"}:
        # The tool `human_assistance` of LangGraph's tutorial reads the answer from `data`.
        form = open_form(value, yes_no=False)
        return Question([_form_asker(form, point)], lambda found: {"data": open_answer(found[0])})
    if schema is None:
        return Question([_form_asker(open_form(value), point)], lambda found: open_answer(found[0]))
    form_of_schema = typed_form(value, schema)
    return Question(
        [_form_asker(form_of_schema.form, point)], lambda found: form_of_schema.instance(_values(found[0]))
    )


def _form_asker(
    form: Form | Mapping[str, Any], point: PausePoint
) -> Callable[[AsyncClient, AskOptions], Awaitable[AskOutcome]]:
    return lambda ask, options: ask_once(ask, form, point, **options)


def _values(request: InputRequest) -> Mapping[str, Any]:
    """Return the values of an answer; raises `Declined`, `Cancelled` or `Expired`."""
    return answer_or_raise(outcome_of(request)).values
