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
        5: "18fe6eb8a1b4acce",
        6: "cd82b9bf6672caf2",
        7: "1f5bf7844c2f5f97",
        8: "3b028681221af967",
        9: "779e0fe61da22c1c",
        10: "9eb37bac1c21c758",
        11: "f6495d518c76ac64",
        12: "7b539a491c1e2d63",
        13: "16f6d7e43a443c96",
    },
    sqlite: {
        1: "7ff8923205519ab7",
        2: "3542b6c6d89d7091",
        3: "78e41c59db3997ba",
        4: "f98a9ac402e2985d",
        5: "986346f81d838d91",
        6: "af4c59c780b83d89",
        7: "58d18ec3084b8c8f",
        8: "9eb37bac1c21c758",
        9: "b09c7d31092954ea",
        10: "a0eec94624cb1862",
        11: "f7600c89ddb5e01b",
    },
}
"""Of each migration the beginning of its digest. Add a line with each new one."""


@pytest.mark.parametrize("store", SEEN, ids=["postgres", "sqlite"])
def test_what_made_a_database_is_what_makes_the_next_one(store: ModuleType) -> None:
    steps: Mapping[int, str] = store.migrations()
    assert {number: sha256(text.encode()).hexdigest()[:16] for number, text in steps.items()} == SEEN[store]
