"""One field asked in the terminal until its answer holds, and the words that leave a form instead."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from enum import Enum
from typing import Any

from askback.cli import entry
from askback.cli.terminal import Terminal
from askback.domain.faults import Fault, Faults
from askback.domain.fields import AnyField, Form, Textarea
from askback.domain.validation.answer import check_answer
from askback.messages import render

EMPTY, BACK = ":empty", ":back"
HELP = """\
Type an answer and press Enter. An empty line takes the value in brackets, or leaves the field empty.
  :back     go back one field          :empty    leave this field empty although it has a default
  :skip     skip the whole form        :dismiss  refuse to answer
  :later    leave it open for now      ::text    an answer that begins with a colon
  :all no   decline everything that is pending"""


class Leave(Enum):
    """How a person can leave a request without answering it; `ALL` declines the others with it."""

    SKIP = ":skip"
    DISMISS = ":dismiss"
    LATER = ":later"
    ALL = ":all no"


class Left(Exception):
    """The person left the request."""

    def __init__(self, how: Leave) -> None:
        super().__init__(how.value)
        self.how = how


class Back(Exception):
    """The person wants to go back one step."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Asks for the fields of one form; each method may raise `Left`, `Back` or `EndOfInput`."""

    terminal: Terminal
    form: Form
    locale: str

    async def field(self, each: AnyField, kept: Any, *, optional: bool) -> Any:
        """Ask until the answer holds and return it, None for an empty one; `kept` is offered.

        An `optional` field belongs to an optional section: what is required there may be left empty.
        """
        self._head(each, required=each.required and not optional)
        while True:
            with self.terminal.unseen() if each.sensitive else nullcontext():
                value = await self._value(each, kept)
            faults = _faults(each, value)
            if optional and value is None:
                faults = []
            for fault in faults:
                self.terminal.say(render(fault, self.locale), "red")
            if not faults and await self._sure(each, value):
                return value

    async def yes(self, question: str, *, default: bool = False) -> bool:
        """Ask for yes or no; an empty line is `default`."""
        word = (await self._line(f"{question}? {'[Y/n]' if default else '[y/N]'} ")).strip().casefold()
        return word in entry.YES if word else default

    def _head(self, each: AnyField, *, required: bool) -> None:
        self.terminal.say()
        self.terminal.say(each.label + ("" if required else " (optional)"), "bold")
        if each.description:
            self.terminal.say(each.description, "dim")
        options = entry.options_of(each)
        for key, option in zip(entry.keys(options), options, strict=True):
            note = " (recommended)" if option.recommended else ""
            self.terminal.say(f"  {key}  {option.label}{note}", "red" if option.style == "danger" else "")
            if option.description:
                self.terminal.say(f"     {option.description}", "dim")

    async def _value(self, each: AnyField, kept: Any) -> Any:
        offer = "" if kept is None else f" [{entry.shown(each, kept)}]"
        line = await self._line(f"{entry.hint(each)}{offer}: ")
        if line.strip() == EMPTY:
            return None
        if not line.strip():
            return kept
        if isinstance(each, Textarea):
            return await self._lines(_unescaped(line))
        return entry.read(each, _unescaped(line))

    async def _lines(self, first: str) -> str:
        """Read on until a line with only a full stop; a line that begins with two means one."""
        lines: list[str] = []
        line = first
        while line != ".":
            lines.append(line[1:] if line.startswith("..") else line)
            line = await self.terminal.line("| ")
        return "\n".join(lines)

    async def _sure(self, each: AnyField, value: Any) -> bool:
        for label in entry.dangerous(each, value):
            if not await self.yes(f"Really “{label}”"):
                return False
        return True

    async def _line(self, prompt: str) -> str:
        """Return a line that is meant as an answer; deal with the words that are not."""
        while True:
            line = await self.terminal.line(prompt)
            word = line.strip()
            if not word.startswith(":") or word.startswith("::") or word == EMPTY:
                return line
            if word == BACK:
                raise Back
            if word == Leave.SKIP.value and not self.form.allow_skip:
                self.terminal.say("This form cannot be skipped. :dismiss refuses to answer it.", "yellow")
            elif word in {how.value for how in Leave}:
                raise Left(Leave(word))
            else:
                self.terminal.say(HELP, "dim")


def _faults(each: AnyField, value: Any) -> list[Fault]:
    try:
        check_answer(Form(fields=[each]), {each.id: value})
    except Faults as refused:
        return list(refused.faults)
    return []


def _unescaped(line: str) -> str:
    return line[1:] if line.startswith("::") else line
