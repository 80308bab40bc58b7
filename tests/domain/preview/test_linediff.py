"""The comparison is exact, has the fewest changes while that is cheap, and its work is limited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askback.domain.preview.linediff import diff_lines

LINES = st.lists(st.sampled_from("abcd"), max_size=12)


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("", "", ""),
        ("", "ab", "+a +b"),
        ("ab", "", "-a -b"),
        ("abc", "abc", " a  b  c"),
        ("abc", "axc", " a -b +x  c"),
        ("abcd", "xbyd", "-a +x  b -c +y  d"),
        ("ab", "ba", "-a  b +a"),
    ],
)
def test_changes_stand_in_their_place(old: str, new: str, lines: str) -> None:
    assert " ".join(op + line for op, line in diff_lines(list(old), list(new))) == lines


@given(LINES, LINES, st.integers(0, 30))
def test_both_texts_can_be_read_from_it_whatever_the_work_allowed(
    old: list[str], new: list[str], steps: int
) -> None:
    lines = diff_lines(old, new, steps=steps)
    assert [line for op, line in lines if op != "+"] == old
    assert [line for op, line in lines if op != "-"] == new


@given(LINES, LINES)
def test_no_more_lines_change_than_have_to(old: list[str], new: list[str]) -> None:
    unchanged_count = sum(op == " " for op, _ in diff_lines(old, new))
    assert unchanged_count == _longest_common(old, new)


def test_a_diff_that_takes_too_long_replaces_the_whole_text() -> None:
    old, new = list("xabcabbay"), list("xcbabacy")
    assert diff_lines(old, new, steps=3) == [
        (" ", "x"),
        *[("-", line) for line in "abcabba"],
        *[("+", line) for line in "cbabac"],
        (" ", "y"),
    ]
    assert sum(op == " " for op, _ in diff_lines(old, new)) == 6


def _longest_common(old: list[str], new: list[str]) -> int:
    row = [0] * (len(new) + 1)
    for a in old:
        before = row
        row = [0]
        for j, b in enumerate(new):
            row.append(before[j] + 1 if a == b else max(before[j + 1], row[j]))
    return row[-1]
