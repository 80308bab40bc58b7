"""Every vector of secret shapes gets its verdict from the Python side."""

from __future__ import annotations

from typing import Any

import pytest

from askback.domain.secretshapes import find_secret
from tests.vectors.cases import cases, families

FAMILIES = families("secretshapes")


def verdict(case: dict[str, Any]) -> list[Any] | None:
    shape = find_secret("".join(case["text"]))
    return None if shape is None else [shape.kind, shape.start, shape.end]


@pytest.mark.parametrize("members", [m for _, m in FAMILIES], ids=[family for family, _ in FAMILIES])
def test_texts_get_their_verdict(members: list[dict[str, Any]]) -> None:
    wrong = [
        (case["id"], case["shows"], got, case["shape"])
        for case in members
        if (got := verdict(case)) != case["shape"]
    ]
    assert wrong == []


def test_there_are_enough_vectors_of_both_kinds_and_each_has_its_own_id() -> None:
    every = cases("secretshapes")
    assert len({case["id"] for case in every}) == len(every)
    harmless = sum(case["shape"] is None for case in every)
    assert harmless >= 150
    assert len(every) - harmless >= 120


def test_no_vector_holds_a_whole_key_in_one_part() -> None:
    """Repository scanners would find it; they ignore texts that only look random."""
    for case in cases("secretshapes"):
        if case["shape"] and case["shape"][0] in ("api_key", "private_key", "jwt"):
            kinds = [shape.kind for part in case["text"] if (shape := find_secret(part))]
            assert case["shape"][0] not in kinds, case["id"]
