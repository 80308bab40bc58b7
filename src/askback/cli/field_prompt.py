"""Prompt for one field until its answer is valid, and the commands that leave a form instead."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from enum import Enum
from typing import Any

from askback.cli import field_text
from askback.cli.file_prompt import Upload, UploadFailed, upload_files
from askback.cli.language import broken_rule, text
from askback.cli.source_prompt import Search, SourceListing
from askback.cli.terminal import Terminal
from askback.domain.faults import Fault, Faults
from askback.domain.fields import AnyField, File, Form, Multiselect, Radio, Rows, Select, Textarea
from askback.domain.files import uploads_in
from askback.domain.validation.answer import check_answer

EMPTY, BACK, PASS = ":empty", ":back", ":pass"
HELP = """\
Type an answer and press Enter. An empty line takes the value in brackets, or leaves the field empty.
  :back     go back one field          :empty    leave this field empty although it has a default
  :skip     skip the whole form        :dismiss  refuse to answer
  :later    leave it open for now      ::text    an answer that begins with a colon
  :pass     skip a question that says so
  :all no   decline everything that is pending"""


class ExitWord(Enum):
    """The commands that leave a request unanswered; `ALL` declines the other requests as well."""

    SKIP = ":skip"
    DISMISS = ":dismiss"
    LATER = ":later"
    ALL = ":all no"


class PromptExit(Exception):
    """The person left the request."""

    def __init__(self, word: ExitWord) -> None:
        super().__init__(word.value)
        self.how = word


class BackRequested(Exception):
    """The person wants to go back one step."""


class SkippedQuestion(Exception):
    """The person skips this question."""


@dataclass(frozen=True, slots=True)
class FieldPrompt:
    """Asks for the fields of one form.

    Each method may raise `PromptExit`, `BackRequested`, `SkippedQuestion` or `EndOfInput`.
    """

    terminal: Terminal
    form: Form
    locale: str
    upload: Upload | None = None
    search: Search | None = None

    async def field(self, field: AnyField, previous: Any, *, optional: bool) -> Any:
        """Prompt until the answer is valid and return it, None for an empty one; `previous` is the offered value.

        An `optional` field belongs to an optional section: its required fields may be left empty.
        """
        self._show_heading(field, required=field.required and not optional)
        while True:
            try:
                with self.terminal.hidden_input() if field.sensitive else nullcontext():
                    value = await self._value(field, previous)
            except UploadFailed as error:
                self.terminal.say(str(error), "red")
                continue
            faults = _faults(field, value)
            if optional and value is None:
                faults = []
            for fault in faults:
                self.terminal.say(broken_rule(fault, self.locale), "red")
            if not faults and await self._confirm_danger(field, value):
                return value

    def show_fixed(self, field: AnyField, value: Any) -> None:
        """Show a field that cannot be changed."""
        self._show_heading(field, required=True, choices=False)
        self.terminal.say(f"  {field_text.display_text(field, value)}")

    def title(self, rows: Rows) -> None:
        """Show the title of rows, before the first row."""
        self.terminal.say()
        self.terminal.say(text(rows.label or self.form.title), "bold underline")
        if rows.description:
            self.terminal.say(text(rows.description), "dim")

    async def ask_yes(self, question: str, *, default: bool = False) -> bool:
        """Ask for yes or no; an empty line is `default`."""
        word = (await self._next_answer(f"{question}? {'[Y/n]' if default else '[y/N]'} ")).strip().casefold()
        return word in field_text.YES_WORDS if word else default

    def _show_heading(self, field: AnyField, *, required: bool, choices: bool = True) -> None:
        self.terminal.say()
        words = [text(field.label), None if required else "(optional)"]
        if any(words):
            self.terminal.say(" ".join(filter(None, words)), "bold")
        if field.description:
            self.terminal.say(text(field.description), "dim")
        if field.allow_skip and choices:
            self.terminal.say(f"{PASS} skips this question.", "dim")
        shows_choices = choices and getattr(field, "options_from", None) is None
        options = field_text.options_of(field) if shows_choices else []
        for key, option in zip(field_text.keys(options), options, strict=True):
            note = " (recommended)" if option.recommended else ""
            self.terminal.say(
                f"  {key}  {text(option.label)}{note}", "red" if option.style == "danger" else ""
            )
            if option.description:
                self.terminal.say(f"     {text(option.description)}", "dim")

    async def _value(self, field: AnyField, previous: Any) -> Any:
        if isinstance(field, Select | Radio | Multiselect) and field.options_from is not None and self.search:
            return await self._choose(field, SourceListing(self.terminal, field, self.search, previous))
        offer = "" if previous is None else f" [{field_text.display_text(field, previous)}]"
        words = (EMPTY, PASS) if field.allow_skip else (EMPTY,)
        line = await self._next_answer(f"{field_text.hint(field)}{offer}: ", words)
        if line.strip() == PASS and field.allow_skip:
            raise SkippedQuestion
        if line.strip() == EMPTY:
            return None
        if not line.strip():
            return previous
        if isinstance(field, File) and self.upload is not None:
            return await upload_files(field, line, self.upload)
        if isinstance(field, Textarea):
            return await self._lines(_unescape(line))
        return field_text.parse_line(field, _unescape(line))

    async def _choose(self, field: AnyField, listing: SourceListing) -> Any:
        """Search and choose until the choice is made; return it, None for none."""
        await listing.load()
        words = (EMPTY, PASS) if field.allow_skip else (EMPTY,)
        while True:
            offer = "" if listing.value is None else f" [{field_text.display_text(field, listing.value)}]"
            line = (await self._next_answer(f"{listing.hint}{offer}: ", words)).strip()
            if line == PASS and field.allow_skip:
                raise SkippedQuestion
            if line == EMPTY:
                return None
            if not line or await listing.take(_unescape(line)):
                return listing.value

    async def _lines(self, first: str) -> str:
        """Read lines until one with only a period; two periods at the start of a line stand for one."""
        lines: list[str] = []
        line = first
        while line != ".":
            lines.append(line[1:] if line.startswith("..") else line)
            line = await self.terminal.line("| ")
        return "\n".join(lines)

    async def _confirm_danger(self, field: AnyField, value: Any) -> bool:
        for label in field_text.dangerous_labels(field, value):
            if not await self.ask_yes(f"Really “{label}”"):
                return False
        return True

    async def _next_answer(self, prompt: str, words: Sequence[str] = (EMPTY,)) -> str:
        """Return the next line that is an answer or one of `words`; run commands."""
        while True:
            line = await self.terminal.line(prompt)
            word = line.strip()
            if not word.startswith(":") or word.startswith("::") or word in words:
                return line
            if word == BACK:
                raise BackRequested
            if word == ExitWord.SKIP.value and not self.form.allow_skip:
                self.terminal.say("This form cannot be skipped. :dismiss refuses to answer it.", "yellow")
            elif word in {how.value for how in ExitWord}:
                raise PromptExit(ExitWord(word))
            else:
                self.terminal.say(HELP, "dim")


def _faults(field: AnyField, value: Any) -> list[Fault]:
    try:
        single_field = field.model_copy(update={"visible_if": None})
        form, values = Form(fields=[single_field]), {field.id: value}
        check_answer(form, values, uploads=uploads_in(form, values))
    except Faults as error:
        return list(error.faults)
    return []


def _unescape(line: str) -> str:
    return line[1:] if line.startswith("::") else line
