"""A migration that some database has seen is never changed: what is wrong with it the next one mends."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from types import ModuleType

import pytest

from askback.storage.postgres import schema as postgres
from askback.storage.sqlite import schema as sqlite

SEEN = {
    postgres: {
        1: "cb22eae4909885f1",
        2: "462b1444da0b31e5",
        3: "a5930ce0138a71e9",
        4: "1b5077b422c62a1f",
    },
    sqlite: {
        1: "7ff8923205519ab7",
        2: "3542b6c6d89d7091",
    },
}
"""Of each migration the beginning of its digest. Add a line with each new one."""


@pytest.mark.parametrize("store", SEEN, ids=["postgres", "sqlite"])
def test_what_made_a_database_is_what_makes_the_next_one(store: ModuleType) -> None:
    steps: Mapping[int, str] = store.migrations()
    assert {number: sha256(text.encode()).hexdigest()[:16] for number, text in steps.items()} == SEEN[store]
