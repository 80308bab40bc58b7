"""The mistakes that `tests/planted` plants replace something that exists, with the same parameters."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from tests.fault import extended_fuzz, planted, planted_sharing, planted_streams, planted_writes, shell_fuzz

PLACES: list[tuple[Any, str, Any]] = [
    *(change for changes in extended_fuzz.FAULTS.values() for change in changes),
    *planted._PLACES.values(),
    *planted_sharing.PLACES.values(),
    *planted_streams.PLACES.values(),
    *planted_writes.PLACES.values(),
    *planted_writes.EARLY_DEADLINE_FAULTS.values(),
]


def names(function: Any, *kinds: Any) -> list[str]:
    return [item.name for item in inspect.signature(function).parameters.values() if item.kind in kinds]


@pytest.mark.parametrize(("owner", "key", "replacement"), PLACES)
def test_a_planted_mistake_has_a_place(owner: Any, key: str, replacement: Any) -> None:
    original, kind = getattr(owner, key), inspect.Parameter
    if inspect.isfunction(original) and not names(replacement, kind.VAR_POSITIONAL, kind.VAR_KEYWORD):
        by_place = kind.POSITIONAL_ONLY, kind.POSITIONAL_OR_KEYWORD
        assert len(names(replacement, *by_place)) == len(names(original, *by_place))
        assert names(replacement, kind.KEYWORD_ONLY) == names(original, kind.KEYWORD_ONLY)


@pytest.mark.parametrize("name", shell_fuzz.FAULTS)
def test_a_planted_mistake_in_the_lexer_can_be_planted(name: str) -> None:
    with shell_fuzz.plant_mistake(name):
        pass
