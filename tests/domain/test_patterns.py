"""Patterns on the server are linear; those in the browser mean the same and are linear there too."""

from __future__ import annotations

import contextlib
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askback.domain.faults import Faults
from askback.domain.patterns import browser_pattern, compile_pattern
from askback.domain.validation import check_form
from tests.requirements import requirement

SLOW_PATTERNS = [
    (r"^(a|a)+$", "a" * 10_000 + "!"), (r"^((a)+)+$", "a" * 10_000 + "!"), (r"^(a+){2,}$", "a" * 10_000 + "!"), (r"^(\d+-?){3,}$", "1" * 10_000 + "!"),
    (r"(.*)+", "x" * 10_000 + "\n"), (r"^(\w+\s?)*$", "a" * 10_000 + "!"), (r"^\d+\d+$", "1" * 10_000 + "x"), (r"^\s+|\s+$", "x" + " " * 10_000 + "x"),
    (r"^[^@]+@[^@]+\.[^@]+$", "a@" + "." * 10_000 + "@"), (r"^(?:a{1,20}){1,20}$", "a" * 10_000), (r"(a?){50}a{50}", "a" * 49), (r"(?:x|xx)*y", "x" * 10_000),
    (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 10_000), (r".*.*=.*", "x" * 10_000), (r"(?:a*)*b", "a" * 10_000), (r"(?:a|b|ab)*c", "ab" * 5_000), (r"[a-z]+[a-z0-9]*!", "a" * 10_000),
    (r"a*a*a*a*b", "a" * 10_000), (r"(?:\w\w|\w)+-", "a" * 10_000), (r"(?:a+|b+|c+)*d", "abc" * 3_000), (r"\pL+\w+!", "a" * 10_000),
]  # fmt: skip

SAFE = [
    r"^[a-z]+(,[a-z]+)*$",
    r"(\+\d)+",
    r"^[\w.+-]+@[\w-]+\.[\w-]{2,}$",
    r"^(?:\d{3}-)?\d{4}x?$",
    r"v\d+\.\d+\.\d+",
    r"#[0-9a-f]{6}",
]


@requirement("D13")
@pytest.mark.parametrize(("pattern", "text"), SLOW_PATTERNS, ids=[pattern for pattern, _ in SLOW_PATTERNS])
def test_an_evil_pattern_is_decided_on_the_server_and_never_reaches_the_browser(
    pattern: str, text: str
) -> None:
    assert compile_pattern(pattern).fullmatch(text) is False
    assert browser_pattern(pattern) is None


@requirement("D13")
@pytest.mark.parametrize("pattern", SAFE)
def test_an_ordinary_pattern_is_accepted(pattern: str) -> None:
    assert compile_pattern(pattern) is not None


@pytest.mark.parametrize(
    "pattern", [r"^[a-z]+(,[a-z]+)*$", r"(\+\d)+", r"v\d+\.\d+\.\d+", r"#[0-9a-f]{6}", r"[A-Z]{2}-\d+"]
)
def test_an_ordinary_pattern_without_overlap_reaches_the_browser(pattern: str) -> None:
    assert browser_pattern(pattern) is not None


def test_a_reason_repeats_nothing_of_the_pattern() -> None:
    for pattern in (
        "(?=secret)",
        "[z-a]secret",
        "(secret",
        "secret**",
        r"\p{Secret}",
        "secret{9999}",
    ):
        with pytest.raises(ValueError, match=r"\A(?i:(?!.*secret).)+\Z"):
            compile_pattern(pattern)


def test_half_a_surrogate_pair_is_no_pattern() -> None:
    with pytest.raises(ValueError, match="invalid"):
        compile_pattern("\ud800")


def test_deeply_nested_brackets_are_checked_only_by_the_server() -> None:
    assert browser_pattern("(" * 90 + "a" + ")" * 90) is None


PIECES = st.sampled_from(["a", "b", "[ab]", "[^a]", "\\d", "\\s", ".", "(a|b)", "(?:ab)", "(a", ")", "|", "*", "+", "?", "{2}", "{1,3}", "^", "$", "[]a]", "\\.", "-", "(?P<n>b)"])  # fmt: skip


@settings(deadline=None)
@given(
    st.lists(PIECES, max_size=8).map("".join),
    st.lists(st.text("ab1. -]\n", max_size=6), min_size=8, max_size=8),
)
def test_the_pattern_for_the_browser_is_equivalent(pattern: str, texts: list[str]) -> None:
    try:
        matcher = compile_pattern(pattern)
    except ValueError:
        return
    source = browser_pattern(pattern)
    if source is not None:
        in_python = re.compile(
            source.replace("$", r"\Z"), re.ASCII
        )  # its ASCII mode corresponds to the flag u
        assert [matcher.fullmatch(text) for text in texts] == [
            in_python.search(text) is not None for text in texts
        ]


@settings(deadline=None)
@given(st.text("ab\\[](){}*+?|^$.-:<>PpLux09,\n\ud800\u00e9", max_size=20))
def test_any_text_is_a_pattern_or_is_refused(pattern: str) -> None:
    with contextlib.suppress(ValueError):
        compile_pattern(pattern)
        browser_pattern(pattern)


@requirement("D13")
def test_a_large_pattern_is_accepted_but_not_a_form_full_of_them() -> None:
    def form(count: int) -> dict[str, Any]:
        pattern = r"[\p{L}\p{M}' -]{1,100}"
        return {
            "fields": [
                {"id": f"f{n}", "type": "text", "label": "Name", "pattern": f"{pattern}{n}"}
                for n in range(count)
            ]
        }

    check_form(form(2))
    with pytest.raises(Faults) as exc_info:
        check_form(form(100))
    assert {(f.code, f.params["reason"]) for f in exc_info.value.faults} == {
        ("invalid_pattern", "the patterns of this form are too large together")
    }
    assert len(exc_info.value.faults) == 97


@requirement("D13")
def test_after_a_too_large_pattern_no_other_is_compiled() -> None:
    fields = [
        {"id": f"f{n}", "type": "text", "label": "Name", "pattern": rf"(?:\pL{{1,30}}){{1,30}}{n}"}
        for n in range(3)
    ]
    with pytest.raises(Faults) as exc_info:
        check_form({"fields": fields})
    first_reason, *other_cases = [fault.params["reason"] for fault in exc_info.value.faults]
    assert "compile" in first_reason
    assert set(other_cases) == {"the patterns of this form are too large together"}
