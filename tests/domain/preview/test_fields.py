"""Members of an input whose values differ are shown differently."""

from __future__ import annotations

import json
from typing import Any

import pytest

from askback.domain.policy.calls import Call
from askback.domain.preview import preview
from tests.domain.preview.notation import text_of


@pytest.mark.parametrize("value", ["5", "-1.5e3", "true", "null", "", '"5"', "NaN"])
def test_a_text_that_looks_like_another_value_is_quoted(value: str) -> None:
    (field,) = preview(Call("x", {"a": value})).fields
    assert (field.syntax, field.parts) == ("json", [json.dumps(value)])


@pytest.mark.parametrize("value", ["{}", "[1]", "five", " x", "1" * 41])
def test_any_other_text_is_shown_unchanged(value: str) -> None:
    (field,) = preview(Call("x", {"a": value})).fields
    assert (field.syntax, field.parts) == (None, [value])


@pytest.mark.parametrize("value", [{str(n): n for n in range(51)}, [1, 2], "text", 5, None])
def test_json_is_the_last_resort(value: Any) -> None:
    found_preview = preview(Call("x", value))
    assert found_preview.type == "json"
    assert json.loads(text_of(found_preview.parts)) == value
