"""A log is valid only if every reader reads exactly the hashed text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askback.domain.audit import GENESIS, ChainBreak, seal_entry, verify_chain
from tests.requirements import requirement

DENIED = '{"action":"decide","decision":"deny","request_id":"req_1","reasons":["é \\u202e",5.5]}'
WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
VALUES = WORDS | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)


def log(*entries: str) -> list[str]:
    """A chain of the entries, each with its seal."""
    lines: list[str] = []
    prev = GENESIS
    for seq, entry in enumerate(entries, 1):
        line, prev = seal_entry(entry, seq=seq, previous_hash=prev)
        lines.append(line)
    return lines


def fault_of(lines: list[str]) -> str | None:
    verification = verify_chain(lines)
    return verification.why if isinstance(verification, ChainBreak) else None


@requirement("B28")
@pytest.mark.parametrize(
    "member",
    [
        '"decision":"approve"',
        '"decisio\\u006e":"approve"',
        '"decision":"deny"',
        '"seq":2',
        '"hash":"0"',
        f'"prev":"{GENESIS}"',
    ],
)
def test_a_repeated_member_is_found_at_any_position(member: str) -> None:
    """Readers differ in which of the two they use: the sealed one, or the other."""
    (line,) = log(DENIED)
    assert fault_of([line]) is None
    assert fault_of([f"{{{member},{line[1:]}"]) == "This is no entry."
    assert fault_of([f"{line[:-1]},{member}}}"]) == "This is no entry."


@requirement("B28")
def test_a_repeated_member_is_found_at_any_depth() -> None:
    (line,) = log('{"facts":[{"rule":"bash(ls)"}]}')
    assert fault_of([line.replace('"rule"', '"rule":"bash(:*)","rule"')]) == "This is no entry."


@requirement("B28")
@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "[]",
        '"text"',
        "{",
        "{} {}",
        "[" * 200_000,
        '{"a":' * 200_000,
        '{"a":' + "[" * 400 + "]" * 400 + "}",
        '{"seq":1,"prev":"' + GENESIS + '","n":9007199254740993}',
        '{"seq":1,"prev":"' + GENESIS + '","n":' + "9" * 5_000 + "}",
        '{"seq":1,"prev":"' + GENESIS + '","n":NaN}',
        '{"seq":1,"prev":"' + GENESIS + '","n":1e999}',
        '{"seq":1,"prev":"' + GENESIS + '","n":"\\ud800"}',
        '{"seq":1,"prev":"' + GENESIS + '","n":"\ud800"}',
    ],
    ids=range(15),
)
def test_an_invalid_entry_is_reported_without_quoting_it(line: str) -> None:
    assert verify_chain([line]) == ChainBreak(1, "This is no entry.")


@requirement("B28")
@pytest.mark.parametrize("sealed", ["null", "5", '["x"]', '"' + "0" * 64 + '"'])
def test_an_invalid_seal_is_found(sealed: str) -> None:
    (line,) = log(DENIED)
    entry = json.loads(line)
    assert fault_of([line.replace(f'"{entry["hash"]}"', sealed)]) == "The entry has been changed."


@given(st.dictionaries(WORDS, VALUES | st.lists(VALUES, max_size=2), max_size=3))
def test_a_sealed_entry_verifies_in_any_json_formatting(entry: dict[str, object]) -> None:
    lines = log(json.dumps(entry), DENIED)
    assert verify_chain(lines) == (2, json.loads(lines[-1])["hash"])
    formatted_lines = [json.dumps(json.loads(line), indent=1, sort_keys=True) for line in lines]
    assert verify_chain(formatted_lines) == verify_chain(lines)
