"""Checks an answer against its form: returns normalized values, or raises all faults together.

An answer comes from a person, from the initial values and defaults of the form, or from a message in the thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple, cast

from askback.domain.faults import Faults, fault, join
from askback.domain.fields import AnyField, File, Form, Multiselect, Radio, Select, Text, Textarea
from askback.domain.files import NO_UPLOADS, Uploads
from askback.domain.limits import DEFAULTS, Limits
from askback.domain.options import OptionValue, value_text
from askback.domain.rows import flat_form, fold_values, has_rows, value_path
from askback.domain.validation.report import Report, join_key
from askback.domain.validation.rows import read_rows
from askback.domain.validation.value import fixed_value, is_provided, own_message, read_files, read_value
from askback.domain.validation.visibility import hidden_fields, is_box
from askback.domain.values import frozen
from askback.messages.languages import spellings


class CleanedAnswer(NamedTuple):
    """A checked answer: values by field id, the fields answered with "Other", and the skipped questions."""

    values: dict[str, Any]
    other: dict[str, bool]
    skipped: dict[str, bool]
    control: str | None = None

    @property
    def answer(self) -> dict[str, Any]:
        """The answer as stored in the state of a request."""
        optional_members = {"other": self.other, "skipped": self.skipped, "control": self.control}
        return {"values": self.values, **{name: part for name, part in optional_members.items() if part}}


def check_answer(
    form: Form,
    values: object,
    skipped: Sequence[str] = (),
    *,
    control: str | None = None,
    limits: Limits = DEFAULTS,
    uploads: Uploads = NO_UPLOADS,
) -> CleanedAnswer:
    """Return the cleaned answer: typed values in the order of the form, without empty ones.

    `skipped` are the ids of fields with `allow_skip` that the person skipped, `uploads` the files that the answer may
    name. An answer without values is valid if every field is optional or skipped. `control` is the
    field that answers a form with `submit` `first` or `each`. Raises `Faults` with paths such as
    `values.email`, `values.topics[1]` and `skipped[0]`. `form` must be one that `check_form` accepted.
    """
    report = Report()
    if not isinstance(values, Mapping):
        report.add("values", "wrong_type.answers")
        report.finish()
    sent_values = cast("Mapping[str, object]", values)
    if form.submit != "form":
        form = only_field(form, sent_values, skipped, control, report)
    elif control is not None:
        report.add("control", "unknown_field.key")
        report.finish()
    form_of_request = form
    if has_rows(form):
        form, sent_values = flat_form(form), read_rows(form, sent_values, report)
        report.finish()
    hidden = hidden_fields(form, sent_values, skipped)
    if not sent_values and not skipped and not is_optional(form, hidden):
        report.add("values", "empty.values")
    answer = _AnswerReader(form, sent_values, hidden, report, limits, uploads)
    if skipped:
        answer.read_skipped(skipped)
    answer.read()
    if len(sent_values) > answer.present:
        field_ids = {field.id for field in form.all_fields}
        for key in sent_values:
            if report.is_full:
                break
            if key not in field_ids:
                report.add(join_key("values", str(key)), "unknown_field")
    report.finish()
    if form is not form_of_request:
        own_texts = {id_.partition("\n")[0]: True for id_ in answer.other}
        return CleanedAnswer(fold_values(form_of_request, answer.values), own_texts, answer.skipped)
    return CleanedAnswer(answer.values, answer.other, answer.skipped, control)


def only_field(
    form: Form, sent_values: Mapping[str, object], skipped: Sequence[str], control: str | None, report: Report
) -> Form:
    """Return the form with the one field that answers it, required, and those that are read-only.

    Raises `Faults` if there is no such field, or if another has a value.
    """
    fields = {field.id: field for field in form.all_fields}
    field = fields.get(control or "")
    if control is None:
        report.add("control", "missing_required")
    elif field is None:
        report.add("control", "unknown_field")
    elif field.readonly:
        report.add("control", "readonly_field")
    for index in range(len(skipped)):
        report.add(f"skipped[{index}]", "skip_not_allowed.question")
    for id_, other_field in fields.items():
        if id_ != control and not other_field.readonly and is_provided(other_field, sent_values.get(id_)):
            report.add(value_path(id_), "other_control")
    report.finish()
    assert field is not None
    single_field = field if is_box(field) else field.model_copy(update={"required": True})
    unanswered = [
        item if item.readonly else item.model_copy(update={"required": False}) for item in form.all_fields
    ]
    return form.model_copy(
        update={
            "fields": [single_field if item.id == control else item for item in unanswered],
            "sections": None,
        }
    )


def is_optional(form: Form, hidden: Collection[str] = ()) -> bool:
    """Return whether a form may be submitted empty: each field is optional, hidden, or in an optional section (N18)."""
    sections = form.sections or ()
    required = [
        *(form.fields or ()),
        *(field for section in sections if not section.optional for field in section.fields),
    ]
    return not any(field.required and not field.readonly and field.id not in hidden for field in required)


class _AnswerReader:
    """The reading of one answer."""

    __slots__ = (
        "form",
        "hidden",
        "limits",
        "other",
        "present",
        "report",
        "sent_values",
        "skipped",
        "uploads",
        "values",
    )

    def __init__(
        self,
        form: Form,
        sent_values: Mapping[str, object],
        hidden: Collection[str],
        report: Report,
        limits: Limits,
        uploads: Uploads,
    ) -> None:
        self.form = form
        self.sent_values = sent_values
        self.hidden = hidden
        self.uploads = uploads
        self.report = report
        self.limits = limits
        self.values: dict[str, Any] = {}
        self.other: dict[str, bool] = {}
        self.skipped: dict[str, bool] = {}
        self.present = 0

    def read(self) -> None:
        """Read every field."""
        if self.form.sections is None:
            self.read_fields(self.form.fields or ())
        else:
            for section in self.form.sections:
                self.read_fields(
                    section.fields, skipped=section.optional and self.is_untouched(section.fields)
                )

    def read_skipped(self, ids: Sequence[str]) -> None:
        """Read which questions the person skipped; each may be skipped and has no value."""
        fields = {field.id: field for field in self.form.all_fields}
        for index, id_ in enumerate(ids):
            field = fields.get(id_)
            if key := self.skip_fault(field, id_):
                self.report.add(f"skipped[{index}]", key)
            self.skipped[id_] = True
        self.skipped = {id_: True for id_ in fields if id_ in self.skipped}

    def skip_fault(self, field: AnyField | None, id_: str) -> str | None:
        """Return the key of the fault of one skipped question."""
        if field is None:
            return "unknown_field"
        if id_ in self.hidden:
            return "hidden_field"
        if not field.allow_skip or field.readonly:
            return "skip_not_allowed.question"
        if id_ in self.skipped:
            return "duplicate_selection.question"
        return "skipped_with_value" if is_provided(field, self.sent_values.get(id_)) else None

    def is_untouched(self, fields: Sequence[AnyField]) -> bool:
        """Return whether nothing was filled in; an unticked box counts as nothing."""
        return not any(
            not field.readonly
            and field.id not in self.hidden
            and is_provided(field, raw := self.sent_values.get(field.id))
            and not (raw is False and field.type in ("boolean", "checkbox"))
            for field in fields
        )

    def read_fields(self, fields: Sequence[AnyField], *, skipped: bool = False) -> None:
        """Read the fields of a form or a section; for a skipped section only check that its keys are known."""
        for field in fields:
            if field.id in self.sent_values:
                self.present += 1
            if field.id in self.hidden:
                self.read_hidden(field)
            elif not skipped:
                self.read_field(field)
            elif field.readonly:
                self.read_fixed(field)
                self.values.pop(field.id, None)
            else:
                self.skipped.pop(field.id, None)

    def read_field(self, field: AnyField) -> None:
        """Read one field's value, or report its fault."""
        if field.readonly:
            self.read_fixed(field)
            return
        raw = self.sent_values.get(field.id)
        if not is_provided(field, raw):
            if field.required and field.id not in self.skipped:
                self.add(field, value_path(field.id), "required_missing")
            return
        if isinstance(field, File):
            checked = read_files(field, raw, self.uploads)
        else:
            checked = read_value(field, raw, limits=self.limits, required=field.required)
        if checked.faults:
            path = value_path(field.id)
            for index, key, params in checked.faults:
                self.add(field, path if index is None else join(path, index), key, **params)
            return
        self.values[field.id] = checked.value
        if checked.other:
            self.other[field.id] = True

    def read_hidden(self, field: AnyField) -> None:
        """Refuse a value of a hidden field."""
        if is_provided(field, self.sent_values.get(field.id)):
            self.report.add(value_path(field.id), "hidden_field")

    def read_fixed(self, field: AnyField) -> None:
        """Take the value of a `readonly` field; one that was sent must be the same."""
        expected_value = fixed_value(field, self.form.initial_values or {})
        checked = read_value(field, expected_value, limits=self.limits, required=False)
        raw = self.sent_values.get(field.id)
        if is_provided(field, raw):
            sent_value = read_value(field, raw, limits=self.limits, required=False)
            if sent_value.faults or sent_value.value != checked.value:
                self.report.add(value_path(field.id), "readonly_field")
        self.values[field.id] = checked.value
        if checked.other:
            self.other[field.id] = True

    def add(self, field: AnyField, path: str, key: str, **params: Any) -> None:
        """Report a fault of a field, with the field's own message if there is one."""
        if (message := own_message(field, key)) is not None:
            params["message"] = message
        self.report.add(path, key, **params)


def typed_values(
    form: Form, sent_values: Mapping[str, object], *, limits: Limits = DEFAULTS
) -> dict[str, Any]:
    """Return the values that their fields would accept, without sensitive ones, files and options from a source.

    They came with a decline, which is never refused for its typed values.
    """
    values: dict[str, Any] = {}
    for field in form.all_fields:
        has_source = getattr(field, "options_from", None) is not None
        if field.id not in sent_values or field.sensitive or has_source or field.type == "file":
            continue
        form_of_field = Form(
            fields=[field.model_copy(update={"required": False, "readonly": False, "visible_if": None})]
        )
        with suppress(Faults):
            values |= check_answer(form_of_field, {field.id: sent_values[field.id]}, limits=limits).values
    return values


def default_answer(form: Form, limits: Limits = DEFAULTS) -> CleanedAnswer:
    """Return the initial values and defaults, checked like any answer; raises `Faults` if they are invalid.

    A form without such values has no default answer, even if a person may submit it empty.
    """
    if form.submit != "form":
        raise Faults([fault("control", "missing_required")])
    initial_values = form.initial_values or {}
    sent_values: dict[str, Any] = {
        field.id: initial_values.get(field.id, getattr(field, "default", None)) for field in form.all_fields
    }
    hidden = hidden_fields(form, sent_values)
    answer = check_answer(
        form,
        {name: value for name, value in sent_values.items() if value is not None and name not in hidden},
        limits=limits,
    )
    if not answer.values:
        raise Faults([fault("values", "empty.values")])
    return answer


ReplyFault = Literal["several_fields", "not_for_text", "not_an_option", "ambiguous"]


@frozen(slots=True)
class ParsedReply:
    """The values that a text means, by field id, not yet checked; or the reason why it means none."""

    values: Mapping[str, OptionValue | list[OptionValue]] | None = None
    why: ReplyFault | None = None


def parse_reply(form: Form, text: str) -> ParsedReply:
    """Parse a text as the answer to a form with one field: a free text, or an option by its value or label.

    A label may be in any of its languages. Case is ignored unless it distinguishes two options.
    """
    fields = form.all_fields
    if len(fields) != 1:
        return ParsedReply(why="several_fields")
    field, reply_text = fields[0], text.strip()
    if field.sensitive or getattr(field, "options_from", None) is not None:
        return ParsedReply(why="not_for_text")
    if isinstance(field, Text | Textarea):
        return ParsedReply({field.id: reply_text})
    if not isinstance(field, Select | Radio | Multiselect):
        return ParsedReply(why="not_for_text")
    option = _matching(field, reply_text, str) or _matching(field, reply_text, str.casefold)
    if len(option) != 1:
        return ParsedReply(why="ambiguous" if option else "not_an_option")
    return ParsedReply({field.id: [option[0]] if isinstance(field, Multiselect) else option[0]})


def _matching(
    field: Select | Radio | Multiselect, reply_text: str, normalize: Callable[[str], str]
) -> Sequence[OptionValue]:
    normalized = normalize(reply_text)
    return [
        option.value
        for option in field.options
        if normalized == normalize(value_text(option.value))
        or any(normalized == normalize(label) for _, label in spellings(option.label))
    ]
