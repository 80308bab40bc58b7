"""A form, field by field, in the terminal: the same rules and the same texts as in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from askback.cli import entry
from askback.cli.terminal import Terminal
from askback.domain.faults import Fault, Faults, join
from askback.domain.fields import AnyField, Form, Section, Textarea
from askback.domain.validation.answer import check_answer
from askback.messages import render


class Leave(Enum):
    """How a person can leave a form without answering it."""

    SKIP = ":skip"
    DISMISS = ":dismiss"
    LATER = ":later"


class Left(Exception):
    """The person left the form."""

    def __init__(self, how: Leave) -> None:
        super().__init__(how.value)
        self.how = how


class _Back(Exception):
    """One step back."""


HELP = """\
Type an answer and press Enter. An empty line takes what stands in brackets, or leaves the field empty.
  :back     go back one field          :empty    leave this field empty although it has a default
  :skip     skip the whole form        :dismiss  refuse to answer
  :later    leave it open for now      ::text    an answer that begins with a colon"""


@dataclass
class Walk:
    """One person filling in one form; `values` survive an error and are offered again."""

    terminal: Terminal
    form: Form
    locale: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])

    async def fill(self) -> dict[str, Any]:
        """Ask for every field, then for the word to send; return the values. Raises `Left`."""
        self.values = {f.id: v for f in self.form.all_fields if (v := self._initial(f)) is not None}
        await self._ask(self._steps())
        while not await self._agreed():
            await self._ask(self._steps())
        return self.values

    async def mend(self, faults: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Show what was refused, as (path, sentence), ask again for those fields, and return the values."""
        wrong = dict(faults)
        for text in wrong.values():
            self.terminal.say(text, "red")
        fields = [f for f in self.form.all_fields if any(_concerns(path, f) for path in wrong)]
        if not fields:
            return await self.fill()
        await self._ask([(None, each) for each in fields])
        return self.values

    def check(self) -> list[Fault]:
        """Check the whole form as the server will."""
        try:
            check_answer(self.form, self.values)
        except Faults as refused:
            return list(refused.faults)
        return []

    def _steps(self) -> list[tuple[Section | None, AnyField | None]]:
        if self.form.sections is None:
            return [(None, each) for each in self.form.fields or []]
        return [
            step
            for section in self.form.sections
            for step in [(section, None), *((section, each) for each in section.fields)]
        ]

    async def _ask(self, steps: Sequence[tuple[Section | None, AnyField | None]]) -> None:
        at, skipped = 0, set[str]()
        visited: list[int] = []
        while at < len(steps):
            section, each = steps[at]
            try:
                if each is not None and not (section and section.id in skipped):
                    await self._field(each, optional=bool(section and section.optional))
                    visited.append(at)
                elif section is not None and each is None and await self._section(section, skipped):
                    visited.append(at)
                at += 1
            except _Back:
                at = visited.pop() if visited else 0

    async def _section(self, section: Section, skipped: set[str]) -> bool:
        """Head a section; return whether something was asked."""
        skipped.discard(section.id)
        self.terminal.say()
        self.terminal.say(section.title or section.id, "bold underline")
        if section.description:
            self.terminal.say(section.description, "dim")
        if not section.optional:
            return False
        if await self._yes("Fill in this part? [y/N] "):
            return True
        skipped.add(section.id)
        for each in section.fields:
            self.values.pop(each.id, None)
        return True

    async def _field(self, each: AnyField, *, optional: bool) -> None:
        self._head(each, optional=optional)
        while True:
            value = await self._value(each)
            faults = self._faults(each, value)
            if optional and all(fault.code == "required_missing" for fault in faults):
                faults = []
            if faults:
                for fault in faults:
                    self.terminal.say(render(fault, self.locale), "red")
                continue
            if await self._sure(each, value):
                break
        self.values[each.id] = value
        if value is None:
            del self.values[each.id]

    async def _sure(self, each: AnyField, value: Any) -> bool:
        for label in entry.dangerous(each, value):
            if not await self._yes(f"Really “{label}”? [y/N] "):
                return False
        return True

    def _head(self, each: AnyField, *, optional: bool) -> None:
        self.terminal.say()
        self.terminal.say(each.label + ("" if each.required and not optional else " (optional)"), "bold")
        if each.description:
            self.terminal.say(each.description, "dim")
        options = entry.options_of(each)
        for key, option in zip(entry.keys(options), options, strict=True):
            note = " (recommended)" if option.recommended else ""
            self.terminal.say(f"  {key}  {option.label}{note}", "red" if option.style == "danger" else "")
            if option.description:
                self.terminal.say(f"     {option.description}", "dim")

    async def _value(self, each: AnyField) -> Any:
        kept = self.values.get(each.id)
        offer = "" if kept is None else f" [{entry.shown(each, kept)}]"
        line = await self._command(f"{entry.hint(each)}{offer}: ")
        if line == ":empty":
            return None
        if isinstance(each, Textarea) and line and kept != line:
            return await self._lines(line)
        if not line.strip():
            return kept
        return entry.read(each, _unescaped(line))

    async def _lines(self, first: str) -> str:
        lines: list[str] = []
        line = first
        while line != ".":
            lines.append(
                _unescaped(line) if not lines else line.removeprefix(".") if line.startswith("..") else line
            )
            line = await self.terminal.line("| ")
        return "\n".join(lines)

    async def _command(self, prompt: str) -> str:
        while True:
            line = await self.terminal.line(prompt)
            word = line.strip()
            if word == ":back":
                raise _Back
            if word == Leave.SKIP.value and not self.form.allow_skip:
                self.terminal.say("This form cannot be skipped. :dismiss refuses to answer it.", "yellow")
            elif word in {how.value for how in Leave}:
                raise Left(Leave(word))
            elif word.startswith(":") and not word.startswith("::") and word != ":empty":
                self.terminal.say(HELP, "dim")
            else:
                return line if word != ":empty" else word

    async def _agreed(self) -> bool:
        """Ask for the word to send; a form of one field is sent at once, as a button in the browser is."""
        if len(self.form.all_fields) < 2:
            return True
        self.terminal.say()
        for each in self.form.all_fields:
            if each.id in self.values:
                self.terminal.say(f"  {each.label}: {entry.shown(each, self.values[each.id])}")
        try:
            word = await self._command(f"{self.form.submit_label or 'Submit'}? [Y/n] ")
        except _Back:
            return False
        return not word.strip() or word.strip().casefold() in entry.YES

    async def _yes(self, question: str) -> bool:
        return (await self._command(question)).strip().casefold() in entry.YES

    def _faults(self, each: AnyField, value: Any) -> list[Fault]:
        try:
            check_answer(Form(fields=[each]), {each.id: value})
        except Faults as refused:
            return list(refused.faults)
        return []

    def _initial(self, each: AnyField) -> Any:
        given = (self.form.initial_values or {}).get(each.id)
        return each.default if given is None else given


def _unescaped(line: str) -> str:
    return line[1:] if line.startswith("::") else line


def _concerns(path: str, each: AnyField) -> bool:
    own = join("values", each.id)
    return path == own or path.startswith(f"{own}[")
