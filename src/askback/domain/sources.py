"""Sources of options: their queries and their replies.

A source is code or an address of the operator, and may return anything: `read_page` keeps the valid options
and counts the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from askback.domain.fields import AnyField, Form, Multiselect, Radio, Select
from askback.domain.limits import SAFE_INTEGER, Limits
from askback.domain.options import OptionsFrom, OptionValue, spelled_out
from askback.domain.request import InputRequest
from askback.domain.validation.report import Report
from askback.domain.validation.text_check import TextCheck
from askback.domain.values import frozen

Choice = Select | Radio | Multiselect


class SourceOption(BaseModel):
    """An option of a source; its `value` is a text that is not empty, or a number.

    A `disabled` option, such as a folder, is shown and cannot be chosen. `has_children` means that options are below
    it, in a field with `tree`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True, allow_inf_nan=False)

    value: OptionValue
    label: str
    description: str | None = None
    has_children: bool = False
    disabled: bool = False


class OptionPage(BaseModel):
    """Options of a source. `next_cursor` is for the next page; it is absent on the last one."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    options: list[SourceOption]
    next_cursor: str | None = None


OptionReply = OptionPage | Sequence[SourceOption | Mapping[str, Any] | str] | Mapping[str, Any]
"""A source's options; a plain string is an option whose value is its label."""


@frozen(slots=True)
class OptionQuery:
    """A search of a source, or with `values` a lookup of the options with these values.

    `q` is the search text, `parent` the value of the option that the person opened, as text; at most `limit` options
    are read. `user` is the host's id of the person, None while the agent asks. `request` is the request as
    its agent reads it, None during its creation: then the default and the initial value of the field are
    looked up.
    """

    source: str
    field: str
    q: str = ""
    parent: str | None = None
    limit: int = 50
    cursor: str | None = None
    values: tuple[OptionValue, ...] | None = None
    user: str | None = None
    request: InputRequest | None = None

    def page(self, options: Iterable[SourceOption | Mapping[str, Any] | str]) -> OptionPage:
        """Return the reply to this query from all options of a source, which must be valid."""
        all_options = [SourceOption.model_validate(spelled_out(option)) for option in options]
        if self.values is not None:
            return OptionPage(options=[option for option in all_options if option.value in self.values])
        words = self.q.casefold().split()
        matches = [option for option in all_options if _matches(option, words)]
        start = int(self.cursor) if self.cursor is not None and self.cursor.isdecimal() else 0
        end = start + self.limit
        return OptionPage(options=matches[start:end], next_cursor=str(end) if end < len(matches) else None)


def _matches(option: SourceOption, words: Sequence[str]) -> bool:
    text = f"{option.label} {option.description or ''}".casefold()
    return all(word in text for word in words)


def values_of(value: object) -> list[OptionValue]:
    """Return the values of one choice or of several."""
    if value is None:
        return []
    return cast("list[OptionValue]", value if isinstance(value, list) else [value])


class SourcedField(NamedTuple):
    """A field whose options come from a source, and its place in the body."""

    path: str
    field: Choice
    source: OptionsFrom


def sourced_fields(form: Form, path: str = "form") -> Iterator[SourcedField]:
    """Return the fields of a form whose options come from a source."""
    groups: list[tuple[str, Sequence[AnyField]]] = [(f"{path}.fields", form.fields or ())]
    groups += [
        (f"{path}.sections[{n}].fields", section.fields) for n, section in enumerate(form.sections or ())
    ]
    for group_path, fields in groups:
        for index, field in enumerate(fields):
            # `isinstance` of a model is slow, and so is a missing attribute.
            source: OptionsFrom | None = vars(field).get("options_from")
            if source is not None:
                yield SourcedField(f"{group_path}[{index}]", cast("Choice", field), source)


def read_page(reply: object, *, limit: int, limits: Limits) -> tuple[OptionPage, int]:
    """Return the valid options among the first `limit` of a reply, and how many are left out.

    Raises `ValueError` for a reply that is not a list of options.
    """
    page = reply.model_dump() if isinstance(reply, OptionPage) else reply
    members = cast("Mapping[str, Any]", page) if isinstance(page, Mapping) else {"options": page}
    raw_options: object = members.get("options")
    if not isinstance(raw_options, list | tuple):
        raise ValueError("not a list of options")
    items = cast("Sequence[object]", raw_options)
    options: dict[OptionValue, SourceOption] = {}
    for item in items[:limit]:
        option = _read(item, limits)
        if option is not None:
            options.setdefault(option.value, option)
    cursor = members.get("next_cursor")
    if not isinstance(cursor, str) or not 0 < len(cursor) <= limits.option_cursor:
        cursor = None
    return OptionPage(options=list(options.values()), next_cursor=cursor), len(items) - len(options)


def _read(item: object, limits: Limits) -> SourceOption | None:
    try:
        option = SourceOption.model_validate(spelled_out(item))
    except ValidationError:
        return None
    report = Report()
    check = TextCheck(report, suspicious=True, limits=limits)
    if isinstance(option.value, str):
        check.at("value", option.value, limits.option_value)
    elif abs(option.value) > SAFE_INTEGER:
        return None
    check.at("label", option.label, limits.option_label, lines=True)
    check.lines("", "description", option.description, limits.option_description)
    return None if report.count else option
