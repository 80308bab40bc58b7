"""Answer tasks with `human_input=True`, and show the messages of a crew."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, cast
from uuid import uuid4

from crewai import CrewOutput, TaskOutput
from crewai.agents.parser import AgentFinish
from crewai.core.providers.human_input import (
    AsyncExecutorContext,
    ExecutorContext,
    SyncHumanInputProvider,
    reset_provider,
    set_provider,
)
from crewai.execution import get_execution_uuid

from askback.adapters.asking import (
    MirroredCall,
    MirroredMessage,
    PausePoint,
    ask_once,
    mirror_messages,
    read_arguments,
)
from askback.adapters.crewai.flows import feedback
from askback.adapters.openquestion import FIELD
from askback.client.methods import call_blocking
from askback.client.sync_client import Client
from askback.domain.fields import Form, Radio

_ACCEPT = "Accept"


def answer_tasks(
    ask: Client, *, thread_id: str | None = None, timeout_s: float | None = None
) -> AbstractContextManager[object]:
    """Ask a person about the results of tasks with `human_input=True`, from now on; with `with`, until its end.

    If the person rejects a result, the agent revises it with their feedback, and askback asks again. An unanswered
    question raises `Declined`, `Cancelled` or `Expired`.
    """
    token = set_provider(_TaskInput(ask, thread_id, timeout_s))
    ending = ExitStack()
    ending.callback(reset_provider, token)
    return ending


class _TaskInput(SyncHumanInputProvider):
    """Asks about the result of a task, until it is accepted."""

    def __init__(self, ask: Client, thread_id: str | None, timeout_s: float | None) -> None:
        self._ask = ask
        self._thread_id = thread_id
        self._timeout_s = timeout_s

    def handle_feedback(self, formatted_answer: AgentFinish, context: ExecutorContext) -> AgentFinish:
        """Return the result that was accepted; training stays in the terminal."""
        if context._is_training_mode():  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            return super().handle_feedback(formatted_answer, context)
        while (changes := self._ask_for_changes(formatted_answer, context)) is not None:
            context.messages.append(context._format_feedback_message(changes))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            formatted_answer = context._invoke_loop()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        context.ask_for_human_input = False
        return formatted_answer

    async def handle_feedback_async(
        self, formatted_answer: AgentFinish, context: AsyncExecutorContext
    ) -> AgentFinish:
        """Return the result that was accepted, without blocking the event loop."""
        if context._is_training_mode():  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            return await super().handle_feedback_async(formatted_answer, context)
        while (
            changes := await asyncio.to_thread(self._ask_for_changes, formatted_answer, context)
        ) is not None:
            context.messages.append(context._format_feedback_message(changes))  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
            formatted_answer = await context._ainvoke_loop()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        context.ask_for_human_input = False
        return formatted_answer

    def _ask_for_changes(self, answer: AgentFinish, context: ExecutorContext) -> str | None:
        """Return the requested changes, or None if the result is accepted."""
        field = Radio(
            id=FIELD,
            label="Accept the result, or say what should change",
            options=[_ACCEPT],
            allow_other=True,
            required=True,
        )
        title = context.task.name or context.task.description if context.task else None
        form = Form(title=title, description=self._get_output_string(answer), format="plain", fields=[field])
        point = PausePoint(
            id=f"crewai:{uuid4().hex}",
            thread_id=self._thread_id,
            run_id=get_execution_uuid(),
            agent=context.agent.role,
        )
        answer_text = feedback(call_blocking(self._ask, ask_once, form, point, timeout_s=self._timeout_s))
        return None if answer_text == _ACCEPT else answer_text


def mirror(ask: Client, result: CrewOutput, *, thread_id: str, run_id: str | None = None) -> None:
    """Show the messages and tool calls of a crew in the thread; existing messages stay unchanged.

    CrewAI gives them no ids. Pass a `run_id` if two runs may say exactly the same.
    """
    messages = [message for task in result.tasks_output for message in _mirror_messages(task, run_id)]
    call_blocking(ask, mirror_messages, messages, thread_id=thread_id, run_id=run_id)


def _mirror_messages(task: TaskOutput, run_id: str | None) -> Iterator[MirroredMessage]:
    messages = cast("Sequence[Mapping[str, Any]]", task.messages)
    results = {item.get("tool_call_id"): item.get("content") for item in messages if item["role"] == "tool"}
    run_hash = hashlib.sha256((run_id or "").encode())
    for message in messages:
        run_hash.update(json.dumps(message, default=str).encode())
        if message["role"] != "assistant":
            continue
        calls = [
            MirroredCall(
                id=call["id"],
                name=call["function"]["name"],
                input=read_arguments(call["function"]["arguments"]),
                result=results.get(call["id"]),
                done=call["id"] in results,
            )
            for call in message.get("tool_calls") or ()
        ]
        text = message.get("content")
        yield MirroredMessage(
            id=run_hash.hexdigest(), text=text if isinstance(text, str) else "", calls=calls, agent=task.agent
        )
