"""Applying the hunks of a replacement gives the same file as the replacement, at the right lines."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from askback.domain.preview.hunks import Replacement, hunks_in_file, line_count, split_lines

TEXTS = st.text("ab\n", max_size=40)


@given(TEXTS, st.text("ab\n", min_size=1, max_size=3), st.text("abc\n", max_size=4))
def test_each_hunk_is_at_the_line_of_its_head(before: str, old: str, new: str) -> None:
    hunks = hunks_in_file(before, [Replacement(old, new, everywhere=True)]) or []
    was, now, position = split_lines(before), "", 0
    for hunk in hunks:
        start, count, new_start, new_count = map(int, re.findall(r"[0-9]+", hunk.head or ""))
        now += "".join(was[position : start - 1])
        position = start - 1 + count
        assert hunk.old == "".join(was[start - 1 : position])
        assert (new_start, new_count) == (line_count(now) + 1, line_count(hunk.new))
        now += hunk.new
    assert now + "".join(was[position:]) == before.replace(old, new)
    assert bool(hunks) == (old in before)


def test_changes_with_touching_context_share_a_hunk() -> None:
    change = [Replacement("x", "y", everywhere=True)]
    assert [hunk.head for hunk in hunks_in_file("x" + "\n" * 7 + "x", change) or []] == ["@@ -1,8 +1,8 @@"]
    assert [hunk.head for hunk in hunks_in_file("x" + "\n" * 8 + "x", change) or []] == [
        "@@ -1,4 +1,4 @@",
        "@@ -6,4 +6,4 @@",
    ]
