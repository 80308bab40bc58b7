"""A model that works through a list of steps, and repeats a call whose outcome it has not read, as a good model does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.adapters.claude.fake_model import Block, FakeModel, call

Kind = Literal["question", "call", "pair", "helper", "secret", "allowed"]
KINDS: tuple[Kind, ...] = ("question", "call", "pair", "helper", "secret", "allowed")

FINISHED = "finished"
TURNS = 200
"""More replies than any conversation has."""

_STOP = "STOP what you are doing"
_NO_OUTCOME = (
    "Another call waits for a person first",
    "[Tool result missing",
    "[Request interrupted",
    "The user doesn't want to proceed",
    "was withdrawn before",
    "Nobody could be asked",
    "Stream closed",
    "[Tool call interrupted",
    _STOP,
)
"""How the results of calls begin, or go on, that say nothing about the call."""


@dataclass(frozen=True)
class Step:
    """What the model does next: one call, or two in the same reply."""

    kind: Kind
    mark: str
    """A word that only this step has in its calls."""
    denied: bool = False

    @property
    def marks(self) -> Sequence[str]:
        """The words of its calls that a person decides about."""
        return (f"{self.mark}a", f"{self.mark}b") if self.kind == "pair" else (f"{self.mark}a",)

    def call(self, mark: str, command: str) -> Block:
        """Return the call with a mark; `command` is for secrets."""
        if self.kind == "question":
            options = [{"label": item, "description": item} for item in ("Red", "Blue")]
            request_members = {
                "question": f"Which colour for {mark}?",
                "header": "Colour",
                "options": options,
            }
            return call("AskUserQuestion", questions=[{**request_members, "multiSelect": False}])
        if self.kind == "helper":
            about = {"description": "help", "prompt": f"help-{mark}", "subagent_type": "general-purpose"}
            return call("Agent", **about, run_in_background=False)
        if self.kind == "allowed":
            return call("Bash", command=f"echo {mark}")
        return call("Bash", command=command if self.kind == "secret" else f"echo {mark} >> runs")


class SaneModel:
    """The model's part of one program."""

    def __init__(self, model: FakeModel, word: str, steps: Sequence[Step], *, secret_command: str) -> None:
        self._steps = steps
        self._command = secret_command
        model.play(word, *[self._next] * TURNS)
        for step in steps:
            if step.kind == "helper":
                (mark,) = step.marks
                run = Step("call", step.mark, step.denied)
                model.play(f"help-{mark}", *[SaneModel.helper_turn(run)] * TURNS)

    @staticmethod
    def helper_turn(step: Step) -> Any:
        """Return the turn of a sub-agent, which makes one call."""
        return lambda body: missing_calls(body, [step], "") or ["helped"]

    def _next(self, body: Mapping[str, Any]) -> list[Any]:
        return missing_calls(body, self._steps, self._command) or [FINISHED]


def missing_calls(body: Mapping[str, Any], steps: Sequence[Step], command: str) -> list[Block | str]:
    """Return the calls of the first step whose outcome the model has not read; a text if it was told to stop."""
    if _STOP in str(body["messages"][-1]["content"]):
        return ["stopped"]
    read = [*outcomes(body)]
    for step in steps:
        if left := [mark for mark in step.marks if not any(mark in words for words, _ in read)]:
            return [step.call(mark, command.format(mark=mark)) for mark in left]
    return []


def outcomes(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the calls of a conversation that have an outcome, and the outcomes."""
    calls = dict[str, str]()
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if block["type"] == "tool_use":
                calls[block["id"]] = str(block["input"])
            elif block["type"] == "tool_result":
                text = str(block["content"])
                if not any(item in text for item in _NO_OUTCOME):
                    yield calls[block["tool_use_id"]], text
            elif block["type"] == "text" and message["role"] in ("user", "system"):
                for line in block["text"].splitlines():
                    if line.startswith("About your") and not _is_to_be_repeated(line) or _RAN in line:
                        yield line, line


_RAN = "waited for a person, and has run now"


def _is_to_be_repeated(line: str) -> bool:
    return "was approved" in line or any(item in line for item in _NO_OUTCOME)
