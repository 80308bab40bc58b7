"""Checks one field: its texts, options, bounds and default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from askback.domain.faults import join
from askback.domain.fields import (
    AnyField,
    Date,
    Datetime,
    File,
    Messages,
    Multiselect,
    Number,
    Radio,
    Rows,
    Select,
    Text,
    Textarea,
    Time,
)
from askback.domain.files import ACCEPT
from askback.domain.limits import SAFE_INTEGER, Limits
from askback.domain.options import Option, OptionsFrom, OptionValue
from askback.domain.patterns import TOO_LARGE, compile_pattern
from askback.domain.validation.report import Report
from askback.domain.validation.rows import RowRules
from askback.domain.validation.text_check import TextCheck
from askback.domain.validation.value import is_provided, moment_reader, read_value
from askback.messages.languages import LocalText

MAX_INSTRUCTIONS = 300_000
"""The maximum number of RE2 instructions for all patterns of a form: about 0.1 s, during which others wait."""

_WITH_OPTIONS = (Select, Radio, Multiselect)

Raw = Any
"""An unparsed list; the spelling of an item decides the path of its fault."""


class FieldRules:
    """Checks fields one by one."""

    def __init__(self, report: Report, text_check: TextCheck, limits: Limits) -> None:
        self.report = report
        self.text_check = text_check
        self.limits = limits
        self._instructions = 0
        self.row_rules = RowRules(report, text_check, limits, self.check)
        self._rules: dict[str, Callable[[str, Any], None]] = {
            "text": self.check_text,
            "textarea": self.check_text,
            "number": self.check_number,
            "multiselect": self.check_choices,
            "date": self.check_moment,
            "time": self.check_moment,
            "datetime": self.check_moment,
            "file": self.check_file,
        }

    def check(self, path: str, field: AnyField, raw: Raw, index: int) -> bool:
        """Report every fault of a field; returns whether its rules can be used to check a value.

        `raw[index]` is the unparsed field.
        """
        if self.text_check.suspicious or not self.is_plain(field):
            self.check_texts(path, field)
        if field.messages is not None:
            self.check_messages(path, field, field.messages)
        fault_count = self.report.count
        if isinstance(field, _WITH_OPTIONS):
            self.check_options(path, field, raw, index)
        elif isinstance(field, Rows):
            self.row_rules.check(path, field, raw[index])
        rule = self._rules.get(field.type)
        if rule is not None:
            rule(path, field)
            if (pattern := getattr(field, "pattern", None)) is not None:
                self.check_pattern(join(path, "pattern"), pattern)
        is_sound = self.report.count == fault_count
        if field.default is not None and field.sensitive:
            self.report.add(join(path, "default"), "default_of_sensitive")
        elif field.default is not None:
            self.check_default(path, field, is_sound=is_sound)
        return is_sound

    def is_plain(self, field: AnyField) -> bool:
        """Return whether a quick check finds nothing wrong with the texts of a field."""
        limits = self.limits
        return (
            0 < len(field.id) <= limits.field_id
            and field.id[0].isalnum()
            and (field.label is None or _is_line(field.label, limits.label))
            and (field.description is None or _fits_limit(field.description, limits.description))
            and (field.placeholder is None or _fits_limit(field.placeholder, limits.placeholder))
        )

    def check_texts(self, path: str, field: AnyField) -> None:
        """Check the texts of a field in detail."""
        text_check, limits = self.text_check, self.limits
        text_check.line(path, "id", field.id, limits.field_id)
        text_check.line(path, "label", field.label, limits.label, lines=True)
        text_check.lines(path, "description", field.description, limits.description)
        text_check.hint(path, "placeholder", field.placeholder, limits.placeholder)

    def check_messages(self, path: str, field: AnyField, messages: Messages) -> None:
        """Check the messages, each for a rule that the field can have."""
        path = join(path, "messages")
        keys = {"required", "type", *type(field).model_fields}
        for rule, text in messages:
            if text is not None and rule not in keys:
                self.report.add(join(path, rule), "constraint_not_allowed", type=field.type)
            else:
                self.text_check.line(path, rule, text, self.limits.rule_message, lines=True)

    def check_text(self, path: str, field: Text | Textarea) -> None:
        """Check that lengths are in order and possible, and that RE2 compiles the pattern."""
        limit = self.limits.textarea_answer if field.type == "textarea" else self.limits.text_answer
        if field.min_length is not None or field.max_length is not None:
            self.check_counts(path, field, "length", limit)
        self.text_check.line(
            path, "pattern_message", field.pattern_message, self.limits.rule_message, lines=True
        )

    def check_pattern(self, path: str, pattern: str) -> None:
        """Check a pattern; it may contain any character, because it is not shown."""
        if not pattern.strip():
            self.report.add(path, "empty")
        elif len(pattern) > self.limits.pattern:
            self.report.add(path, "too_long", max=self.limits.pattern)
        elif self._instructions >= MAX_INSTRUCTIONS:
            self.report.add(
                path, "invalid_pattern", reason="the patterns of this form are too large together"
            )
        else:
            try:
                self._instructions += compile_pattern(pattern).size
            except ValueError as reason:
                self.report.add(path, "invalid_pattern", reason=str(reason))
                if str(reason) == TOO_LARGE:
                    self._instructions = MAX_INSTRUCTIONS

    def check_counts(self, path: str, field: Text | Textarea | Multiselect, noun: str, limit: int) -> None:
        """Check that `min_<what>` and `max_<what>` are possible and in order."""
        minimum, maximum = getattr(field, f"min_{noun}"), getattr(field, f"max_{noun}")
        fault_count = self.report.count
        for name, value, smallest in ((f"min_{noun}", minimum, 0), (f"max_{noun}", maximum, 1)):
            if value is not None and value < smallest:
                self.report.add(join(path, name), "below_min", min=smallest)
            elif value is not None and value > limit:
                self.report.add(join(path, name), "above_max", max=limit)
        if (
            self.report.count == fault_count
            and minimum is not None
            and maximum is not None
            and minimum > maximum
        ):
            self.report.add(join(path, f"min_{noun}"), "contradiction")

    def check_number(self, path: str, field: Number) -> None:
        """Check that bounds are in order, the step is positive, and no number would be rounded."""
        fault_count = self.report.count
        for name, value in (("min", field.min), ("max", field.max), ("step", field.step)):
            if value is not None and abs(value) > SAFE_INTEGER:
                self.report.add(join(path, name), "number_too_large")
            elif name == "step" and value is not None and value <= 0:
                self.report.add(join(path, name), "below_min.step")
        bounds_sound = self.report.count == fault_count or field.step is not None
        if bounds_sound and field.min is not None and field.max is not None and field.min > field.max:
            self.report.add(join(path, "min"), "contradiction")

    def check_moment(self, path: str, field: Date | Time | Datetime) -> None:
        """Check that bounds are valid and in order."""
        if field.min is None and field.max is None:
            return
        read = moment_reader(field)
        minimum, maximum = (None if bound is None else read(bound) for bound in (field.min, field.max))
        for name, bound, moment in (("min", field.min, minimum), ("max", field.max, maximum)):
            if bound is not None and moment is None:
                self.report.add(join(path, name), f"invalid_{field.type}.bound")
        if minimum is not None and maximum is not None and minimum > maximum:
            self.report.add(join(path, "min"), "contradiction")

    def check_file(self, path: str, field: File) -> None:
        """Check the bounds and the accepted types of a file field, which is never sensitive."""
        limits = self.limits
        for name, value, limit in (
            ("max_files", field.max_files, limits.files),
            ("max_bytes", field.max_bytes, limits.file_bytes),
        ):
            if value is not None and value < 1:
                self.report.add(join(path, name), "below_min", min=1)
            elif value is not None and value > limit:
                self.report.add(join(path, name), "above_max", max=limit)
        if field.sensitive:
            self.report.add(join(path, "sensitive"), "constraint_not_allowed", type="file")
        if field.accept is None:
            return
        if not field.accept:
            self.report.add(join(path, "accept"), "empty")
        elif len(field.accept) > limits.accepted_types:
            self.report.add(join(path, "accept"), "too_many", max=limits.accepted_types)
        for index, item in enumerate(field.accept[: limits.accepted_types]):
            if not ACCEPT.fullmatch(item):
                self.report.add(f"{path}.accept[{index}]", "invalid_accept")

    def check_choices(self, path: str, field: Multiselect) -> None:
        """Check that there are enough options for the number of choices, unless the person may add some."""
        if field.min_choices is None and field.max_choices is None:
            return
        has_source = field.options_from is not None
        self.check_counts(
            path, field, "choices", self.limits.sourced_choices if has_source else self.limits.options
        )
        count = len(field.options)
        if has_source or field.allow_other or not count:
            return
        for name, value in (("min_choices", field.min_choices), ("max_choices", field.max_choices)):
            option_path = join(path, name)
            if value is not None and value > count and not self.report.has_fault(option_path):
                self.report.add(option_path, "contradiction.choices", count=count)

    def check_options(self, path: str, field: Select | Radio | Multiselect, raw: Raw, index: int) -> None:
        """Check that there are options, not too many, and that they are distinct."""
        if field.options_from is not None:
            self.check_source(path, field, field.options_from)
            return
        options = field.options
        if not options:
            self.report.add(join(path, "options"), "option_required")
        elif len(options) > self.limits.options:
            self.report.add(join(path, "options"), "too_many", max=self.limits.options)
        values: set[OptionValue] = set()
        for position, option in enumerate(options[: self.limits.options]):
            is_repeated = option.value in values
            if self.text_check.suspicious or is_repeated or not self.is_fit(option):
                self.report_option(path, option, raw, index, position, is_repeated=is_repeated)
            values.add(option.value)

    def check_source(self, path: str, field: Select | Radio | Multiselect, source: OptionsFrom) -> None:
        """Check a field whose options come from a source; whether the server has the source is checked later."""
        self.text_check.line(join(path, "options_from"), "source", source.source, self.limits.identifier)
        for key in ("sensitive", "allow_other", "options"):
            if getattr(field, key):
                self.report.add(join(path, key), "constraint_not_allowed.source")
        if getattr(field, "widget", None) not in (None, "dropdown"):
            self.report.add(join(path, "widget"), "constraint_not_allowed.source")

    def is_fit(self, option: Option) -> bool:
        """Return whether a quick check finds nothing wrong with the texts of an option."""
        limits, value = self.limits, option.value
        return (
            isinstance(value, str)
            and 0 < len(value) <= limits.option_value
            and value[0].isalnum()
            and _is_line(option.label, limits.option_label)
            and (option.description is None or _fits_limit(option.description, limits.option_description))
        )

    def report_option(
        self, path: str, option: Option, raw: Raw, index: int, position: int, *, is_repeated: bool
    ) -> None:
        """Check an option in detail; its spelling decides the path: a string, an object, with a value or without."""
        path = f"{path}.options[{position}]"
        sent_option = _member(_member(_member(raw, index), "options"), position)
        has_value = isinstance(sent_option, Mapping) and "value" in sent_option
        label_path = path if isinstance(sent_option, str) else join(path, "label")
        self.text_check.at(label_path, option.label, self.limits.option_label, lines=True)
        if has_value:
            self.check_option_value(join(path, "value"), option.value)
        self.text_check.lines(path, "description", option.description, self.limits.option_description)
        if is_repeated:
            self.report.add(join(path, "value") if has_value else label_path, "duplicate_option")

    def check_option_value(self, path: str, value: OptionValue) -> None:
        """Check a provided value: an empty text is valid, a text of only white space is not."""
        if not isinstance(value, str):
            if abs(value) > SAFE_INTEGER:
                self.report.add(path, "number_too_large")
        elif value:
            self.text_check.at(path, value, self.limits.option_value)

    def check_default(self, path: str, field: AnyField, *, is_sound: bool) -> None:
        """Check that the default is a valid value of the field, which need not be required."""
        path = join(path, "default")
        is_fine = self.text_check.value(path, field.default, lines=field.type == "textarea")
        if not is_sound or not is_fine:
            return
        is_single_choice = field.type in ("select", "radio")
        if not is_provided(field, field.default):
            if is_single_choice and field.default == "":
                self.report.add(path, "default_not_in_options")
            return
        faults = read_value(field, field.default, limits=self.limits, required=False).faults
        if faults:
            is_no_option = is_single_choice and faults[0][1] == "value_not_in_options"
            self.report.add(path, "default_not_in_options" if is_no_option else "invalid_default")


def _is_line(text: LocalText, limit: int) -> bool:
    return isinstance(text, str) and 0 < len(text) <= limit and text[0].isalnum()


def _fits_limit(text: LocalText, limit: int) -> bool:
    return isinstance(text, str) and len(text) <= limit


def _member(raw: Any, step: str | int) -> Any:
    """Return a member of the sent body; None if it was added later, such as the Yes and No of a confirm."""
    try:
        return raw[step]
    except (TypeError, KeyError, IndexError):
        return None
