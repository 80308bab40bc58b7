"""Prompt for a form, field by field, with the same rules and texts as in the browser."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from askback.cli import entry
from askback.cli.field_prompt import Back, FieldPrompt, SkippedQuestion
from askback.cli.file_prompt import Upload
from askback.cli.language import text
from askback.cli.source_prompt import Search
from askback.cli.terminal import Terminal, one_line
from askback.domain.faults import Fault, Faults
from askback.domain.fields import AnyField, Form, Radio, Rows, Section
from askback.domain.files import uploads_in
from askback.domain.options import Option
from askback.domain.request_state import FieldError
from askback.domain.rows import decision_id, flat_form, flat_values, fold_values, value_path
from askback.domain.validation.answer import check_answer
from askback.domain.validation.visibility import hidden_fields

Step = tuple[Section | None, AnyField | None]
"""A field with its section, or a section's heading."""


@dataclass
class FormPrompt:
    """The prompts of one form; `values` were entered before, survive an error, and are offered again.

    `skipped` has the ids of questions, `errors` the errors of the previous submission.
    """

    terminal: Terminal
    form: Form
    locale: str
    values: dict[str, Any] = field(default_factory=dict[str, Any])
    skipped: list[str] = field(default_factory=list[str])
    errors: Sequence[FieldError] = ()
    control: str | None = None
    upload: Upload | None = None
    search: Search | None = None

    def __post_init__(self) -> None:
        self._asked = self.form
        self.form, self.values = flat_form(self._asked), flat_values(self._asked, self.values)
        rows = [each for each in self._asked.all_fields if isinstance(each, Rows)]
        self._first_rows = {decision_id(each, each.rows[0]): each for each in rows}
        self._prompt = FieldPrompt(self.terminal, self.form, self.locale, self.upload, self.search)
        typed, initial = self.values, self.form.initial_values or {}
        self.values = {}
        for each in self.form.all_fields:
            before = None if each.readonly else typed.get(each.id)
            values = [candidate for candidate in (before, initial.get(each.id)) if candidate is not None]
            self._set_value(each, values[0] if values else each.default)

    async def fill(self) -> None:
        """Prompt for every field and for confirmation, or for the one that answers. Raises `PromptExit`."""
        if self.form.submit != "form":
            await self._fill_one()
            return
        await self._ask(self._steps())
        while not await self._confirm():
            await self._ask(self._steps())

    async def correct(self, faults: Sequence[tuple[str, str]]) -> None:
        """Show errors as (path, sentence), and prompt for these fields again."""
        for _, sentence in faults:
            self.terminal.say(sentence, "red")
        wrong = [each for each in self.form.all_fields if any(_concerns(path, each) for path, _ in faults)]
        if wrong:
            await self._ask([(None, each) for each in wrong])
        else:
            await self.fill()

    async def _fill_one(self) -> None:
        """Ask which field answers the form, and prompt for it; a form with one field needs no choice."""
        fields = [each for each in self.form.all_fields if not each.readonly]
        names = self.form.names
        which = Radio(
            id="control",
            label=self.form.title or "Which one do you answer?",
            required=True,
            options=[Option(value=each.id, label=one_line(text(names[each.id]))) for each in fields],
        )
        chosen = fields[0].id if len(fields) == 1 else await self._prompt.field(which, None, optional=False)
        self.control = str(chosen)
        self.values = {id_: value for id_, value in self.values.items() if id_ == chosen}
        await self._ask(
            [(None, each.model_copy(update={"required": True})) for each in fields if each.id == chosen]
        )

    @property
    def shown_values(self) -> dict[str, Any]:
        """The values, without those of hidden fields, which are kept in case the fields are shown again."""
        return fold_values(self._asked, self._visible_values())

    def _visible_values(self) -> dict[str, Any]:
        hidden = self._hidden()
        return {id_: value for id_, value in self.values.items() if id_ not in hidden}

    def _hidden(self) -> Collection[str]:
        return hidden_fields(self.form, self.values, self.skipped)

    def check(self) -> list[Fault]:
        """Check the whole form like the server."""
        try:
            values = self.shown_values
            uploads = uploads_in(self._asked, values)
            check_answer(self._asked, values, self.skipped, control=self.control, uploads=uploads)
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
                    was_asked = await self._open_section(section, skipped)
                else:
                    was_asked = await self._field(section, each, skipped)
            except Back:
                at = asked.pop() if asked else 0
            else:
                asked += [at] if was_asked else []
                at += 1

    async def _open_section(self, section: Section, skipped: set[str]) -> bool:
        """Print the heading of a section and ask whether to fill in an optional one; return whether it asked."""
        skipped.discard(section.id)
        hidden = self._hidden()
        if all(each.id in hidden for each in section.fields):
            return False
        self.terminal.say()
        self.terminal.say(text(section.title) or section.id, "bold underline")
        if section.description:
            self.terminal.say(text(section.description), "dim")
        if section.optional and not await self._prompt.ask_yes("Fill in this part"):
            skipped.add(section.id)
            for each in section.fields:
                self._set_value(each, None)
        return section.optional

    async def _field(self, section: Section | None, each: AnyField, skipped: set[str]) -> bool:
        if (section is not None and section.id in skipped) or each.id in self._hidden():
            self.skipped = [id_ for id_ in self.skipped if id_ != each.id]
            return False
        if (rows := self._first_rows.get(each.id)) is not None:
            self._prompt.title(rows)
        if each.readonly:
            self._prompt.show_fixed(each, self.values[each.id])
            return False
        optional = section is not None and section.optional
        for error in self.errors:
            if _concerns(error.path, each):
                self.terminal.say(error.message, "red")
        self.skipped = [id_ for id_ in self.skipped if id_ != each.id]
        try:
            value = await self._prompt.field(each, self.values.get(each.id), optional=optional)
        except SkippedQuestion:
            self.skipped.append(each.id)
            value = None
        self._set_value(each, value)
        return True

    async def _confirm(self) -> bool:
        """Show the answers and ask whether to send them; a form with one field is sent immediately."""
        fields = self.form.all_fields
        if len(fields) < 2:
            return True
        self.terminal.say()
        names = self.form.names
        values = self._visible_values()
        for each in fields:
            if each.id in values:
                self.terminal.say(
                    f"  {one_line(text(names[each.id]))}: {entry.display_text(each, self.values[each.id])}"
                )
            elif each.id in self.skipped:
                self.terminal.say(f"  {one_line(text(names[each.id]))}: skipped")
        try:
            return await self._prompt.ask_yes(text(self.form.submit_label) or "Submit", default=True)
        except Back:
            return False

    def _set_value(self, each: AnyField, value: Any) -> None:
        if value is None:
            self.values.pop(each.id, None)
        else:
            self.values[each.id] = value


def _concerns(path: str, each: AnyField) -> bool:
    own = value_path(each.id)
    return path == own or path.startswith(f"{own}[")
