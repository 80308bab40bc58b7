"""Prompt for a form, field by field, with the same rules and texts as in the browser."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from askback.cli import field_text
from askback.cli.field_prompt import BackRequested, FieldPrompt, SkippedQuestion
from askback.cli.file_prompt import Upload
from askback.cli.language import text
from askback.cli.source_prompt import Search
from askback.cli.terminal import Terminal, one_line
from askback.domain.faults import Fault, Faults
from askback.domain.fields import AnyField, Form, Radio, Rows, Section
from askback.domain.files import uploads_in
from askback.domain.options import Option
from askback.domain.rows import decision_id, flat_form, flat_values, fold_values, value_path
from askback.domain.state_models import FieldError
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
        self._visible_form = self.form
        self.form, self.values = flat_form(self._visible_form), flat_values(self._visible_form, self.values)
        rows = [item for item in self._visible_form.all_fields if isinstance(item, Rows)]
        self._first_rows = {decision_id(row, row.rows[0]): row for row in rows}
        self._prompt = FieldPrompt(self.terminal, self.form, self.locale, self.upload, self.search)
        typed_values, initial_values = self.values, self.form.initial_values or {}
        self.values = {}
        for form_field in self.form.all_fields:
            previous_value = None if form_field.readonly else typed_values.get(form_field.id)
            values = [
                candidate
                for candidate in (previous_value, initial_values.get(form_field.id))
                if candidate is not None
            ]
            self._set_value(form_field, values[0] if values else form_field.default)

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
        faulty_fields = [
            item for item in self.form.all_fields if any(_concerns(path, item) for path, _ in faults)
        ]
        if faulty_fields:
            await self._ask([(None, item) for item in faulty_fields])
        else:
            await self.fill()

    async def _fill_one(self) -> None:
        """Ask which field answers the form, and prompt for it; a form with one field needs no choice."""
        fields = [item for item in self.form.all_fields if not item.readonly]
        names = self.form.names
        field_choice = Radio(
            id="control",
            label=self.form.title or "Which one do you answer?",
            required=True,
            options=[Option(value=item.id, label=one_line(text(names[item.id]))) for item in fields],
        )
        field_id = (
            fields[0].id if len(fields) == 1 else await self._prompt.field(field_choice, None, optional=False)
        )
        self.control = str(field_id)
        self.values = {id_: value for id_, value in self.values.items() if id_ == field_id}
        await self._ask(
            [(None, item.model_copy(update={"required": True})) for item in fields if item.id == field_id]
        )

    @property
    def shown_values(self) -> dict[str, Any]:
        """The values, without those of hidden fields, which are kept in case the fields are shown again."""
        return fold_values(self._visible_form, self._visible_values())

    def _visible_values(self) -> dict[str, Any]:
        hidden = self._hidden()
        return {id_: value for id_, value in self.values.items() if id_ not in hidden}

    def _hidden(self) -> Collection[str]:
        return hidden_fields(self.form, self.values, self.skipped)

    def check(self) -> list[Fault]:
        """Check the whole form like the server."""
        try:
            values = self.shown_values
            uploads = uploads_in(self._visible_form, values)
            check_answer(self._visible_form, values, self.skipped, control=self.control, uploads=uploads)
        except Faults as error:
            return list(error.faults)
        return []

    def _steps(self) -> list[Step]:
        if self.form.sections is None:
            return [(None, item) for item in self.form.fields or []]
        return [
            step
            for section in self.form.sections
            for step in [(section, None), *((section, item) for item in section.fields)]
        ]

    async def _ask(self, steps: Sequence[Step]) -> None:
        skipped_fields: set[str] = set()
        answered_steps: list[int] = []
        index = 0
        while index < len(steps):
            section, field = steps[index]
            try:
                if field is None:
                    assert section is not None
                    was_asked = await self._open_section(section, skipped_fields)
                else:
                    was_asked = await self._field(section, field, skipped_fields)
            except BackRequested:
                index = answered_steps.pop() if answered_steps else 0
            else:
                answered_steps += [index] if was_asked else []
                index += 1

    async def _open_section(self, section: Section, skipped: set[str]) -> bool:
        """Print the heading of a section and ask whether to fill in an optional one; return whether it asked."""
        skipped.discard(section.id)
        hidden = self._hidden()
        if all(item.id in hidden for item in section.fields):
            return False
        self.terminal.say()
        self.terminal.say(text(section.title) or section.id, "bold underline")
        if section.description:
            self.terminal.say(text(section.description), "dim")
        if section.optional and not await self._prompt.ask_yes("Fill in this part"):
            skipped.add(section.id)
            for form_field in section.fields:
                self._set_value(form_field, None)
        return section.optional

    async def _field(self, section: Section | None, field: AnyField, skipped: set[str]) -> bool:
        if (section is not None and section.id in skipped) or field.id in self._hidden():
            self.skipped = [id_ for id_ in self.skipped if id_ != field.id]
            return False
        if (rows := self._first_rows.get(field.id)) is not None:
            self._prompt.title(rows)
        if field.readonly:
            self._prompt.show_fixed(field, self.values[field.id])
            return False
        optional = section is not None and section.optional
        for error in self.errors:
            if _concerns(error.path, field):
                self.terminal.say(error.message, "red")
        self.skipped = [id_ for id_ in self.skipped if id_ != field.id]
        try:
            value = await self._prompt.field(field, self.values.get(field.id), optional=optional)
        except SkippedQuestion:
            self.skipped.append(field.id)
            value = None
        self._set_value(field, value)
        return True

    async def _confirm(self) -> bool:
        """Show the answers and ask whether to send them; a form with one field is sent immediately."""
        fields = self.form.all_fields
        if len(fields) < 2:
            return True
        self.terminal.say()
        names = self.form.names
        values = self._visible_values()
        for form_field in fields:
            label = one_line(text(names[form_field.id]))
            if form_field.id in values:
                self.terminal.say(
                    f"  {label}: {field_text.display_text(form_field, self.values[form_field.id])}"
                )
            elif form_field.id in self.skipped:
                self.terminal.say(f"  {label}: skipped")
        try:
            return await self._prompt.ask_yes(text(self.form.submit_label) or "Submit", default=True)
        except BackRequested:
            return False

    def _set_value(self, field: AnyField, value: Any) -> None:
        if value is None:
            self.values.pop(field.id, None)
        else:
            self.values[field.id] = value


def _concerns(path: str, field: AnyField) -> bool:
    field_path = value_path(field.id)
    return path == field_path or path.startswith(f"{field_path}[")
