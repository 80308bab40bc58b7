"""Text that is not strict JSON is refused, each kind of fault with its own code."""

from __future__ import annotations

import contextlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askback.domain.faults import Faults
from askback.domain.jsontext import parse
from askback.domain.limits import Limits
from askback.messages import render

REFUSED = {
    "empty_body": [b"", b" \n\t ", ""],
    "invalid_utf8": [b"\xff", b'"\xc0\x80"', b'"\xed\xa0\x80"', b'{"a": "\xe4"}'],
    "malformed_json": [b"{", b'{"a":1,}', b"{'a':1}", b"{}{}", b"\xef\xbb\xbf{}", b"\x00", b"01", b"+1", b'"\x01"', b"nul", b"[1,]", b'{"a"}', b"{/*c*/}", "\ufeff{}"],
    "duplicate_key": [b'{"a":1,"a":1}', b'[{"b":{"a":1,"c":2,"a":3}}]', rb'{"a":1,"\u0061":2}'],
    "non_finite_number": [b"NaN", b"Infinity", b'{"a":-Infinity}', b"1e999", b"[-1e400]"],
    "number_too_large": [b"9" * 309, b"-" + b"9" * 309, b"[" + b"1" * 20_000 + b"]"],
    "lone_surrogate": [rb'"\ud800"', rb'["\udc00\ud800"]', rb'{"\ud83d":1}', '"\ud800"'],
    "too_deep": [b"[" * 33 + b"]" * 33, b'{"a":' * 40 + b"1" + b"}" * 40, b"[" * 20_000 + b"]" * 20_000, b"[" * 20_000, b'{"a":' * 20_000],
}  # fmt: skip


@pytest.mark.parametrize("code", REFUSED)
def test_a_body_that_is_not_our_json_is_refused_with_its_code(code: str) -> None:
    for body in REFUSED[code]:
        with pytest.raises(Faults) as exc_info:
            parse(body)
        assert [(fault.path, fault.code) for fault in exc_info.value.faults] == [("", code)], body[:40]
        assert render(exc_info.value.faults[0], "de") != render(exc_info.value.faults[0], "en")


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b'{"a": [1, "x", null, true]}', {"a": [1, "x", None, True]}),
        (b"[5.0, 1e3, -0.0, 0.5, 1e20]", [5, 1000, 0, 0.5, 1e20]),
        (b"9" * 308, int("9" * 308)),
        (b"[" * 32 + b"]" * 32, eval("[" * 32 + "]" * 32)),
        (b'"' + b"[" * 100 + b'"', "[" * 100),
        (rb'"\ud83d\ude00\\ud800"', "\U0001f600\\ud800"),
        ("\"\U0001f600\"", "\U0001f600"),
        (b" true ", True),
    ],
)  # fmt: skip
def test_other_json_is_read(body: bytes | str, value: object) -> None:
    assert parse(body) == value


def test_whole_numbers_are_whole_however_they_are_written() -> None:
    assert [type(item) for item in parse(b"[5.0, 1e3, 5.5]")] == [int, int, float]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text", [b"9" * 309, b"[" + b"9" * 700 + b"]", b"[5.0]", b'{"a":1,"a":1}', b"[" * 33 + b"]" * 33]
)
def test_invalid_json_that_the_compiled_reader_accepts_is_refused(text: bytes) -> None:
    assert outcome(text) == outcome(b" " + text)


def test_a_number_that_is_too_long_is_refused_wherever_it_is() -> None:
    for offset in range(80):
        assert outcome(b'["%b",%b]' % (b"x" * offset, b"9" * 308)) == repr(["x" * offset, int("9" * 308)])
        assert "number_too_large" in outcome(b'["%b",%b]' % (b"x" * offset, b"9" * 309)), offset


def test_the_depth_is_a_setting() -> None:
    assert parse(b"[[[1]]]", limits=Limits(json_depth=3)) == [[[1]]]
    with pytest.raises(Faults):
        parse(b"[[[[1]]]]", limits=Limits(json_depth=3))


def outcome(text: bytes) -> str:
    """Return the parsed value, with the types of numbers, or the faults."""
    try:
        return repr(parse(text))
    except Faults as error:
        return repr([(fault.path, fault.code, fault.params) for fault in error.faults])


NUMBERS = st.integers() | st.floats() | st.sampled_from([5.0, -0.0, 1e16, 2.0**53, 10**308, 10**309, 2**64])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)
WRITTEN = st.builds(
    lambda value, ascii_only: json.dumps(value, separators=(",", ":"), ensure_ascii=ascii_only).encode(
        errors="surrogatepass"
    ),
    VALUES,
    st.booleans(),
)
PIECES = st.sampled_from(
    [b'{"a":', b'"a":', b"[", b"]", b"}", b",", b"1", b"0", b"-", b".0", b".5", b"e5", b"9" * 308, b'"', b'"a"', b"\\ud83d", b"\\ude00", b"\\n", b"\\/", b"\xff", b"NaN", b"true", b"\n"]
)  # fmt: skip


@settings(deadline=None)
@given(WRITTEN | st.lists(PIECES, max_size=12).map(b"".join))
def test_both_readers_give_the_same_value_or_the_same_fault(text: bytes) -> None:
    # The compiled reader only counts for a text without white space, so the strict one reads the second.
    assert outcome(text) == outcome(b" " + text)


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text('{}[]",:\\ud80019eE.-+ntf', max_size=60))
def test_nothing_but_faults_is_raised(body: bytes | str) -> None:
    with contextlib.suppress(Faults):
        parse(body)
