"""Show a field on one line, and parse a typed line. Pure; the rules are in the domain."""

from __future__ import annotations

import re
import string
from datetime import datetime
from typing import Any, cast

from askback.cli.language import language, text
from askback.cli.numbers import parse_number
from askback.domain.fields import (
    AnyField,
    Boolean,
    Checkbox,
    Date,
    Datetime,
    File,
    Multiselect,
    Number,
    Radio,
    Select,
    Textarea,
    Time,
)
from askback.domain.files import most_files
from askback.domain.options import Option, OptionValue, value_text

YES_WORDS = frozenset({"y", "yes", "true", "on", "j", "ja"})
NO_WORDS = frozenset({"n", "no", "false", "off", "nein"})
OWN_TEXT_PREFIX = "="
"""The prefix of a person's own answer, which could otherwise be taken for the key of an option."""


def options_of(field: AnyField) -> list[Option]:
    """Return the options; empty for a typed field."""
    return list(field.options) if isinstance(field, Select | Radio | Multiselect) else []


def keys(options: list[Option]) -> list[str]:
    """Return a short key for each option: numbers, or letters where a label is itself a number."""
    used_words = {
        word.casefold() for option in options for word in (text(option.label), value_text(option.value))
    }
    count = range(1, len(options) + 1)
    for candidate_keys in ([str(n) for n in count], list(string.ascii_lowercase), [f"#{n}" for n in count]):
        if len(candidate_keys) >= len(options) and not used_words & set(candidate_keys):
            return candidate_keys[: len(options)]
    return [f"#{n}" for n in count]


def hint(field: AnyField) -> str:
    """Describe in a few words the expected input, and whether it is shown."""
    return f"{_hint(field)}, not shown" if field.sensitive else _hint(field)


def _hint(field: AnyField) -> str:
    own_text_hint = f", or {OWN_TEXT_PREFIX}your own text" if getattr(field, "allow_other", False) else ""
    match field:
        case Boolean() | Checkbox():
            return "y or n"
        case Multiselect():
            return f"keys or labels with commas between{own_text_hint}"
        case Select() | Radio():
            return f"key or label{own_text_hint}"
        case Textarea():
            return "several lines; finish with a line that has only a full stop"
        case Number():
            return _bounds("number", field.min, field.max)
        case Date():
            return _bounds("YYYY-MM-DD", field.min, field.max)
        case Time():
            return _bounds("HH:MM", field.min, field.max)
        case Datetime():
            local = "" if field.floating else ", local time"
            return _bounds(f"YYYY-MM-DD HH:MM{local}", field.min, field.max)
        case File():
            return "paths of files, with blanks between" if most_files(field) > 1 else "path of a file"
        case _:
            return f"text, such as {text(field.placeholder)}" if field.placeholder else "text"


def parse_line(field: AnyField, line: str) -> Any:
    """Return the value of a line. A line that cannot be parsed is returned as text, which the rules refuse."""
    if not line.strip():
        return None
    match field:
        case Boolean() | Checkbox():
            return _yes_or_no(line)
        case Number():
            return parse_number(line.strip(), language())
        case Multiselect():
            return [_choice(options_of(field), item) for item in _items(field, line)]
        case Select() | Radio():
            return _choice(options_of(field), line)
        case Datetime():
            return line.strip().replace(" ", "T") if field.floating else _moment(line.strip())
        case Date() | Time():
            return line.strip()
        case _:
            return line


def display_text(field: AnyField, value: Any) -> str:
    """Write a value for display: labels for options, Yes and No for booleans; for a secret, that it is set."""
    if field.sensitive:
        return "set"
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(field, File):
        files = cast("list[dict[str, Any]]", value if isinstance(value, list) else [value])
        return join_items([file["name"] for file in files])
    labels = {option.value: text(option.label) for option in options_of(field)}
    if isinstance(value, list):
        return join_items([labels.get(item, str(item)) for item in cast("list[Any]", value)])
    return labels.get(value, str(value))


def join_items(items: list[str]) -> str:
    """Join items with commas, in quotes where an item has its own comma."""
    quoted = any("," in item for item in items)
    return ", ".join(f"“{item}”" if quoted else item for item in items)


def dangerous_labels(field: AnyField, value: Any) -> list[str]:
    """Return the labels of chosen options that need a second confirmation."""
    values = cast("list[Any]", value) if isinstance(value, list) else [value]
    return [text(o.label) for o in options_of(field) if o.style == "danger" and o.value in values]


def _bounds(noun: str, minimum: Any, maximum: Any) -> str:
    limits = (
        f"from {minimum}" if minimum is not None else "",
        f"to {maximum}" if maximum is not None else "",
    )
    return " ".join(part for part in (noun, *limits) if part)


def _yes_or_no(line: str) -> Any:
    word = line.strip().casefold()
    return True if word in YES_WORDS else False if word in NO_WORDS else line


def _items(field: Multiselect, line: str) -> list[str]:
    r"""Split at commas (`\,` is a literal comma), or at spaces if every word is a key."""
    words = line.split()
    if "," not in line and len(words) > 1 and set(words) <= set(keys(options_of(field))):
        return words
    parts = re.split(r"(?<!\\),", line)
    return [part.replace("\\,", ",").strip() for part in parts if part.strip()]


def _choice(options: list[Option], line: str) -> OptionValue:
    word = line.strip()
    if word.startswith(OWN_TEXT_PREFIX):
        return word[len(OWN_TEXT_PREFIX) :].strip()
    by_key = dict(zip(keys(options), options, strict=True))
    if word in by_key:
        return by_key[word].value
    for normalize in (str, str.casefold):
        for spellings in ([text(o.label) for o in options], [value_text(o.value) for o in options]):
            matches = [
                index for index, spelling in enumerate(spellings) if normalize(spelling) == normalize(word)
            ]
            if len(matches) == 1:
                return options[matches[0]].value
    return word


def _moment(text: str) -> str:
    """Add the offset to a local time; the rules check any other text."""
    if not re.fullmatch(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?", text, re.ASCII):
        return text
    try:
        return datetime.fromisoformat(text).astimezone().isoformat()
    except (ValueError, OverflowError):
        return text
