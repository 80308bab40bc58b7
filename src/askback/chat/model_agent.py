"""An agent made of a model behind an OpenAI-compatible endpoint, and the tools of a chat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from askback.adapters.asking import read_arguments
from askback.adapters.asktools import AskTool
from askback.chat import history
from askback.chat.endpoint import Endpoint
from askback.chat.tools import ToolFailed, tools_in
from askback.chat.turn import EMPTY_REPLY, Turn
from askback.client.gather import gather_all

SYSTEM = """\
You are an assistant in a conversation with a person, in the folder {folder}. Answer in Markdown, briefly. Use the tools
to read files and run commands. A person must approve risky calls and may deny them. Call ask_user when a person has to
choose. Never make up an answer."""


@dataclass(frozen=True, slots=True)
class ModelAgent:
    """Asks the model, runs the tools that it calls, and asks again, until it calls none."""

    endpoint: Endpoint
    folder: Path

    @property
    def greeting(self) -> str:
        """The first message in a new thread."""
        return f"Hello! I am {self.endpoint.model}, and I work in {self.folder}. What shall we do?"

    async def answer(self, turn: Turn) -> None:
        """Answer the prompt; the thread shows the progress of an earlier process."""
        tools = tools_in(self.folder)
        system = {"role": "system", "content": SYSTEM.format(folder=self.folder)}
        while True:
            thread = await turn.read()
            if calls := [part for _, part in history.open_calls(thread)]:
                await gather_all(self._call(turn, tools, item) for item in calls)
                continue
            prompt_messages = [system, *history.model_messages(thread)]
            calls = await self.endpoint.reply(
                prompt_messages, [_describe_tool(tool) for tool in tools.values()], turn.write
            )
            if not calls and not turn.has_text:
                await turn.note(EMPTY_REPLY)
            for call in calls:
                await turn.begin_call(call.id, call.name, read_arguments(call.arguments))
            await turn.end_message()
            if not calls:
                return

    async def _call(self, turn: Turn, tools: Mapping[str, AskTool], call: Mapping[str, Any]) -> None:
        call_id, tool = call["tool_call_id"], tools.get(call["name"])
        arguments: Any = call.get("input")
        has_failed = False
        try:
            if tool is None or not isinstance(arguments, dict):
                raise ToolFailed(f"There are the tools {', '.join(tools)}, and their input is a JSON object.")
            text = (
                await tool.call(turn.ask, cast("dict[str, Any]", arguments), turn.pause_point(call_id))
            ).text
        except (ToolFailed, OSError) as error:
            has_failed, text = True, str(error)
        await turn.end_call(call_id, text, failed=has_failed)


def _describe_tool(tool: AskTool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}
