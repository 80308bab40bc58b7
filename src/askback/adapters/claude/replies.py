"""What Claude says and does in one turn of a chat, from the messages of the SDK."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from claude_agent_sdk import (
    AssistantMessage,
    Message,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from askback.adapters.asking import MirroredCall
from askback.adapters.claude.calls import INTERNAL_TOOLS
from askback.domain.markdown import code_span
from askback.errors import AskbackError

MIN_RETRY_MS = 2_000
"""A shorter wait before another try is not announced."""
AUTHENTICATION = "authentication_failed"

CUT = "*The reply above was cut off. Claude tries again.*"
WRONG_KEY = (
    f"The model's API refuses the key ({code_span(AUTHENTICATION)}). Check the variable `ANTHROPIC_API_KEY`, "
    "`ANTHROPIC_AUTH_TOKEN` or `CLAUDE_CODE_OAUTH_TOKEN`, and start the chat again."
)
_RETRY = "*The model's API failed ({error}). Claude tries again in {seconds} seconds (attempt {attempt} of {most}).*"

_COMMAND_OUTPUT = re.compile(r"<local-command-(stdout|stderr)>(.*?)</local-command-\1>", re.DOTALL)
_TERMINAL_CODES = re.compile(r"\x1b\[[0-9;]*m")


class ClaudeFailed(AskbackError):
    """Claude Code could not be run, or ended with an error; the message, Markdown, says why."""


@dataclass(frozen=True, slots=True)
class Note:
    """Markdown for the person that Claude has not said; with `refuses_prompt`, why a hook has refused the prompt."""

    text: str
    refuses_prompt: bool = False


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The turn has a result; without `has_reply` Claude has said nothing at its end.

    The session has another id after `/clear`: the new one remembers nothing.
    """

    session_id: str
    has_reply: bool


Output = str | MirroredCall | Note | TurnEnd
"""A piece of Claude's text, a call or its result, or one of the others."""


class Replies:
    """The outputs of one turn.

    Text is streamed. If a request to the API breaks off, Claude Code sends it again, and the new reply repeats the text
    from the beginning or differs. Text that was not streamed is in the complete message.
    """

    def __init__(self) -> None:
        self._shown = ""
        """The text of the current block, which is not complete yet."""
        self._block = ""
        """The same as the newest try has it so far."""
        self._has_reply = False
        self._error: str | None = None
        """The text of an error, which is not the end of the turn unless its result says so."""

    def outputs(self, message: Message) -> Iterator[Output]:
        """Yield what a message adds. Raises `ClaudeFailed` for one that ends the turn with an error."""
        if self._error is not None and isinstance(message, (StreamEvent, UserMessage, AssistantMessage)):
            yield Note(code_span(self._error))
            self._error = None
        if isinstance(message, StreamEvent) and message.parent_tool_use_id is None:
            yield from self._stream(message)
        elif isinstance(message, AssistantMessage) and message.parent_tool_use_id is None:
            yield from self._whole(message)
        elif isinstance(message, UserMessage):
            yield from self._results(message)
        elif isinstance(message, SystemMessage):
            yield from self._system(message)
        elif isinstance(message, ResultMessage):
            yield from self._end(message)

    def _stream(self, message: StreamEvent) -> Iterator[Output]:
        if message.event.get("type") in ("message_start", "content_block_start"):
            self._block = ""
        delta = message.event.get("delta", {})
        if delta.get("type") == "text_delta":
            self._block += delta["text"]
            if not self._shown.startswith(self._block):
                yield from self._show_block()

    def _whole(self, message: AssistantMessage) -> Iterator[Output]:
        if message.error is not None:
            self._error = "\n".join(block.text for block in message.content if isinstance(block, TextBlock))
            self._shown = ""  # the error says that it is not complete
            return
        for block in message.content:
            if isinstance(block, TextBlock):
                self._block = block.text
                yield from self._show_block()
                self._shown = self._block = ""
            elif isinstance(block, ToolUseBlock) and block.name not in INTERNAL_TOOLS:
                if self._shown:
                    yield Note(CUT)
                    self._shown = ""
                yield MirroredCall(id=block.id, name=block.name, input=block.input)
                self._has_reply = False

    def _show_block(self) -> Iterator[Output]:
        """Yield the new text of the block that is not shown yet."""
        if not self._block.startswith(self._shown):
            yield Note(CUT)
            self._shown = ""
        text = self._block.removeprefix(self._shown)
        self._shown = self._block
        self._has_reply = self._has_reply or bool(text.strip())
        if text:
            yield text

    def _results(self, message: UserMessage) -> Iterator[Output]:
        if isinstance(message.content, str):
            for _, output in _COMMAND_OUTPUT.findall(message.content):
                if text := _TERMINAL_CODES.sub("", output).strip():
                    yield text
                    self._has_reply = True
            return
        for block in message.content:
            if isinstance(block, ToolResultBlock):
                yield MirroredCall(
                    id=block.tool_use_id,
                    name="",
                    result=_text_of(block),
                    done=True,
                    failed=bool(block.is_error),
                )

    def _system(self, message: SystemMessage) -> Iterator[Output]:
        if message.subtype == "api_retry":
            yield from _retry(message)
        elif message.data.get("prevent_continuation"):  # a hook of the person has refused the message
            yield Note(code_span(str(message.data.get("content"))), refuses_prompt=True)
            self._has_reply = True

    def _end(self, message: ResultMessage) -> Iterator[Output]:
        if not message.is_error and not self._has_reply and (message.result or "").strip():
            yield message.result or ""
            self._has_reply = True
        yield TurnEnd(message.session_id, self._has_reply)
        if message.is_error:
            reason = code_span(message.result or self._error or message.subtype)
            raise ClaudeFailed(f"Claude Code ended with an error: {reason}")


def _retry(message: SystemMessage) -> Iterator[Note]:
    attempt, delay_ms, error = (message.data.get(name) for name in ("attempt", "retry_delay_ms", "error"))
    if not isinstance(attempt, int) or not isinstance(delay_ms, (int, float)):
        return
    # The first may be a login that has expired, which Claude Code renews.
    if error == AUTHENTICATION and attempt > 1:
        raise ClaudeFailed(WRONG_KEY)
    if delay_ms >= MIN_RETRY_MS:
        yield Note(
            _RETRY.format(
                error=code_span(str(error)),
                seconds=round(delay_ms / 1_000),
                attempt=attempt,
                most=message.data.get("max_retries", attempt),
            )
        )


def _text_of(block: ToolResultBlock) -> str:
    if isinstance(block.content, list):
        return "\n".join(part.get("text", "") for part in block.content)
    return block.content or ""
