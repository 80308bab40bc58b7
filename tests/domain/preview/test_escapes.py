"""Escapes can be read back for every text, and a text with escapes is not much longer."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic_core import to_json

from askback.domain.approval import Escape
from askback.domain.preview import escape_line, escape_parts
from askback.domain.preview.escapes import MAX_SINGLE_ESCAPES, escape_lines
from tests.domain.preview.notation import text_of
from tests.requirements import requirement

UNITS = st.text(
    st.sampled_from('\x7f\x80\u0334\u0301\u200b\u202e\U000e0041\ue000\n\t\r\\"%×aeé漢 ') | st.characters(),
    max_size=20,
).map(lambda unit: unit.encode("utf-8", "ignore").decode())
DISTANCES = st.integers(0, 40)


def repeated(unit: str, gap: int) -> str:
    """Return a text of some 10,000 characters; the repeated part decides how dense its escapes are."""
    return (unit + "x" * gap) * (10_000 // max(1, len(unit) + gap))


def escape_texts(text: str) -> list[str]:
    return [part if isinstance(part, str) else f"<{part.escape}>" for part in escape_parts(text)]


@given(st.text(st.characters()), st.booleans())
@example("\\u202e", True)
@example("\u200b" * 8 + "×3\\n", False)
@example("e\u0301\u0302\u0303", False)
def test_a_text_can_be_read_back(text: str, line: bool) -> None:
    assert text_of(escape_parts(text, line=line)) == text


@requirement("B14")
@settings(max_examples=40, deadline=None)
@given(UNITS, DISTANCES, st.booleans())
@example("a\x7f", 0, False)
@example("a\u0301\u0301\u0301", 0, False)
@example("\u202e%7f\\n×3", 0, True)
def test_a_long_text_can_be_read_back_and_nothing_unseen_is_in_it(unit: str, gap: int, line: bool) -> None:
    parts = escape_parts(repeated(unit, gap), line=line)
    assert text_of(parts) == repeated(unit, gap)
    shown_text = " ".join(["shown:", *(part if isinstance(part, str) else part.escape for part in parts)])
    assert escape_parts(shown_text, line=line) == [shown_text]


@requirement("B14")
@settings(max_examples=40, deadline=None)
@given(UNITS, DISTANCES, st.booleans())
@example("\x7f\u0334", 0, False)
@example("\x7f%", 0, False)
@example("\x7f" * 7 + "a", 0, False)
@example("\x7f", 31, False)
@example("\x7f", 33, False)
@example("\x7f\n", 0, True)
def test_an_escaped_text_is_at_most_about_three_times_as_long(unit: str, gap: int, line: bool) -> None:
    text = repeated(unit, gap)
    assert len(to_json(escape_parts(text, line=line))) <= 3.3 * len(to_json(text)) + 24 * MAX_SINGLE_ESCAPES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rm\x7f\x7f\x7f -rf", ["rm", "<\\u007f\\u007f\\u007f>", " -rf"]),
        ("a" + "\u200b" * 255_000 + "\u202e", ["a", "<\\u200b×255000\\u202e>"]),
        ("\x7f" * 8 + "×2", ["<\\u007f×8>", "×2"]),
        ("\u200b\u200c" * 12, ["<" + "\\u200b\\u200c" * 8 + ">", "<" + "\\u200b\\u200c" * 4 + ">"]),
    ],
)
def test_adjacent_hidden_characters_are_escaped_together(text: str, expected: list[str]) -> None:
    assert escape_texts(text) == expected


def test_a_run_with_many_hidden_characters_is_escaped_whole() -> None:
    distant_text = "; echo of what is far from anything odd; r"
    odd = "\x7fm\u202e \\n 5%\n\u0301×2\te\u0301\U000e0041"
    escaped_text = "<%7fm%u202e %5cn 5%25\\n%u0301%d72\\te%u0301%U000e0041>"
    assert escape_texts(f"{distant_text}{odd}" * 500) == [distant_text, escaped_text] * 500


def test_a_part_of_an_escaped_run_is_short_and_starts_without_a_combining_mark() -> None:
    parts = escape_parts("e\u0301\u200b" * 10_000)
    assert "".join(part if isinstance(part, str) else part.escape for part in parts[:2]) == (
        "e\u0301" + "%u200be\u0301" * 16
    )
    assert max(len(part.escape) for part in parts if isinstance(part, Escape)) <= 500
    assert not any(part.escape.startswith("\u0301") for part in parts if isinstance(part, Escape))


def test_correctly_placed_combining_marks_stay_in_an_escaped_run() -> None:
    parts = escape_parts("नमस्ते\u200b" * 2_000)
    assert parts[1] == Escape(escape="%u200b" + "नमस्ते%u200b" * 6 + "नमस्त"[:5] + "े")


@requirement("B14")
def test_a_text_within_a_sentence_is_on_one_line_and_hides_nothing() -> None:
    assert escape_line("`cat \u202e\n\tx` is not é\x7f") == "`cat \\u202e\\n\\tx` is not é\\u007f"


@given(st.lists(UNITS.map(lambda unit: unit.replace("\n", "")), min_size=1, max_size=60))
def test_lines_are_split_as_each_by_itself(lines: list[str]) -> None:
    assert escape_lines(lines) == [escape_parts(line) for line in lines]


def test_lines_with_one_hidden_character_each_stay_lines_and_dense_ones_do_not() -> None:
    assert escape_lines(["x\r"] * 3_000) == [["x", Escape(escape="\\r")]] * 3_000
    assert escape_lines(["x\r \x7f"] * 3_000) is None
