"""Parse typed lines, and escape text for a terminal."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from askback.cli.field_text import display_text, hint, keys, parse_line
from askback.cli.terminal import printable
from askback.domain.fields import (
    AnyField,
    Boolean,
    Checkbox,
    Date,
    Datetime,
    Multiselect,
    Number,
    Radio,
    Select,
    Text,
    Textarea,
    Time,
)
from askback.domain.options import Option

PLACES = [
    Option(value="ber", label="Berlin"),
    Option(value="par", label="Paris, France"),
    Option(value="rom", label="Rome"),
]
CITY = Select(id="c", label="City", options=PLACES, allow_other=True)
CITIES = Multiselect(id="c", label="Cities", options=PLACES, allow_other=True)
NUMBER = Number(id="n", label="N")
FLAG = Boolean(id="b", label="B")


@pytest.mark.parametrize(
    ("field", "line", "value"),
    [
        (Text(id="t", label="T"), " as typed ", " as typed "),
        (Text(id="t", label="T"), "   ", None),
        (Textarea(id="t", label="T"), "line", "line"),
        (NUMBER, "42", 42),
        (NUMBER, " 1,5 ", 1.5),
        (NUMBER, "NaN", "NaN"),
        (FLAG, "Yes", True),
        (FLAG, "n", False),
        (FLAG, "maybe", "maybe"),
        (Checkbox(id="b", label="B"), "y", True),
        (CITY, "2", "par"),
        (CITY, "rome", "rom"),
        (CITY, "ber", "ber"),
        (CITY, "Paris, France", "par"),
        (CITY, "Oslo", "Oslo"),
        (CITY, "=2", "2"),
        (Radio(id="r", label="R", options=PLACES), "3", "rom"),
        (CITIES, "1,3", ["ber", "rom"]),
        (CITIES, "3 1", ["rom", "ber"]),
        (CITIES, "Paris\\, France, Oslo", ["par", "Oslo"]),
        (CITIES, "New York", ["New York"]),
        (CITIES, "1, =3", ["ber", "3"]),
        (Date(id="d", label="D"), " 2026-02-28 ", "2026-02-28"),
        (Time(id="d", label="D"), "09:30", "09:30"),
        (Datetime(id="d", label="D"), "2026-02-28T09:00:00Z", "2026-02-28T09:00:00Z"),
        (Datetime(id="d", label="D"), "2026-02-31 09:00", "2026-02-31 09:00"),
    ],
)
def test_a_line_is_parsed_by_the_type_of_its_field(field: AnyField, line: str, value: Any) -> None:
    result = parse_line(field, line)
    assert result == value
    assert type(result) is type(value)


def test_a_local_time_gets_this_machines_offset() -> None:
    result = parse_line(Datetime(id="d", label="D"), "2026-02-28 09:00")
    assert datetime.fromisoformat(result) == datetime(2026, 2, 28, 9).astimezone()
    assert datetime.fromisoformat(result).tzinfo is not None


def test_options_that_are_numbers_get_letters_as_keys() -> None:
    options = [Option(value=n, label=n) for n in ("3", "2", "1")]
    assert keys(options) == ["a", "b", "c"]
    field = Select(id="s", label="S", options=options)
    assert parse_line(field, "2") == "2"
    assert parse_line(field, "a") == "3"
    assert keys([Option(value="1", label="1"), Option(value="a", label="a")]) == ["#1", "#2"]


def test_values_are_shown_by_their_labels() -> None:
    assert display_text(CITIES, ["par", "Oslo"]) == "“Paris, France”, “Oslo”"
    assert display_text(CITIES, ["Rome", "Oslo"]) == "Rome, Oslo"
    assert display_text(FLAG, True) == "Yes"
    assert display_text(NUMBER, 3) == "3"


def test_a_hint_names_the_bounds() -> None:
    assert hint(Number(id="n", label="N", min=1, max=5)) == "number from 1 to 5"
    assert hint(Date(id="d", label="D", min="2026-01-01")) == "YYYY-MM-DD from 2026-01-01"


@pytest.mark.parametrize(
    ("text", "shown_text"),
    [
        ("plain\ntext", "plain\ntext"),
        ("two\r\nlines", "two\nlines"),
        ("\x1b[2J", "\\u{1b}[2J"),
        ("a\rb\tc\x00", "a\\u{d}b    c\\u{0}"),
        ("\u202efdp.exe", "\\u{202e}fdp.exe"),
        ("\x9b31m", "\\u{9b}31m"),
        ("\u2028", "\\u{2028}"),
        ("\U000e0041", "\\u{e0041}"),
        ("👩\u200d💻 ünï", "👩\u200d💻 ünï"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
    ],
)
def test_hidden_characters_are_shown_instead_of_sent(text: str, shown_text: str) -> None:
    assert printable(text) == shown_text
