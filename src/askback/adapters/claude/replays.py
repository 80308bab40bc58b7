"""Read in the transcript of a session what Claude knows, and repeat the result of a deferred call that it loses.

Claude Code 2.1.332 loses the result of a deferred call if another call of the same message has a result already and the
session was resumed before: Claude reads that the result is missing, and would make the call again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from askback.adapters.claude.hooks import Json, context_length, cut
from askback.domain.questiontext import quote

_DEFERRED_TYPE = "hook_deferred_tool"
_SEARCHED_BYTES = 1 << 20
"""Bytes at the end of a transcript in which Claude Code looks for a deferred call."""

_MAX_INPUT = 1_500
"""Characters of the input of a call that are repeated with its result."""

_RESULT_SENTENCE = (
    "The call of the tool {tool} with {input} waited for a person, and has run now. Do not make it again, even if its "
    "result is missing above. Its result: {result}"
)


def repeated_result(event: Json, limit: int) -> str:
    """Return the sentence about a deferred call that has run, empty if Claude reads its result.

    `event` is what Claude Code passes to the hook after the call. The sentence has at most `limit` characters.
    """
    if is_last_of_message(Path(event["transcript_path"]), event["tool_use_id"]):
        return ""
    result = event.get("tool_response", event.get("error"))
    text = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    sentence = _RESULT_SENTENCE.format(
        tool=event["tool_name"], input=cut(quote(event["tool_input"]), _MAX_INPUT), result=""
    )
    return sentence + cut(text, limit - context_length(sentence))


def is_deferred(transcript: Path) -> bool | None:
    """Return whether Claude Code would ask again about a deferred call; None if the transcript cannot be read.

    It forgets the call once a later line has a result for it, also one that it made up for the model because a
    sub-agent in the background ended first.
    """
    call_id = None
    with suppress(*_UNREADABLE):
        for line in _last_lines(transcript):
            if call_id is not None and f'"tool_use_id":"{call_id}"' in line:
                call_id = None
            if f'"{_DEFERRED_TYPE}"' in line:
                attachment = json.loads(line).get("attachment", {})
                call_id = attachment["toolUseID"] if attachment.get("type") == _DEFERRED_TYPE else call_id
        return call_id is not None
    return None


def _last_lines(transcript: Path) -> list[str]:
    with transcript.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _SEARCHED_BYTES))
        return file.read().decode(errors="replace").split("\n")[size > _SEARCHED_BYTES :]


def is_last_of_message(transcript: Path, call_id: str) -> bool:
    """Return whether no other call follows in the message of a call; false if the transcript cannot be read."""
    messages = dict[str, list[str]]()
    with suppress(*_UNREADABLE):
        for message in _messages(transcript, "assistant"):
            calls = messages.setdefault(message["id"], [])
            calls += [item["id"] for item in message["content"] if item["type"] == "tool_use"]
        return any(calls[-1:] == [call_id] for calls in messages.values())
    return False


def ended_calls(transcript: Path) -> list[Json] | None:
    """Return the calls that have a result, each with `id`, `name`, `input`, `failed`, and the `text` of the result.

    The calls of a sub-agent count if it has finished: nothing that a killed one read has reached Claude. Returns None
    if a transcript cannot be read.
    """
    with suppress(*_UNREADABLE):
        blocks = _blocks(transcript)
        for item in transcript.with_suffix("").glob("subagents/*.jsonl"):
            of_agent = _blocks(item)
            blocks += of_agent if of_agent and of_agent[-1]["type"] == "text" else ()
        results = {block["tool_use_id"]: block for block in blocks if block["type"] == "tool_result"}
        return [
            {
                **block,
                "failed": results[block["id"]].get("is_error", False),
                "text": _text(results[block["id"]]),
            }
            for block in blocks
            if block["type"] == "tool_use" and block["id"] in results
        ]
    return None


def is_finished(transcript: Path) -> bool:
    """Return whether the last thing in a transcript is a text of Claude; false if it cannot be read."""
    with suppress(*_UNREADABLE):
        *_, (role, content) = [
            (message["role"], message["content"]) for message in _messages(transcript, "assistant", "user")
        ]
        return role == "assistant" and [item["type"] for item in content][-1:] == ["text"]
    return False


_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)


def _messages(transcript: Path, *kinds: str) -> Iterator[Any]:
    for line in transcript.read_text("utf-8").splitlines():
        entry: Any = json.loads(line)
        if entry.get("type") in kinds:
            yield entry["message"]


def _blocks(transcript: Path) -> list[Json]:
    return [
        cast("Json", item)
        for message in _messages(transcript, "assistant", "user")
        for item in message["content"]
        if isinstance(item, dict)
    ]


def _text(result: Json) -> str:
    content = result.get("content", "")
    return content if isinstance(content, str) else json.dumps(content)
