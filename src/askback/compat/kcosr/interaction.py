"""The interactions of kcosr/assistant's tools in Python: a request with hooks, and what its hooks decide."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from askback.compat.kcosr import outcomes
from askback.compat.kcosr.outcomes import ToolError
from askback.compat.kcosr.schema import CompletedView, Questionnaire, form_body
from askback.compat.system import Json
from askback.domain.request import Answer, InputRequest
from askback.domain.validation.structure import parse
from askback.domain.verdict import Accept, AskAgain
from askback.errors import Cancelled, Expired

InteractionOutcome = Mapping[str, Any]
"""`{"complete": …}`, `{"reprompt": {…}}` with the members of a request to change, or `{"pending": {"message": …}}`."""
_Hook = Callable[..., InteractionOutcome | Awaitable[InteractionOutcome]]


@dataclass(frozen=True, slots=True)
class UserResponse:
    """What a person did: `approve`, `deny`, `submit` or `cancel`."""

    action: Literal["approve", "deny", "submit", "cancel"]
    approvalScope: str | None = None  # noqa: N815 - the names of this class are the source's
    input: Json | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class InteractionRequest:
    """A request for input or for approval, and the hooks that decide what becomes of a response.

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
    interaction = _Interaction(client, request)
    options: Json = {"thread_id": thread_id, "require_client": require_client}
    if tool_call_id is not None:
        asked = [thread_id, tool_call_id, request.prompt, request.inputSchema]
        digest = hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
        options |= {"tool_call_id": tool_call_id, "idempotency_key": f"kcosr:{digest}"}
    while interaction.outcome is None:
        if interaction.request.type == "approval":
            await interaction.approve(tool_name, options)
        else:
            await interaction.ask(tool_name, options)
        options.pop("idempotency_key", None)
    if "pending" in interaction.outcome:
        return {"pending": True, **interaction.outcome["pending"]}
    return interaction.outcome["complete"]


class _Interaction:
    """One request with its hooks; `outcome` is the last one, once there is no more to ask."""

    def __init__(self, client: Any, request: InteractionRequest) -> None:
        self.request = request
        self.outcome: InteractionOutcome | None = None
        self._client = client

    async def ask(self, tool: str, options: Json) -> None:
        """Ask for input; `reprompt` with another questionnaire asks in the same request again."""
        asked = self.request
        ended = await self._client.try_form(
            self._form(),
            agent={"name": "assistant", "tool": tool},
            presentation=outcomes.NATIVE_PRESENTATIONS[asked.presentation],
            errors=asked.fieldErrors or asked.errorSummary,
            timeout_s=outcomes.seconds(asked.timeoutMs),
            validate=self._submitted,
            hooks={"decline": self._declined, **({"timeout": self._timed_out} if asked.onTimeout else {})},
            **options,
        )
        if self.outcome is not None or self.request.type == "approval":
            return
        if isinstance(ended, Expired):
            raise ToolError("interaction_timeout", outcomes.TIMED_OUT)
        if isinstance(ended, Cancelled):
            await self._abort(ended.request)
        await self._respond(UserResponse("cancel"))
        self.outcome = self.outcome or {"complete": {"ok": False, "cancelled": True}}

    async def approve(self, tool: str, options: Json) -> None:
        """Ask for approval."""
        asked = self.request
        decision = await self._client.approve(
            tool,
            asked.prompt,
            presentation=outcomes.NATIVE_PRESENTATIONS[asked.presentation],
            scopes=[outcomes.NATIVE_SCOPES[each] for each in asked.approvalScopes],
            timeout_s=outcomes.seconds(asked.timeoutMs),
            **options,
        )
        if decision.status == "expired":
            if asked.onTimeout is None:
                raise ToolError("interaction_timeout", outcomes.TIMED_OUT)
            await self._take(await _called(asked.onTimeout))
        elif decision.status == "cancelled":
            await self._abort(decision.request)
        else:
            action = decision.status if decision.status in ("approve", "deny") else "cancel"
            scope = outcomes.SCOPES.get(decision.scope or "once") if action == "approve" else None
            await self._respond(UserResponse(action, approvalScope=scope, reason=decision.note))

    def _form(self) -> Json:
        view = self.request.completedView
        schema = parse(Questionnaire, self.request.inputSchema or {})
        return form_body(schema, self.request.prompt, parse(CompletedView, view) if view else None)

    async def _submitted(self, answer: Answer) -> Accept | AskAgain:
        return await self._respond(UserResponse("submit", input=dict(answer.values)))

    async def _declined(self, request: InputRequest) -> Accept | AskAgain:
        values = dict(request.submitted.values) if request.submitted else None
        return await self._respond(
            UserResponse("cancel", input=values, reason=request.held.note if request.held else None)
        )

    async def _timed_out(self, _request: InputRequest) -> Accept | AskAgain:
        assert self.request.onTimeout is not None
        return await self._take(await _called(self.request.onTimeout))

    async def _respond(self, response: UserResponse) -> Accept | AskAgain:
        return await self._take(await _called(self.request.onResponse, response), response.input)

    async def _take(self, outcome: InteractionOutcome, typed: Json | None = None) -> Accept | AskAgain:
        again = outcome.get("reprompt")
        if again is None:
            self.outcome = outcome
            return Accept()
        before, self.request = self.request, replace(self.request, **again)
        if before.type == "approval" or self.request.type == "approval":
            return Accept()
        form = self._form()
        values = form.pop("initial_values", {})
        kept = {id_: value for id_, value in values.items() if typed is None or typed.get(id_) != value}
        return AskAgain(
            field_errors=self.request.fieldErrors,
            error_summary=self.request.errorSummary,
            form={**form, **({"initial_values": kept} if kept else {})},
            timeout_s=outcomes.seconds(self.request.timeoutMs),
        )

    async def _abort(self, request: InputRequest) -> None:
        if request.reason != "not_shown" and self.request.onCancel is not None:
            await _called(self.request.onCancel)
        outcomes.raise_without_response(request)


async def _called(hook: Callable[..., Any], *arguments: object) -> Any:
    found = hook(*arguments)
    return await found if inspect.isawaitable(found) else found
