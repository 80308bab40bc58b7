"""The rules of one field: its texts, its options, its bounds and its default."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from askback.domain.faults import join
from askback.domain.fields import (
    AnyField,
    Date,
    Datetime,
    Multiselect,
    Number,
    Option,
    Radio,
    Select,
    Text,
    Textarea,
    Time,
)
from askback.domain.limits import SAFE_INTEGER, Limits
from askback.domain.patterns import TOO_LARGE, compile_pattern
from askback.domain.validation.prose import Prose
from askback.domain.validation.report import Report
from askback.domain.validation.value import MOMENT_READERS, is_provided, read_value

MOST_INSTRUCTIONS = 300_000
"""RE2 instructions that the patterns of one form may compile to: about 0.1 s, while all others wait."""

_WITH_OPTIONS = (Select, Radio, Multiselect)

Raw = Any
"""A list as it was sent, where how something was spelt decides the path of its fault."""


class FieldRules:
    """Checks fields one by one."""

    def __init__(self, report: Report, prose: Prose, limits: Limits) -> None:
        self.report = report
        self.prose = prose
        self.limits = limits
        self._instructions = 0
        self._rules: dict[str, Callable[[str, Any], None]] = {
            "text": self.check_text,
            "textarea": self.check_text,
            "number": self.check_number,
            "multiselect": self.check_choices,
            "date": self.check_moment,
            "time": self.check_moment,
            "datetime": self.check_moment,
        }

    def check(self, path: str, field: AnyField, raw: Raw, index: int) -> bool:
        """Report every fault of a field; returns whether its rules can be used to check a value.

        `raw[index]` is the field as it was sent.
        """
        if self.prose.suspicious or not self.is_plain(field):
            self.check_texts(path, field)
        before = self.report.count
        if isinstance(field, _WITH_OPTIONS):
            self.check_options(path, field, raw, index)
        rule = self._rules.get(field.type)
        if rule is not None:
            rule(path, field)
        sound = self.report.count == before
        if field.default is not None and field.sensitive:
            self.report.add(join(path, "default"), "default_of_sensitive")
        elif field.default is not None:
            self.check_default(path, field, sound=sound)
        return sound

    def is_plain(self, field: AnyField) -> bool:
        """Whether the texts of a field have nothing wrong with their size, as far as a glance can tell."""
        limits = self.limits
        return (
            0 < len(field.id) <= limits.field_id
            and 0 < len(field.label) <= limits.label
            and field.id[0].isalnum()
            and field.label[0].isalnum()
            and (field.description is None or len(field.description) <= limits.description)
            and (field.placeholder is None or len(field.placeholder) <= limits.placeholder)
        )

    def check_texts(self, path: str, field: AnyField) -> None:
        """Look at the texts of a field closely."""
        prose, limits = self.prose, self.limits
        prose.line(path, "id", field.id, limits.field_id)
        prose.line(path, "label", field.label, limits.label)
        prose.lines(path, "description", field.description, limits.description)
        prose.hint(path, "placeholder", field.placeholder, limits.placeholder)

    def check_text(self, path: str, field: Text | Textarea) -> None:
        """Lengths in order and reachable, a pattern that RE2 compiles."""
        most = self.limits.textarea_answer if field.type == "textarea" else self.limits.text_answer
        if field.min_length is not None or field.max_length is not None:
            self.check_counts(path, field, "length", most)
        self.prose.line(path, "pattern_message", field.pattern_message, self.limits.pattern_message)
        if field.pattern is not None:
            self.check_pattern(join(path, "pattern"), field.pattern)

    def check_pattern(self, path: str, pattern: str) -> None:
        """A pattern is not shown, so any character may stand in it."""
        if not pattern.strip():
            self.report.add(path, "empty")
        elif len(pattern) > self.limits.pattern:
            self.report.add(path, "too_long", max=self.limits.pattern)
        elif self._instructions >= MOST_INSTRUCTIONS:
            self.report.add(
                path, "invalid_pattern", reason="the patterns of this form are too large together"
            )
        else:
            try:
                self._instructions += compile_pattern(pattern).size
            except ValueError as reason:
                self.report.add(path, "invalid_pattern", reason=str(reason))
                if str(reason) == TOO_LARGE:
                    self._instructions = MOST_INSTRUCTIONS

    def check_counts(self, path: str, field: Text | Textarea | Multiselect, what: str, most: int) -> None:
        """`min_<what>` and `max_<what>` are possible and in order."""
        low, high = getattr(field, f"min_{what}"), getattr(field, f"max_{what}")
        before = self.report.count
        for name, value, least in ((f"min_{what}", low, 0), (f"max_{what}", high, 1)):
            if value is not None and value < least:
                self.report.add(join(path, name), "below_min", min=least)
            elif value is not None and value > most:
                self.report.add(join(path, name), "above_max", max=most)
        if self.report.count == before and low is not None and high is not None and low > high:
            self.report.add(join(path, f"min_{what}"), "contradiction")

    def check_number(self, path: str, field: Number) -> None:
        """Bounds in order, a step that goes forward, nothing that a reader would round."""
        before = self.report.count
        for name, value in (("min", field.min), ("max", field.max), ("step", field.step)):
            if value is not None and abs(value) > SAFE_INTEGER:
                self.report.add(join(path, name), "number_too_large")
            elif name == "step" and value is not None and value <= 0:
                self.report.add(join(path, name), "below_min.step")
        bounds_sound = self.report.count == before or field.step is not None
        if bounds_sound and field.min is not None and field.max is not None and field.min > field.max:
            self.report.add(join(path, "min"), "contradiction")

    def check_moment(self, path: str, field: Date | Time | Datetime) -> None:
        """Bounds that are real and in order."""
        if field.min is None and field.max is None:
            return
        read = MOMENT_READERS[field.type]
        low, high = (None if bound is None else read(bound) for bound in (field.min, field.max))
        for name, bound, moment in (("min", field.min, low), ("max", field.max, high)):
            if bound is not None and moment is None:
                self.report.add(join(path, name), f"invalid_{field.type}.bound")
        if low is not None and high is not None and low > high:
            self.report.add(join(path, "min"), "contradiction")

    def check_choices(self, path: str, field: Multiselect) -> None:
        """As many choices as there are options, unless the person may add some."""
        if field.min_choices is None and field.max_choices is None:
            return
        self.check_counts(path, field, "choices", self.limits.options)
        count = len(field.options)
        if field.allow_other or not count:
            return
        for name, value in (("min_choices", field.min_choices), ("max_choices", field.max_choices)):
            place = join(path, name)
            if value is not None and value > count and not self.report.has(place):
                self.report.add(place, "contradiction.choices", count=count)

    def check_options(self, path: str, field: Select | Radio | Multiselect, raw: Raw, index: int) -> None:
        """There are some, not too many, and each can be told from the others."""
        options = field.options
        if not options:
            self.report.add(join(path, "options"), "option_required")
        elif len(options) > self.limits.options:
            self.report.add(join(path, "options"), "too_many", max=self.limits.options)
        values: set[str] = set()
        labels: set[str] = set()
        for place, option in enumerate(options[: self.limits.options]):
            seen = option.value in values, option.label in labels
            if self.prose.suspicious or True in seen or not self.is_fit(option):
                self.report_option(path, option, raw, index, place, seen)
            values.add(option.value)
            labels.add(option.label)

    def is_fit(self, option: Option) -> bool:
        """Whether the texts of an option have nothing wrong with their size, as far as a glance can tell."""
        limits = self.limits
        return (
            0 < len(option.value) <= limits.option_value
            and 0 < len(option.label) <= limits.option_label
            and option.value[0].isalnum()
            and option.label[0].isalnum()
            and (option.description is None or len(option.description) <= limits.option_description)
        )

    def report_option(
        self, path: str, option: Option, raw: Raw, index: int, place: int, seen: tuple[bool, bool]
    ) -> None:
        """Look at an option closely; how it was spelt decides the path: a string, an object, with a value or not."""
        path = f"{path}.options[{place}]"
        spelt = _member(_member(_member(raw, index), "options"), place)
        has_value = isinstance(spelt, Mapping) and "value" in spelt
        label_path = path if isinstance(spelt, str) else join(path, "label")
        self.prose.at(label_path, option.label, self.limits.option_label)
        if has_value:
            self.prose.at(join(path, "value"), option.value, self.limits.option_value)
        self.prose.lines(path, "description", option.description, self.limits.option_description)
        repeats_value, repeats_label = seen
        if has_value and repeats_value:
            self.report.add(join(path, "value"), "duplicate_option")
        if repeats_label or (repeats_value and not has_value):
            self.report.add(label_path, "duplicate_option")

    def check_default(self, path: str, field: AnyField, *, sound: bool) -> None:
        """The field would take its own default; required or not does not matter here."""
        path = join(path, "default")
        is_fine = self.prose.value(path, field.default, lines=field.type == "textarea")
        if not sound or not is_fine:
            return
        single = field.type in ("select", "radio")
        if single and field.default == "":
            self.report.add(path, "default_not_in_options")
            return
        if not is_provided(field, field.default):
            return
        faults = read_value(field, field.default, limits=self.limits, required=False).faults
        if faults:
            stranger = single and faults[0][1] == "value_not_in_options"
            self.report.add(path, "default_not_in_options" if stranger else "invalid_default")


def _member(raw: Any, step: str | int) -> Any:
    """Return a member of what was sent; None for what was filled in, such as the Yes and No of a confirm."""
    try:
        return raw[step]
    except (TypeError, KeyError, IndexError):
        return None
