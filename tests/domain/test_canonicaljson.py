"""The compiled encoder is used only for values that it writes like RFC 8785."""

from __future__ import annotations

from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from askback.domain.canonicaljson import NotCanonical, canonical_json

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
VALUES: st.SearchStrategy[Any] = st.recursive(
    WORDS | st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
)


@given(VALUES)
def test_the_bytes_are_those_of_the_standard(value: Any) -> None:
    try:
        expected = rfc8785.dumps(value)
    except rfc8785.CanonicalizationError:
        with pytest.raises(NotCanonical):
            canonical_json(value)
    else:
        assert canonical_json(value) == expected


@pytest.mark.parametrize(
    "value",
    ["".join(map(chr, range(128))), "\u2028é😀", {"\ufb33": 1, "😀": 2, "a": 3}, {"b": [1.0, 1e21], "a": ()}],
)
def test_characters_keys_and_fractions_follow_the_standard(value: Any) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    "value", [2**53, [-(2**53)], {"a": float("nan")}, "\ud800", {"\ud800": 1}, {1: 2}, {b"x"}]
)
def test_a_value_without_a_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical_json(value)
