"""The transcript of a session of Claude Code, which shows that a tool call has ended."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from askback.compat.claude_questions import EXIT_PLAN

LOOK_S = 0.5
"""The pause between two looks at the transcript."""
TAIL_BYTES = 8_000_000
"""How much of a long transcript is read at first: the call is at its end."""


async def wait_until_ended(event: Mapping[str, Any]) -> None:
    """Return when the call of a PermissionRequest has a result: somebody decided about it in Claude Code.

    The event has no id of its call. So an equal call that had ended before is another one, and of equal calls at once
    all have to end. Never returns without a transcript.
    """
    path = event.get("transcript_path")
    if not isinstance(path, str):
        await asyncio.Event().wait()
    calls = _Calls(_file_of(Path(cast("str", path)), event.get("agent_id")), event)
    calls.read()
    earlier = calls.ids & calls.ended
    while True:
        own = calls.ids - earlier
        if own and own <= calls.ended:
            return
        await asyncio.sleep(LOOK_S)
        calls.read()


def _file_of(transcript: Path, agent_id: object) -> Path:
    """Return the file that has the call: a sub-agent has its own."""
    if not isinstance(agent_id, str):
        return transcript
    return transcript.with_suffix("") / "subagents" / f"agent-{Path(agent_id).name}.jsonl"


class _Calls:
    """The ids of the equal calls in a growing transcript, and of all calls that have ended."""

    def __init__(self, file: Path, event: Mapping[str, Any]) -> None:
        self.ids = set[str]()
        self.ended = set[str]()
        self._file = file
        self._tool, self._input = event["tool_name"], event["tool_input"]
        self._offset: int | None = None

    def read(self) -> None:
        """Read the lines that are new and complete."""
        try:
            with self._file.open("rb") as file:
                if self._offset is None:
                    self._offset = max(0, self._file.stat().st_size - TAIL_BYTES)
                file.seek(self._offset)
                text, newline, _ = file.read().rpartition(b"\n")
        except OSError:
            return
        self._offset += len(text) + len(newline)
        for line in text.splitlines():
            for part in _parts(line):
                self._add(part)

    def _add(self, part: Mapping[str, Any]) -> None:
        if part.get("type") == "tool_result":
            self.ended.add(str(part.get("tool_use_id")))
        # Claude Code fills in the input of this tool before it asks.
        is_equal = part.get("input") == self._input or self._tool == EXIT_PLAN
        if part.get("type") == "tool_use" and part.get("name") == self._tool and is_equal:
            self.ids.add(str(part.get("id")))


def _parts(line: bytes) -> Iterator[Mapping[str, Any]]:
    """Give the parts of the message in a line; other lines, and broken ones, have none."""
    if b'"tool_use' not in line and b'"tool_result"' not in line:
        return
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):
        return
    message: Any = cast("dict[str, Any]", entry).get("message") if isinstance(entry, dict) else None
    content: Any = cast("dict[str, Any]", message).get("content") if isinstance(message, dict) else None
    for part in cast("list[Any]", content) if isinstance(content, list) else ():
        if isinstance(part, dict):
            yield cast("dict[str, Any]", part)
