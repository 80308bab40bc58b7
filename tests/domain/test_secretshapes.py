"""Texts that look like secrets are found anywhere in a text; other texts are not."""

from __future__ import annotations

import secrets
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askback.domain.secretshapes import Shape, find_secret

KEY = "gh" + "p_" + "a1B2" * 9


@settings(deadline=None)
@given(st.text("abc äß✓🔑\n\ud800.", max_size=30), st.text(" äß✓🔑\n\ud800", max_size=30))
def test_a_shape_is_a_range_of_code_points_in_any_text(before: str, after: str) -> None:
    shape = find_secret(f"{before} {KEY}{after}")
    assert shape == Shape("api_key", len(before) + 1, len(before) + 1 + len(KEY))


@settings(deadline=None)
@given(st.text())
def test_any_text_has_a_verdict(text: str) -> None:
    shape = find_secret(text)
    assert shape is None or 0 <= shape.start < shape.end <= len(text)


@settings(deadline=None)
@given(
    st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=12), max_size=20),
    st.sampled_from([" ", "-", "_", "/", "."]),
)
def test_words_are_harmless_however_they_are_joined(words: list[str], joint: str) -> None:
    assert find_secret(joint.join(words)) is None
    assert find_secret("".join(word.capitalize() for word in words)) is None


@pytest.mark.parametrize("size", [16, 18, 24, 32, 48])
def test_nearly_every_random_token_is_found(size: int) -> None:
    """By chance, a few change as rarely as words do, and fewer if they are longer."""
    noticed = sum(find_secret(secrets.token_urlsafe(size)) is not None for _ in range(400))
    assert noticed >= 340


def test_the_first_matching_shape_is_returned() -> None:
    assert find_secret(f"postgres://a:bc3@d/e {KEY}") == Shape("connection_string", 0, 20)
    assert find_secret(f"{KEY} postgres://a:bc3@d/e") == Shape("api_key", 0, len(KEY))


def test_a_shape_does_not_show_the_text() -> None:
    assert KEY not in repr(find_secret(KEY))


@pytest.mark.parametrize(
    "piece", ["eyJ-", "A1b", "://a:", "a@", "..", "~/./", "aGVs", "token=a", "-----BEGIN ", "AKIA", "é"]
)
def test_no_text_takes_long(piece: str) -> None:
    assert find_secret(f"{piece * (100_000 // len(piece))} {KEY}") is not None
