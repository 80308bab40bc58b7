"""A form, field by field, in the terminal: the same rules and the same texts as in the browser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from askback.cli import entry
from askback.cli.prompt import Back, Prompt
from askback.cli.terminal import Terminal
from askback.domain.faults import Fault, Faults, join
from askback.domain.fields import AnyField, Form, Section
from askback.domain.validation.answer import check_answer

Step = tuple[Section | None, AnyField | None]
"""A field with its section, or a section's heading."""


@dataclass
class Walk:
    """One person filling in one form; `values` survive an error and are offered again."""

    terminal: Terminal
    form: Form
    locale: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        self._prompt = Prompt(self.terminal, self.form, self.locale)
        initial = self.form.initial_values or {}
        for each in self.form.all_fields:
            self._keep(each, each.default if initial.get(each.id) is None else initial[each.id])

    async def fill(self) -> dict[str, Any]:
        """Ask for every field, then for the word to send; return the values. Raises `Left`."""
        await self._ask(self._steps())
        while not await self._agreed():
            await self._ask(self._steps())
        return self.values

    async def mend(self, faults: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """Show what was refused, as (path, sentence), ask again for those fields, and return the values."""
        for _, sentence in faults:
            self.terminal.say(sentence, "red")
        wrong = [each for each in self.form.all_fields if any(_concerns(path, each) for path, _ in faults)]
        if not wrong:
            return await self.fill()
        await self._ask([(None, each) for each in wrong])
        return self.values

    def check(self) -> list[Fault]:
        """Check the whole form as the server will."""
        try:
            check_answer(self.form, self.values)
        except Faults as refused:
            return list(refused.faults)
        return []

    def _steps(self) -> list[Step]:
        if self.form.sections is None:
            return [(None, each) for each in self.form.fields or []]
        return [
            step
            for section in self.form.sections
            for step in [(section, None), *((section, each) for each in section.fields)]
        ]

    async def _ask(self, steps: Sequence[Step]) -> None:
        skipped: set[str] = set()
        asked: list[int] = []
        at = 0
        while at < len(steps):
            section, each = steps[at]
            try:
                if each is None:
                    assert section is not None
                    said = await self._open(section, skipped)
                else:
                    said = await self._field(section, each, skipped)
            except Back:
                at = asked.pop() if asked else 0
            else:
                asked += [at] if said else []
                at += 1

    async def _open(self, section: Section, skipped: set[str]) -> bool:
        """Head a section and ask whether an optional one is wanted; return whether anything was asked."""
        skipped.discard(section.id)
        self.terminal.say()
        self.terminal.say(section.title or section.id, "bold underline")
        if section.description:
            self.terminal.say(section.description, "dim")
        if section.optional and not await self._prompt.yes("Fill in this part"):
            skipped.add(section.id)
            for each in section.fields:
                self._keep(each, None)
        return section.optional

    async def _field(self, section: Section | None, each: AnyField, skipped: set[str]) -> bool:
        if section is not None and section.id in skipped:
            return False
        optional = section is not None and section.optional
        self._keep(each, await self._prompt.field(each, self.values.get(each.id), optional=optional))
        return True

    async def _agreed(self) -> bool:
        """Show the answers and ask for the word to send; a form of one field is sent at once."""
        fields = self.form.all_fields
        if len(fields) < 2:
            return True
        self.terminal.say()
        for each in fields:
            if each.id in self.values:
                self.terminal.say(f"  {each.label}: {entry.shown(each, self.values[each.id])}")
        try:
            return await self._prompt.yes(self.form.submit_label or "Submit", default=True)
        except Back:
            return False

    def _keep(self, each: AnyField, value: Any) -> None:
        if value is None:
            self.values.pop(each.id, None)
        else:
            self.values[each.id] = value


def _concerns(path: str, each: AnyField) -> bool:
    own = join("values", each.id)
    return path == own or path.startswith(f"{own}[")
