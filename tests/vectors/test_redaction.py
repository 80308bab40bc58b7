"""Every vector of redaction has the expected result, whole, in any chunks and once more."""

from __future__ import annotations

from typing import Any

import pytest

from askback.domain.redaction import Redactor
from tests.vectors.cases import cases, families

FAMILIES = families("redaction")


def decode_text(text: Any) -> Any:
    return bytes.fromhex(text["hex"]) if isinstance(text, dict) else text


def redact_in_chunks(redactor: Redactor, text: Any, size: int) -> Any:
    stream = redactor.stream(type(text))
    chunks = [stream.feed(text[index : index + size]) for index in range(0, len(text), size)]
    return type(text)().join([*chunks, stream.close()])


@pytest.mark.parametrize("members", [m for _, m in FAMILIES], ids=[family for family, _ in FAMILIES])
def test_values_are_replaced_as_the_vectors_say(members: list[dict[str, Any]]) -> None:
    for case in members:
        redactor, text = Redactor(case["values"]), decode_text(case["text"])
        redacted = [redactor.redact(text), *(redact_in_chunks(redactor, text, size) for size in (1, 7, 64))]
        assert redacted == [decode_text(case["redacted"])] * 4, case["id"]
        assert redactor.redact(redacted[0]) == redacted[0], case["id"]


def test_there_are_enough_vectors_and_each_has_its_own_id() -> None:
    ids = [case["id"] for case in cases("redaction")]
    assert len(ids) == len(set(ids)) >= 80
