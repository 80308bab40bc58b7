"""A migration that was applied somewhere is never changed: the next one fixes it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from types import ModuleType

import pytest

from askback.storage.postgres import schema as postgres
from askback.storage.sqlite import schema as sqlite

KNOWN_MIGRATIONS = {
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
        14: "c36c972ce80b87db",
        15: "45cef694ec30dbf1",
        16: "dec8eb454e68637e",
        17: "5cb7c9536496a96b",
        18: "31ab746cc321310f",
        19: "d6f633776713710b",
        20: "4fe8f704ced5676b",
        21: "db8c06835fc336e7",
        22: "2cfb8e9b97f9ccc9",
        23: "2306090e55f0ac7b",
        24: "458d0fb389a9d190",
        25: "50ddae5b0d350286",
        26: "06a5684e99938d6c",
        27: "8a1fcc2ab5053bd0",
        28: "b53e61b52254de80",
        29: "fa3bc5cd8d141df8",
        30: "9d2968d156eeb31d",
        31: "1456402751bdab9a",
        32: "d0a30381099819e0",
        33: "75e64244f334e6e4",
        34: "6ee15a1e33871c75",
        35: "b0be7edc8603f933",
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
        12: "cde347773ebd4c76",
        13: "953921351a587647",
        14: "f22644419330315b",
        15: "cf903a25b16b8b46",
        16: "8e6659775d05d35f",
        17: "33911496d3aa71d3",
        18: "071d34bb3a09bf5d",
        19: "7c3869076fca5672",
        20: "06d05d31b10abd5c",
        21: "afa18d45eee24be4",
        22: "786897cf894f9bf3",
        23: "164086b9484a4e59",
        24: "9c194dd3ebfbab5c",
        25: "6256a358cb390140",
        26: "d531ae996488c072",
        27: "488ba3d37f55d712",
        28: "155a999f4418b7be",
        29: "b75154431d7b0627",
        30: "ab69c3d7c777b395",
        31: "8392980fa0a7b686",
    },
}
"""The beginning of each migration's digest. Add a line with each new one."""


@pytest.mark.parametrize("store", KNOWN_MIGRATIONS, ids=["postgres", "sqlite"])
def test_an_applied_migration_is_unchanged_in_the_next_release(store: ModuleType) -> None:
    steps: Mapping[int, str] = store.migrations()
    assert {
        number: sha256(text.encode()).hexdigest()[:16] for number, text in steps.items()
    } == KNOWN_MIGRATIONS[store]
