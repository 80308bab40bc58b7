"""The interactions of kcosr/assistant's tools in Python: a request with hooks, and what its hooks decide."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from askback.compat.kcosr import outcomes
from askback.compat.kcosr.schema import CompletedView, Questionnaire, form_body
from askback.compat.keys import key_of
from askback.domain.lifecycle import Status
from askback.domain.request import Answer, InputRequest
from askback.domain.validation.structure import parse
from askback.domain.verdict import Accept, AskAgain
from askback.ports.systems import Json

InteractionOutcome = Mapping[str, Any]
"""`{"complete": …}`, `{"reprompt": {…}}` with the members of a request to change, or `{"pending": {"message": …}}`."""
_Hook = Callable[..., InteractionOutcome | Awaitable[InteractionOutcome]]


@dataclass(frozen=True, slots=True)
class UserResponse:
    """A person's action: `approve`, `deny`, `submit` or `cancel`."""

    action: Literal["approve", "deny", "submit", "cancel"]
    approvalScope: str | None = None  # noqa: N815 - the names of this class are the source's
    input: Json | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class InteractionRequest:
    """A request for input or for approval, and the hooks that decide about a response.

    `onResponse` takes a `UserResponse`, `onTimeout` and `onCancel` take nothing; any of them may be `async`.
    """

    type: Literal["approval", "input"]
    onResponse: _Hook  # noqa: N815
    prompt: str = ""
    presentation: Literal["tool", "questionnaire", "composer"] = "tool"
    inputSchema: Mapping[str, Any] | None = None  # noqa: N815
    approvalScopes: tuple[str, ...] = ("once", "session", "always")  # noqa: N815
    timeoutMs: float = outcomes.SYNC_MS  # noqa: N815
    completedView: Mapping[str, Any] | None = None  # noqa: N815
    errorSummary: str | None = None  # noqa: N815
    fieldErrors: Mapping[str, str] | None = None  # noqa: N815
    onTimeout: _Hook | None = None  # noqa: N815
    onCancel: Callable[[], object] | None = None  # noqa: N815


async def request_interaction(
    client: Any,
    request: InteractionRequest,
    *,
    thread_id: str,
    tool_call_id: str | None = None,
    tool_name: str = outcomes.TOOL,
    require_client: Literal["durable", "wait", "fail_fast"] = "durable",
) -> Any:
    """Ask a person, and return what `complete` of the last hook holds.

    Raises `ToolError`: `interaction_timeout` without `onTimeout`, `interaction_unavailable`, `tool_aborted`. A call
    that is repeated with the same `tool_call_id` and the same request finds the earlier one.
    """
    interaction = _Interaction(request)
    options: Json = {"thread_id": thread_id, "require_client": require_client}
    if tool_call_id is not None:
        key = key_of("kcosr", thread_id, tool_call_id, request.prompt, request.inputSchema)
        options |= {"tool_call_id": tool_call_id, "idempotency_key": key}
    while interaction.outcome is None:
        await interaction.ask(client, tool_name, options)
        options.pop("idempotency_key", None)
    if "pending" in interaction.outcome:
        return {"pending": True, **interaction.outcome["pending"]}
    return interaction.outcome["complete"]


class _Interaction:
    """One request with its hooks; `outcome` is the last one, once there is no more to ask."""

    def __init__(self, request: InteractionRequest) -> None:
        self.request = request
        self.outcome: InteractionOutcome | None = None

    async def ask(self, client: Any, tool: str, options: Json) -> None:
        """Ask once; of a form, `reprompt` with another questionnaire asks in the same request again."""
        asked = self.request
        presentation = outcomes.NATIVE_PRESENTATIONS[asked.presentation]
        options = {**options, "presentation": presentation, "timeout_s": outcomes.seconds(asked.timeoutMs)}
        if asked.type == "approval":
            scopes = [outcomes.NATIVE_SCOPES[scope] for scope in asked.approvalScopes]
            decision = await client.approve(tool, asked.prompt, scopes=scopes, **options)
            ended = None if decision.status in ("revoked", "pending", "unavailable") else decision.request
        else:
            hooks = {"decline": self._declined, **({"timeout": self._timed_out} if asked.onTimeout else {})}
            options |= {"agent": {"name": "assistant", "tool": tool}, "hooks": hooks}
            errors = asked.fieldErrors or asked.errorSummary
            ended = await client.try_form(self._form(), errors=errors, validate=self._submitted, **options)
            if self.outcome is not None or self.request.type == "approval":
                return
            ended = ended.request
        await self._finish(ended)

    async def _finish(self, settled: InputRequest | None) -> None:
        """Respond to the outcome of a request, unless a hook has decided about it."""
        asked, response = self.request, UserResponse("cancel")
        if settled is not None:
            if settled.status is Status.EXPIRED and asked.onTimeout is not None:
                await self._timed_out(settled)
                return
            is_withdrawn = settled.status is Status.CANCELLED and settled.reason != "not_shown"
            if is_withdrawn and asked.onCancel is not None:
                await _call_hook(asked.onCancel)
            outcomes.raise_without_response(settled)
            response = UserResponse(**outcomes.response(settled))
        await self._respond(response)
        if asked.type == "input":  # it has ended: nobody can be asked again
            self.outcome = self.outcome or {"complete": {"ok": False, "cancelled": True}}

    def _form(self) -> Json:
        view = self.request.completedView
        schema = parse(Questionnaire, self.request.inputSchema or {})
        return form_body(schema, self.request.prompt, parse(CompletedView, view) if view else None)

    async def _submitted(self, answer: Answer) -> Accept | AskAgain:
        return await self._respond(UserResponse("submit", input=dict(answer.values)))

    async def _declined(self, request: InputRequest) -> Accept | AskAgain:
        typed = dict(request.submitted.values) if request.submitted else None
        note = request.held.note if request.held else None
        return await self._respond(UserResponse("cancel", input=typed, reason=note))

    async def _timed_out(self, _request: InputRequest) -> Accept | AskAgain:
        assert self.request.onTimeout is not None
        return await self._take(await _call_hook(self.request.onTimeout))

    async def _respond(self, response: UserResponse) -> Accept | AskAgain:
        return await self._take(await _call_hook(self.request.onResponse, response), response.input)

    async def _take(self, outcome: InteractionOutcome, typed: Json | None = None) -> Accept | AskAgain:
        if (reprompt := outcome.get("reprompt")) is None:
            self.outcome = outcome
            return Accept()
        before = self.request
        self.request = asked = replace(before, **{"errorSummary": None, "fieldErrors": None, **reprompt})
        if "approval" in (before.type, asked.type):
            return Accept()
        form, timeout_s = self._form(), outcomes.seconds(asked.timeoutMs)
        values = form.pop("initial_values", {})
        if kept := {id_: value for id_, value in values.items() if typed is None or typed.get(id_) != value}:
            form["initial_values"] = kept
        summary, errors = asked.errorSummary, asked.fieldErrors
        return AskAgain(form=form, timeout_s=timeout_s, error_summary=summary, field_errors=errors)


async def _call_hook(hook: Callable[..., Any], *arguments: object) -> Any:
    result = hook(*arguments)
    return await result if inspect.isawaitable(result) else result
