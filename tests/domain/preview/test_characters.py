"""Invisible characters are escaped, and visible ones are unchanged."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from askback.domain.preview import escape_parts
from tests.requirements import requirement

IGNORED = {  # Default_Ignorable_Code_Point of the Unicode Character Database
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010)),
    *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0),
    *(*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
}
LOOKED_AT = [*range(0x20000), *IGNORED, 0xF0000, 0x10FFFF]
"""The first two planes and some more: all but Han, private and unassigned blocks."""


def escape(text: str) -> dict[str, str]:
    return {"escape": text}


def escape_text(text: str, *, line: bool = False) -> list[Any]:
    return [part if isinstance(part, str) else part.model_dump() for part in escape_parts(text, line=line)]


@requirement("B14")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rm \u202egpj.sh", ["rm ", escape("\\u202e"), "gpj.sh"]),
        ("a\x1b[2Kb", ["a", escape("\\u001b"), "[2Kb"]),
        ("ls\r\nrm", ["ls", escape("\\r"), "\nrm"]),
        ("one\ttwo\nthree", ["one\ttwo\nthree"]),
        ("\x00\x7f\x9b", [escape("\\u0000\\u007f\\u009b")]),
        ("git\u00a0push\u3000x", ["git", escape("\\u00a0"), "push", escape("\\u3000"), "x"]),
        ("a\u200bb\u2060c\ufeff", ["a", escape("\\u200b"), "b", escape("\\u2060"), "c", escape("\\ufeff")]),
        ("x\ufe0f\U000e0041", ["x", escape("\\ufe0f\\U000e0041")]),
        ("\u3164\u2800\uffa0", [escape("\\u3164\\u2800\\uffa0")]),
        ("\ue000\ufdd0\U000f0000", [escape("\\ue000\\ufdd0\\U000f0000")]),
        ("\ud800", [escape("\\ud800")]),
        ("\u2028\u2029", [escape("\\u2028\\u2029")]),
        ("rm /\u0338tmp", ["rm /", escape("\\u0338"), "tmp"]),
        ("rm /\u20ddtmp", ["rm /", escape("\\u20dd"), "tmp"]),
        ("", []),
    ],
)
def test_hidden_and_deceptive_characters_are_escaped(text: str, expected: list[Any]) -> None:
    assert escape_text(text) == expected


@requirement("B14")
def test_on_one_line_line_feeds_and_tabs_are_written_out_too() -> None:
    assert escape_text("a\tb\nc", line=True) == ["a", escape("\\t"), "b", escape("\\n"), "c"]


@pytest.mark.parametrize(
    "text", ["Grüße, ¿qué? čaj", "Привет", "שלום", "مرحبا", "नमस्ते", "สวัสดีครับ", "漢字とかな", "한국어", "🎉 ≠ €", "e\u0301\u0323"]
)  # fmt: skip
def test_letters_of_every_script_stay_readable(text: str) -> None:
    assert escape_text(text) == [text]


def test_marks_that_pile_up_or_stand_on_nothing_are_written_out() -> None:
    assert escape_text("e\u0301\u0302\u0303\u0304x\u0301") == [
        "e\u0301\u0302",
        escape("\\u0303\\u0304"),
        "x\u0301",
    ]
    assert escape_text("\u0301a\n\u0301\u200b\u0301") == [
        escape("\\u0301"),
        "a\n",
        escape("\\u0301\\u200b\\u0301"),
    ]


@requirement("B14")
def test_no_code_point_without_a_separate_shape_is_unchanged() -> None:
    unseen = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}
    expected = {c for c in map(chr, LOOKED_AT) if unicodedata.category(c) in unseen or ord(c) in IGNORED}
    expected -= {"\t", "\n", " "}
    for looked_at in (LOOKED_AT[n : n + 500] for n in range(0, len(LOOKED_AT), 500)):
        parts = escape_parts("a".join(map(chr, looked_at)))
        left = {char for part in parts if isinstance(part, str) for char in part}
        assert not left & expected
