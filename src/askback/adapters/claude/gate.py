"""Decide about the tool calls of one session: policy first, then a person.

Claude Code asks about few calls by itself, and fewer still with rules in its settings. A PreToolUse hook that returns
`ask` sends a call to `can_use_tool` in every permission mode and whatever those rules say (tests/adapters/claude), so
the hook does so for each call, and `can_use_tool`, which may take any time, asks.

A durable session does not wait there. Its hook opens the request and returns `defer` while nobody has decided, which
ends the run; when the session is resumed, Claude Code calls the hook again with the same id, and it finds the request.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, cast

from claude_agent_sdk import (
    ClaudeAgentOptions,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    ToolPermissionContext,
)

from askback.adapters.claude.bypasses import Bypasses
from askback.adapters.claude.calls import (
    INTERNAL_TOOLS,
    Result,
    ToolUse,
    answered_input,
    form_for,
    not_asked,
    stored_context,
)
from askback.adapters.claude.earlier_requests import PAGE_LIMIT, EarlierRequests
from askback.adapters.claude.hooks import MAX_CONTEXT, Hooks, Json, context_length, cut, output
from askback.adapters.claude.permission_hooks import PermissionHooks
from askback.adapters.claude.replays import repeated_result
from askback.adapters.links import why_not_by_rule
from askback.client import AsyncClient, Execution
from askback.client.forms import outcome_of
from askback.compat.claude_questions import ASK_USER, EXIT_PLAN, plan_of
from askback.domain.decision import Decision
from askback.domain.lifecycle import TERMINAL
from askback.domain.questiontext import quote
from askback.domain.request import InputRequest
from askback.errors import AskbackError, Conflict, Gone, NotAnswered

ANOTHER_CALL_WAITS = "Another call waits for a person first. It was not run: call it again afterwards."
_NOT_RUN = "The tool {tool} was not run: {error}"
_CHANGED_INPUT = "A person changed the input of this call before it ran. It ran with: {input}"
_NOTE = "A note of the person who approved this call: {note}"
_MAX_NOTE = 2_000
"""Characters of the person's note that Claude reads after the call."""
COLLECT_S = 10.0
"""How long to look for open requests of an earlier process, in seconds."""

_log = logging.getLogger(__name__)


class Gate:
    """Callbacks for the options of one session; see `with_askback` for the arguments."""

    def __init__(
        self,
        ask: AsyncClient,
        *,
        thread_id: str | None,
        session_id: str,
        folder: str,
        transcript_of: Callable[[str], Path | None],
        timeout_s: float | None,
        durable: bool,
        approvals: bool,
        permission_hooks: PermissionHooks | None,
        allow_edit: bool,
        own_tools: frozenset[str],
    ) -> None:
        self._ask = ask
        self._thread_id = thread_id
        self.session_id = session_id
        self._folder = folder
        self._transcript_of = transcript_of
        self._timeout_s = timeout_s
        self._durable = durable
        self._approvals = approvals
        self._bypasses = Bypasses(permission_hooks)
        self._allow_edit = allow_edit
        self._harmless_tools = INTERNAL_TOOLS | own_tools
        self._undecided_calls = dict[str, Json]()
        """The undecided calls that the hook has seen, by id."""
        self._running_calls = dict[str, tuple[Decision, Execution]]()
        """Approved calls that run, by their ids."""
        self._earlier_requests = EarlierRequests(ask, durable=durable)
        self._has_prompt = False
        self._replayed_call_id: str | None = None
        """The call that an earlier process deferred: the first one if the session continues without a prompt."""
        self._deferred_request: InputRequest | None = None
        """The request that the run ends for, unless something else becomes of its call."""

    def hooks(self) -> Hooks:
        """Return the hooks of the session. One that fails stops the call, because nobody was asked then."""
        callbacks: dict[str, Callable[..., Awaitable[Json]]] = {
            "UserPromptSubmit": self._on_prompt,
            "PreToolUse": self._before_tool_use,
            "PostToolUse": self._after_tool_use,
            "PostToolUseFailure": self._after_failure,
            "PostToolBatch": self._after_batch,
            "Stop": self._on_stop,
        }
        return {
            event: [
                HookMatcher(
                    hooks=[cast("Any", call)], on_failure="block" if call == self._before_tool_use else None
                )
            ]
            for event, call in callbacks.items()
        }

    def resume(self, session_id: str, folder: str | None) -> None:
        """Go on with a session, which was started in this folder; raises `UnusableOptions`."""
        self.session_id = session_id
        if folder is not None:
            self._folder = folder
            self._bypasses.move(Path(folder))

    async def can_use_tool(self, tool: str, tool_input: Json, context: ToolPermissionContext) -> Result:
        """Return the decision about a call, or about the answers to its questions; it waits for a person.

        Suggested rules are ignored: askback decides about each call.
        """
        call_id = context.tool_use_id or ""
        if self._durable and not self._has_prompt and context.agent_id is None:
            # Claude Code asks about a deferred call before it knows the hooks, if its start is quick.
            transcript = self._transcript_of(self.session_id) or Path(f"{self.session_id}.jsonl")
            await self._begin_replay(call_id, transcript)
        use = self._use(tool, tool_input, call_id, context.agent_id)
        self._undecided_calls.pop(use.id, None)
        result = await self._decide(use, wait=True)
        assert not isinstance(result, InputRequest)  # it has waited
        if isinstance(result, PermissionResultAllow):
            self._bypasses.forget(use.id)
        return result

    def text_of(self, request: InputRequest) -> str:
        """Return the sentence for Claude about the outcome of a request."""
        return self._ask.text_of(request)

    async def last_session(self, thread_id: str) -> Mapping[str, Any]:
        """Return the metadata of the newest request in a thread that a session made; empty if there is none."""
        page = await self._ask.requests.list(thread_id=thread_id, limit=PAGE_LIMIT)
        sessions = [about for item in page if (about := stored_context(item))]
        return sessions[0] if sessions else {}

    async def _on_prompt(self, event: Json, _id: str | None, _context: object) -> Json:
        self.session_id, prompted, self._has_prompt = event["session_id"], self._has_prompt, True
        if prompted:
            return {}
        texts = await self._collect(Path(event["transcript_path"]))
        return output("UserPromptSubmit", additionalContext=cut("\n\n".join(texts))) if texts else {}

    async def _begin_replay(self, call_id: str, transcript: Path) -> None:
        self._has_prompt, self._replayed_call_id = True, call_id
        await self._collect(transcript)

    async def _collect(self, transcript: Path) -> list[str]:
        """Find what an earlier process of the session left, and return the sentences for Claude about it.

        Without a server nothing is found, and the prompt continues: Claude Code would refuse it after half a minute.
        """
        thread_id = self._thread_id or self.session_id
        try:
            async with asyncio.timeout(COLLECT_S):
                return await self._earlier_requests.collect(thread_id, self.session_id, transcript)
        except (AskbackError, TimeoutError):
            _log.warning("askback could not look for what an earlier process had asked", exc_info=True)
            return []

    async def _on_stop(self, *_: object) -> Json:
        await self._earlier_requests.withdraw()
        return {}

    async def _before_tool_use(self, event: Json, _id: str | None, _context: object) -> Json:
        self.session_id = event["session_id"]
        tool, call_id = event["tool_name"], event["tool_use_id"]
        if (refusal := await self._bypasses.refusal(tool)) is not None:
            return output("PreToolUse", permissionDecision="deny", permissionDecisionReason=refusal)
        if tool in self._harmless_tools or not (self._approvals or tool == ASK_USER):
            return {}
        self._undecided_calls[call_id] = event
        self._bypasses.expect(call_id)
        if not self._durable or event.get("agent_id") is not None:
            return output("PreToolUse", permissionDecision="ask")
        if not self._has_prompt:
            await self._begin_replay(call_id, Path(event["transcript_path"]))
        decision = await self._decide(self._use(tool, event["tool_input"], call_id, None), wait=False)
        if not isinstance(decision, InputRequest):
            return output("PreToolUse", permissionDecision="ask")  # `can_use_tool` finds the same decision
        if self._deferred_request is None or self._deferred_request.id == decision.id:
            self._deferred_request = decision
            return output("PreToolUse", permissionDecision="defer")
        # Claude Code forgets all deferred calls of a message but the last.
        if not await self._ask.requests.withdraw(decision):
            return output("PreToolUse", permissionDecision="ask")  # somebody has just decided
        return output("PreToolUse", permissionDecision="deny", permissionDecisionReason=ANOTHER_CALL_WAITS)

    async def _after_batch(self, event: Json, _id: str | None, _context: object) -> Json:
        """Withdraw the request of a call that was not deferred after all: another hook refused it."""
        for item in event.get("tool_calls", ()):
            self._bypasses.forget(item.get("tool_use_id"))  # it is over
        if event.get("agent_id") is None and self._deferred_request is not None:
            request, self._deferred_request = self._deferred_request, None
            await self._ask.requests.withdraw(request)
        return {}

    async def _after_tool_use(self, event: Json, call_id: str | None, _context: object) -> Json:
        if (stop := self._bypasses.after(event)) is not None:
            return stop
        decision = await self._report(call_id, "succeeded")
        return self._result_output("PostToolUse", event, decision)

    async def _after_failure(self, event: Json, call_id: str | None, _context: object) -> Json:
        if (stop := self._bypasses.after(event)) is not None:
            return stop
        await self._report(call_id, "failed")
        return self._result_output("PostToolUseFailure", event, None)

    def _result_output(self, name: str, event: Json, decision: Decision | None) -> Json:
        """Return the output of a hook with what Claude does not read in the result."""
        is_replayed = event["tool_use_id"] == self._replayed_call_id
        notes_limit = MAX_CONTEXT // 2 if is_replayed else MAX_CONTEXT
        text = "" if decision is None else _approval_notes(decision, notes_limit)
        if is_replayed:
            result_text = repeated_result(event, MAX_CONTEXT - context_length(text) - 1)
            text = "\n".join(filter(None, (text, result_text)))
        return output(name, additionalContext=text) if text else {}

    def _use(self, tool: str, tool_input: Json, call_id: str, agent_id: str | None) -> ToolUse:
        event = self._undecided_calls.get(call_id, {})
        agent = event.get("agent_type") if agent_id is not None else None
        return ToolUse(
            tool,
            tool_input,
            call_id,
            self.session_id,
            cwd=event.get("cwd", self._folder),
            agent=agent or agent_id,
        )

    async def _decide(self, use: ToolUse, *, wait: bool) -> Result | InputRequest:
        """Return the decision about a call. Without `wait`, return the open request if nobody has decided yet."""
        try:
            if use.tool == ASK_USER:
                return await self._answer(use, wait=wait)
            if use.tool in self._harmless_tools or not self._approvals:
                return PermissionResultAllow(updated_input=use.input)
            return await self._approve(use, wait=wait)
        except AskbackError as error:
            _log.warning("askback could not ask about %s (%s)", use.tool, use.id, exc_info=True)
            return not_asked(use, error)

    async def _answer(self, use: ToolUse, *, wait: bool) -> Result | InputRequest:
        form = form_for(use)
        if isinstance(form, PermissionResultDeny):
            return form
        ask_options = self._request_options(use)
        request = await self._find_earlier_request(use, wait=wait)
        if self._can_defer(use) or request is not None:
            request = request or await self._ask.requests.create(form, delivery="resume", **ask_options)
            request = await self._await_end(request, wait=wait)
            if request.status not in TERMINAL:
                return request
            outcome = outcome_of(request)
        else:
            outcome = await self._ask.try_form(form, **ask_options)
        if isinstance(outcome, NotAnswered):
            return PermissionResultDeny(message=self._ask.text_of(outcome.request))
        return PermissionResultAllow(updated_input=answered_input(use, form, outcome))

    async def _approve(self, use: ToolUse, *, wait: bool) -> Result | InputRequest:
        if (earlier_request := await self._find_earlier_request(use, wait=wait)) is not None:
            earlier_request = await self._await_end(earlier_request, wait=wait)
            if earlier_request.status not in TERMINAL:
                return earlier_request
            return (
                await self._consume(use, await self._ask.decision(earlier_request))
                if wait
                else PermissionResultAllow()
            )
        members: Json = {**self._request_options(use), "wait": not self._can_defer(use)}
        if (plan := plan_of(use.tool, use.input)) is not None:
            decision = await self._ask.approve_plan(plan, **members)
        else:
            members |= {"cwd": use.cwd, "allow_edit": self._allow_edit}
            decision = await self._ask.approve(use.tool, use.input, **members)
        if decision.status == "pending" and decision.request is not None:
            request = await self._await_end(decision.request, wait=wait)
            if request.status not in TERMINAL:
                return request
            decision = await self._ask.decision(request)
        return await self._consume(use, decision) if wait else PermissionResultAllow()

    async def _find_earlier_request(self, use: ToolUse, *, wait: bool) -> InputRequest | None:
        """Return what an earlier process asked about the same call."""
        return await self._earlier_requests.take(use, deferrable=self._can_defer(use), is_repeated=not wait)

    def _can_defer(self, use: ToolUse) -> bool:
        return self._durable and use.agent is None

    def _request_options(self, use: ToolUse) -> Json:
        """Return the options of the request for a call."""
        thread_id = self._thread_id or self.session_id
        return {"thread_id": thread_id, "timeout_s": self._timeout_s} | use.context(
            durable=self._can_defer(use), folder=self._folder
        )

    async def _await_end(self, request: InputRequest, *, wait: bool) -> InputRequest:
        """Return a request as it ended, or as it is without `wait`; an interrupt withdraws it."""
        if not wait or request.status in TERMINAL:
            return request
        try:
            return await self._ask.wait(request)
        except asyncio.CancelledError:
            await self._ask.requests.withdraw(request)
            raise

    async def _consume(self, use: ToolUse, decision: Decision) -> Result:
        """Consume an approval and return the approved input for Claude Code to run."""
        if not decision:
            return PermissionResultDeny(message=decision.text)
        if (link := why_not_by_rule(decision, use.tool, use.cwd)) is not None:
            return PermissionResultDeny(message=link)
        if decision.source == "policy":  # the rule would allow it again
            return PermissionResultAllow(updated_input=decision.input)
        try:
            execution = await self._ask.consume(decision, secrets.token_hex(8))
        except (Conflict, Gone) as error:  # it was used or revoked, or a rule now refuses the call
            return PermissionResultDeny(message=_NOT_RUN.format(tool=use.tool, error=error.message))
        self._running_calls[use.id] = decision, execution
        if use.tool == EXIT_PLAN:
            return PermissionResultAllow(updated_input=use.input)
        return PermissionResultAllow(updated_input=execution.input)

    async def _report(self, call_id: str | None, outcome: Literal["succeeded", "failed"]) -> Decision | None:
        """Report how an approved call went, and return its decision; None for other calls."""
        decision, execution = self._running_calls.pop(call_id or "", (None, None))
        if decision is not None and execution is not None:
            with suppress(AskbackError):
                await self._ask.report(decision, execution.execution_id, outcome)
        return decision


def gate_of(options: ClaudeAgentOptions) -> Gate | None:
    """Return the gate of options that come from `with_askback`."""
    gate = getattr(options.can_use_tool, "__self__", None)
    return gate if isinstance(gate, Gate) else None


def _approval_notes(decision: Decision, limit: int) -> str:
    """Return the person's note and changed input. Claude Code reports only the result of the call."""
    note = _NOTE.format(note=cut(quote(decision.note), _MAX_NOTE)) if decision.note else ""
    lines = list[str]()
    asked = None if decision.request is None else decision.request.approval
    if asked is not None and asked.plan is None and decision.input != asked.input:
        room = limit - context_length(f"{note}\n{_CHANGED_INPUT}")
        lines.append(_CHANGED_INPUT.format(input=cut(quote(decision.input), room)))
    if note:
        lines.append(note)
    return "\n".join(lines)
