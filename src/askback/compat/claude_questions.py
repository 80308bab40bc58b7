"""Claude's questions and plans: the questions of `AskUserQuestion` as a form and back, the plan of `ExitPlanMode`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any, cast

from pydantic import Field

from askback.domain.faults import Faults
from askback.domain.fields import AnyField, Form, Multiselect, Radio, Select, Text, Textarea
from askback.domain.model import Model
from askback.domain.options import Option, OptionValue, spelled_out
from askback.domain.validation.ask import check_form
from askback.domain.validation.report import Report
from askback.domain.validation.structure import parse
from askback.messages.languages import choose

Json = dict[str, Any]
ASK_USER, EXIT_PLAN = "AskUserQuestion", "ExitPlanMode"
"""The tools of Claude that ask its user, and that ask whether a plan may be carried out."""
SEPARATOR = ", "
MAX_HEADER = 12


def plan_of(tool: str, tool_input: Mapping[str, Any]) -> str | None:
    """Return the plan that a call of Claude asks about; None for other calls, and for one without a plan."""
    plan = tool_input.get("plan") if tool == EXIT_PLAN else None
    return plan if isinstance(plan, str) and plan.strip() else None


class AskedOption(Model, extra="ignore"):
    """An option as Claude sends it."""

    label: str
    description: str
    preview: Any = None

    @property
    def preview_text(self) -> str:
        """What the option looks like, such as code or a sketch of a page; empty without one."""
        return self.preview if isinstance(self.preview, str) and self.preview.strip() else ""


class AskedQuestion(Model, extra="ignore"):
    """A question as Claude sends it."""

    question: str
    header: Annotated[str, Field(max_length=MAX_HEADER)]
    options: Annotated[list[AskedOption], Field(min_length=2, max_length=4)]
    multiple: bool = Field(default=False, alias="multiSelect")


class AskUserQuestion(Model, extra="ignore"):
    """The input of the tool."""

    questions: Annotated[list[AskedQuestion], Field(min_length=1, max_length=4)]


class _ToolUse(Model):
    input: AskUserQuestion


def read_questions(tool_input: Mapping[str, Any]) -> list[AskedQuestion]:
    """Return the questions in the input of the tool; raises `Faults` with paths that begin with `input`."""
    return parse(_ToolUse, {"input": tool_input}).input.questions


def form_of(questions: Sequence[AskedQuestion]) -> Json:
    """Return the form for questions: each in a separate section, with the header as its title.

    Previews of options are in the description of the field, each unchanged in a block of code.
    """
    sections = list[Json]()
    for i, question in enumerate(questions, 1):
        options = [
            {"label": option.label, **({"description": option.description} if option.description else {})}
            for option in question.options
        ]
        kind = "multiselect" if question.multiple else "radio"
        field = {"id": f"q{i}", "type": kind, "label": question.question, "options": options}
        field |= {"required": True, "allow_other": True}
        if previews := _previews(question):
            field["description"] = previews
        sections.append(
            {"id": f"s{i}", "fields": [field], **({"title": question.header} if question.header else {})}
        )
    has_previews = any("description" in section["fields"][0] for section in sections)
    return {"format": "markdown" if has_previews else "plain", "sections": sections}


def _previews(question: AskedQuestion) -> str:
    """Return the previews of the options as Markdown, empty without any."""
    blocks = list[str]()
    for option in question.options:
        if text := option.preview_text:
            fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
            blocks.append(f"{_MARKDOWN.sub(_escaped, option.label)}:\n\n{fence}\n{text}\n{fence}")
    return "\n\n".join(blocks)


_MARKDOWN = re.compile(r"[!-/:-@\[-`{-~]")


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[0]}"


def checked_form_of(tool_input: Mapping[str, Any]) -> Json:
    """Return the form for the input of the tool; raises `Faults` with paths that begin with `input`."""
    form = form_of(read_questions(tool_input))
    try:
        check_form(form)
        check_form(_with_values(form))
    except Faults as error:
        raise error.with_paths(_PATHS_OF_FORM) from None
    return form


def _with_values(form: Json) -> Json:
    """Return a form whose options have their labels as values, as a client sends them.

    Their check is stricter: a label may have line breaks.
    """
    sections = [
        {
            **section,
            "fields": [
                {**field, "options": [*map(spelled_out, field["options"])]} for field in section["fields"]
            ],
        }
        for section in form["sections"]
    ]
    return {**form, "sections": sections}


_QUESTION = r"form\.sections\[(\d+)\]"
_PATHS_OF_FORM = (
    (rf"{_QUESTION}\.title", r"input.questions[\1].header"),
    (rf"{_QUESTION}\.fields\[0\]\.options\[(\d+)\]\.value", r"input.questions[\1].options[\2].label"),
    (rf"{_QUESTION}\.fields\[0\]\.options", r"input.questions[\1].options"),
    (rf"{_QUESTION}\.fields\[0\]\.label", r"input.questions[\1].question"),
    (rf"{_QUESTION}\.fields\[0\]\.description", r"input.questions[\1].options"),
    ("form", "input.questions"),
)


@dataclass(frozen=True, slots=True)
class CardQuestion:
    """A question as a card shows it: a unique `text`, and a unique label for each value.

    In a list of labels, one that has another in it, as `A, B` has `A`, is quoted, so that the list can be read.
    """

    field_id: str
    text: str
    multiple: bool
    options: Mapping[str, OptionValue]
    wire: Json
    """It in Claude's shape."""

    def read(self, answer: str | list[str]) -> OptionValue | list[OptionValue]:
        """Return the value of an answer: labels, one after the other, and the person's own words at the end."""
        if not self.multiple:
            return self.options.get(cast("str", answer), cast("str", answer))
        parts = answer if isinstance(answer, list) else self._split(answer)
        return [self.options.get(part, part) for part in parts]

    def write(self, value: object) -> str:
        """Return a value as text, which `read` reads."""
        labels = {item: label for label, item in self.options.items()}
        if not isinstance(value, list):
            return labels.get(cast("OptionValue", value), str(value))
        values = cast("list[OptionValue]", value)
        return SEPARATOR.join(
            labels.get(value) or _quoted_beside(str(value), self.options) for value in values
        )

    def _split(self, text: str) -> list[str]:
        parts = list[str]()
        remaining_text = f"{text}{SEPARATOR}" if text else ""
        while remaining_text:
            labels = (option for option in self.options if option not in parts)
            part = next((label for label in labels if remaining_text.startswith(f"{label}{SEPARATOR}")), None)
            parts.append(remaining_text.removesuffix(SEPARATOR) if part is None else part)
            remaining_text = "" if part is None else remaining_text[len(part) + len(SEPARATOR) :]
        return parts


def card_of(form: Form | None, languages: Sequence[str] = ()) -> list[CardQuestion] | None:
    """Return a form as questions; None without one, or if it has a field that they cannot ask."""
    if form is None:
        return None
    headers = {item.id: section.title for section in form.sections or () for item in section.fields}
    texts = _unique([choose(form.names[item.id], languages) for item in form.all_fields])
    questions = list[CardQuestion]()
    for field, text in zip(form.all_fields, texts, strict=True):
        options, multiple = _options_of(field), isinstance(field, Multiselect)
        if options is None:
            return None
        labels = _unique([choose(option.label, languages) for option in options])
        if multiple:
            labels = _unique([_quoted_beside(label, labels) for label in labels])
        options_by_label = dict(zip(labels, options, strict=True))
        descriptions = {
            label: choose(option.description, languages) for label, option in options_by_label.items()
        }
        described_options = [
            {"label": label, "description": description} for label, description in descriptions.items()
        ]
        header = choose(headers.get(field.id), languages)[:MAX_HEADER]
        wire = {"question": text, "header": header, "options": described_options, "multiSelect": multiple}
        values = {label: option.value for label, option in options_by_label.items()}
        questions.append(CardQuestion(field.id, text, multiple, values, wire))
    return questions


def _options_of(field: AnyField) -> Sequence[Option] | None:
    """Return the options that a card shows for a field; None if it cannot ask for it."""
    if field.sensitive or field.readonly or field.visible_if is not None:
        return None
    if isinstance(field, Select | Radio | Multiselect):
        return field.options if field.options_from is None else None
    return () if isinstance(field, Text | Textarea) else None


def read_answers(questions: Iterable[CardQuestion], answers: Mapping[str, Any]) -> dict[str, Any]:
    """Return answers by the text of their questions as values by field id; raises `Faults`."""
    report = Report()
    questions_by_text = {question.text: question for question in questions}
    values = dict[str, Any]()
    for text, answer in answers.items():
        question = questions_by_text.get(text)
        if question is None:
            report.add("answers", "unknown_field.key")
        elif isinstance(answer, str) or (question.multiple and _is_texts(answer)):
            values[question.field_id] = question.read(answer)
        else:
            report.add("answers", "wrong_type.string")
    report.finish()
    return values


def write_answers(questions: Iterable[CardQuestion], values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of an answer by the text of their questions."""
    return {
        question.text: question.write(values[question.field_id])
        for question in questions
        if question.field_id in values
    }


def annotated(tool_input: Mapping[str, Any], answers: Mapping[str, str]) -> Json:
    """Return the members for the answers in the input of the tool: `answers`, and `annotations` for chosen previews.

    Claude reads the preview of the option that was chosen for a question, if only one can be.
    """
    annotations = {
        question.question: {"preview": option.preview_text}
        for question in read_questions(tool_input)
        for option in question.options
        if not question.multiple and option.preview_text and answers.get(question.question) == option.label
    }
    return {"answers": dict(answers), **({"annotations": annotations} if annotations else {})}


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in cast("list[object]", value))


def _unique(texts: Sequence[str]) -> list[str]:
    """Number texts that are there before: `Which?`, `Which? (2)`."""
    unique_texts = list[str]()
    for text in texts:
        numbered = (f"{text} ({number})" for number in count(2))
        unused_texts = (item for item in numbered if item not in unique_texts and item not in texts)
        unique_texts.append(next(unused_texts) if text in unique_texts else text)
    return unique_texts


def _quoted_beside(text: str, labels: Iterable[str]) -> str:
    """Return a text as it is, or quoted if one of the other labels is in it."""
    text_with_separators = f"{SEPARATOR}{text}{SEPARATOR}"
    hidden = any(
        f"{SEPARATOR}{label}{SEPARATOR}" in text_with_separators for label in labels if label != text
    )
    return json.dumps(text, ensure_ascii=False) if hidden else text
