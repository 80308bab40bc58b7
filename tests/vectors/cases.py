"""Read the vectors; `vectors/README.md` explains the shorthands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from askback.domain.faults import Fault
from askback.messages import render

VECTORS = Path(__file__).parents[2] / "vectors"


def cases(name: str) -> list[dict[str, Any]]:
    """All cases of one file; half surrogate pairs are in them on purpose, so the plain reader is used."""
    text = (VECTORS / f"{name}.json").read_text(encoding="utf-8")
    return expand(json.loads(text, parse_float=_number)["cases"])


def families(name: str) -> list[Any]:
    """The cases of one file by the word their ids begin with."""
    return [
        (family, list(members))
        for family, members in groupby(cases(name), key=lambda case: case["id"].rpartition("-")[0])
    ]


def as_vectors(faults: Sequence[Fault]) -> list[dict[str, str]]:
    """Faults in the format of the vectors."""
    fault_texts = [
        {"path": fault.path, "code": fault.code, "en": render(fault, "en"), "de": render(fault, "de")}
        for fault in faults
    ]
    return sorted(fault_texts, key=lambda item: (item["path"], item["code"]))


def expand(value: Any) -> Any:
    """Write `$repeat`, `$repeat_list` and `$count_list` out."""
    if isinstance(value, list):
        return [expand(item) for item in value]
    if not isinstance(value, dict):
        return value
    if list(value) == ["$repeat"]:
        text, times = value["$repeat"]
        return text * times
    if list(value) == ["$repeat_list"]:
        item, times = value["$repeat_list"]
        return [expand(item)] * times
    if list(value) == ["$count_list"]:
        text, times = value["$count_list"]
        return [f"{text}{number}" for number in range(times)]
    return {key: expand(member) for key, member in value.items()}


def _number(digits: str) -> float:
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number
