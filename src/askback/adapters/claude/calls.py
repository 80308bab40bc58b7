"""A tool call of Claude as a request, and the outcome of the request as Claude's permission result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from claude_agent_sdk import PermissionResultAllow, PermissionResultDeny

from askback.client.options import call_key
from askback.compat.claude_questions import annotated, card_of, checked_form_of, write_answers
from askback.domain.faults import Faults
from askback.domain.fields import Form
from askback.domain.request import Agent, Answer, InputRequest
from askback.errors import AskbackError
from askback.messages import render

Result = PermissionResultAllow | PermissionResultDeny


INTERNAL_TOOLS = frozenset(
    """
    Agent Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite EnterPlanMode ListAgents
    ReportFindings SendMessage Skill ToolSearch
    """.split()
)
"""Tools that only organize Claude's own work. The tools that they call still need a decision."""

OWN_TOOLS = (
    "ask_user", "request_approval", "request_env_vars", "get_answer", "cancel_request", "list_requests",
    "approval_prompt",
)  # fmt: skip
"""The tools of askback's MCP server: they only ask people, so asking to call them would ask twice."""

NAME = "claude"
"""The key of the adapter's data in a request's metadata."""
_CONTEXT_MEMBERS = {"session_id": str, "tool_use_id": str, "folder": str, "deferred": bool}

_WRONG_QUESTIONS = "The questions cannot be asked: {faults} Nobody was asked. Correct them and ask again."
_SAME_TEXT = (
    "The questions cannot be asked: two of them have the same text. Give each its own text and ask again."
)
_NOT_ASKED = "Nobody could be asked about the tool {tool}: {error} That is not permission: it was not run."


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One call: what Claude wants to run, and where."""

    tool: str
    input: dict[str, Any]
    id: str
    session_id: str
    cwd: str | None = None
    agent: str | None = None
    """The type of the sub-agent, or its id; None for the main agent."""

    def context(self, *, durable: bool, folder: str) -> dict[str, Any]:
        """Return the options of its request.

        `folder` is where the session was started, and where Claude Code finds it again. The key finds the request
        again: always if it is `durable`, because another process continues it; else only if the id of the call is
        surely its own.
        """
        ids = {"run_id": self.session_id if durable else None, "tool_call_id": self.id}
        key = call_key(NAME if durable else f"{NAME}-{self.session_id}", ids)
        agent = None if self.agent is None else Agent(name=self.agent, tool=self.tool)
        members = {
            "session_id": self.session_id,
            "tool_use_id": self.id,
            "folder": folder,
            "deferred": durable,
        }
        return {
            "idempotency_key": key,
            "tool_call_id": self.id,
            "agent": agent,
            "metadata": {NAME: members},
        }


def form_for(use: ToolUse) -> Form | PermissionResultDeny:
    """Return the form for a call of AskUserQuestion, or a denial that explains the invalid questions."""
    try:
        form = checked_form_of(use.input)
    except Faults as faults:
        faults_text = " ".join(f"{fault.path}: {render(fault, 'en')}" for fault in faults.faults)
        return PermissionResultDeny(message=_WRONG_QUESTIONS.format(faults=faults_text))
    texts = [question["question"] for question in use.input["questions"]]
    if len(set(texts)) < len(texts):  # Claude Code keys the answers by the text, so one would be lost
        return PermissionResultDeny(message=_SAME_TEXT)
    return Form.model_validate(form)


def answered_input(use: ToolUse, form: Form, answer: Answer) -> dict[str, Any]:
    """Return the input that Claude Code makes the answer of."""
    answers = write_answers(card_of(form) or (), answer.values)
    return {"questions": use.input["questions"], **annotated(use.input, answers)}


def not_asked(use: ToolUse, error: AskbackError) -> PermissionResultDeny:
    """Return the denial of a call that askback could not ask about."""
    return PermissionResultDeny(message=_NOT_ASKED.format(tool=use.tool, error=" ".join(str(error).split())))


def stored_context(request: InputRequest) -> Mapping[str, Any]:
    """Return what the adapter keeps with a request, empty for one of somebody else.

    It is `session_id`, `tool_use_id`, `folder` and `deferred`.
    """
    metadata = request.metadata
    stored_context = metadata.get(NAME) if isinstance(metadata, dict) else None
    if not isinstance(stored_context, dict):
        return {}
    return (
        stored_context
        if all(isinstance(stored_context.get(key), kind) for key, kind in _CONTEXT_MEMBERS.items())
        else {}
    )
