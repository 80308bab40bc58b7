"""Every value is replaced by its name, in every form in which programs write it."""

from __future__ import annotations

import base64
import html
import json
import shlex
import string
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import FrameType
from urllib.parse import quote, quote_plus

import re2
from hypothesis import given, settings
from hypothesis import strategies as st

from askback.domain.redaction import MIN_LENGTH, Redactor, redact


def escape_value(value: str, pattern: str) -> str:
    return "".join(pattern.format(ord(character)) for character in value)


def base64_digits(value: str, *, before: int = 0, url: bool = False) -> str:
    """Return the digits that depend on a value with other bytes before and after it."""
    raw = value.encode()
    digits = (base64.urlsafe_b64encode if url else base64.b64encode)(b"\0" * before + raw + b"\0\0").decode()
    return digits[before * 8 // 6 : -((before + len(raw)) * 8 // -6)]


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda value: value,
    "for a URL": lambda value: quote(value, safe=""),
    "for a URL, in small digits": lambda value: "".join(f"%{byte:02x}" for byte in value.encode()),
    "for a URL, a blank as +": quote_plus,
    "for a URL, twice": lambda value: quote(quote(value, safe=""), safe=""),
    "in JSON": lambda value: json.dumps(value, ensure_ascii=False)[1:-1],
    "in JSON of ASCII": lambda value: json.dumps(value)[1:-1],
    "in JSON with slashes escaped": lambda value: json.dumps(value)[1:-1].replace("/", "\\/"),
    "in JSON in JSON": lambda value: json.dumps(json.dumps(value)[1:-1])[1:-1],
    "in JSON, in capital digits": lambda value: json.dumps(value)[1:-1].replace("\\u00e", "\\u00E"),
    "as repr": lambda value: repr(value)[1:-1],
    "as repr of bytes": lambda value: repr(value.encode())[2:-1],
    "for a shell": lambda value: shlex.quote(value + " ")[1:-2],
    "for a shell, as bash does": lambda value: value.replace("'", "'\\''"),
    "for HTML": html.escape,
    "in hexadecimal digits": lambda value: value.encode().hex(),
    "in capital hexadecimal digits": lambda value: value.encode().hex().upper(),
    "in hexadecimal digits with blanks": lambda value: value.encode().hex(" "),
    "in base64": base64_digits,
    "in base64 after a byte": lambda value: base64_digits(value, before=1),
    "in base64 after two bytes": lambda value: base64_digits(value, before=2),
    "in base64 for URLs": lambda value: base64_digits(value, url=True),
    "in base64 for URLs after a byte": lambda value: base64_digits(value, before=1, url=True),
    "in base64 for URLs after two bytes": lambda value: base64_digits(value, before=2, url=True),
    "backwards": lambda value: value[::-1],
}
ASCII_FORMS: dict[str, Callable[[str], str]] = {
    "all as \\u": lambda value: escape_value(value, "\\u{:04x}"),
    "all as \\u in capitals": lambda value: escape_value(value, "\\u{:04X}"),
    "all as \\x": lambda value: escape_value(value, "\\x{:02x}"),
}

PRINTABLE = string.ascii_letters + string.digits + string.punctuation + " "
# Without line breaks, whose forms have vectors of their own, and brackets, which could join a label to its text.
VALUES = (
    st.text(PRINTABLE + "äß✓🔑", min_size=MIN_LENGTH, max_size=90)
    .map(lambda value: value.replace("\\n", "_").replace("\\r", "_").strip(" []"))
    .filter(lambda value: len(value) >= MIN_LENGTH and "--" not in value)
)
QUIET = st.text(" .;|\n", max_size=5)
"""Text that begins and continues no form."""


def redact_stream(redactor: Redactor, chunks: Sequence[str]) -> str:
    stream = redactor.stream()
    return "".join([*(stream.feed(chunk) for chunk in chunks), stream.close()])


@st.composite
def cut(draw: st.DrawFn, text: st.SearchStrategy[str]) -> list[str]:
    whole_text = draw(text)
    places = sorted(draw(st.lists(st.integers(0, len(whole_text)), max_size=12)))
    return [
        whole_text[begin:end] for begin, end in zip([0, *places], [*places, len(whole_text)], strict=True)
    ]


@settings(max_examples=40, deadline=None)
@given(value=VALUES, before=QUIET, after=QUIET)
def test_any_encoding_of_a_value_is_replaced_by_its_name(value: str, before: str, after: str) -> None:
    redactor = Redactor({"KEY": value})
    for name, form in FORMS.items():
        written = form(value)
        if written == written.strip():
            assert redactor.redact(before + written + after) == f"{before}[secret:KEY]{after}", name


@settings(max_examples=15, deadline=None)
@given(value=VALUES.filter(str.isascii))
def test_a_fully_escaped_ascii_value_is_replaced_by_its_name(value: str) -> None:
    redactor = Redactor({"KEY": value})
    for name, form in ASCII_FORMS.items():
        assert redactor.redact(form(value)) == "[secret:KEY]", name


@settings(max_examples=50, deadline=None)
@given(value=VALUES.filter(str.isascii), data=st.data())
def test_escapes_of_all_kinds_may_be_mixed_within_one_value(value: str, data: st.DataObject) -> None:
    ways = ("{0}", "%{1:02x}", "%{1:02X}", "\\u{1:04x}", "\\\\u{1:04X}", "\\x{1:02x}", "%25{1:02x}")
    written = "".join(data.draw(st.sampled_from(ways)).format(item, ord(item)) for item in value)
    assert redact(f"<{written}>", values={"KEY": value}) == "<[secret:KEY]>"


@st.composite
def texts(draw: st.DrawFn, values: dict[str, str]) -> str:
    """Forms, starts of forms, and other text, one after the other."""
    form = st.builds(
        lambda form, value: form(value),
        st.sampled_from([*FORMS.values()]),
        st.sampled_from([*values.values()]),
    )
    beginning = st.builds(lambda text, length: text[:length], form, st.integers(1, 40))
    parts = st.one_of(form, beginning, st.text(PRINTABLE + "\n✓", max_size=12))
    return "".join(draw(st.lists(parts, max_size=6)))


@st.composite
def cut_texts(draw: st.DrawFn) -> tuple[dict[str, str], list[str]]:
    values = {name: draw(VALUES) for name in draw(st.sampled_from([["A"], ["A", "B"], ["A", "B", "C"]]))}
    return values, draw(cut(texts(values)))


@settings(deadline=None)
@given(cut_texts())
def test_a_text_comes_out_the_same_however_it_is_cut(case: tuple[dict[str, str], list[str]]) -> None:
    values, chunks = case
    redactor = Redactor(values)
    whole_text = redactor.redact("".join(chunks))
    assert redact_stream(redactor, chunks) == whole_text
    assert not [
        form(value) for value in values.values() for form in FORMS.values() if form(value) in whole_text
    ]
    assert redactor.redact(whole_text) == whole_text


DUMPS = {
    "xxd": "0000: 7979 7979 7979 6875  yyyyyyhu\n0008: 6e74 6572 2d74 776f  nter-two\n",
    "hexdump": "0000  79 79 79 79 79 79 68 75  |yyyyyyhu|\r\n0008  6e 74 65 72 2d 74 77 6f  |nter-two|\r\n",
}


def test_a_value_that_begins_at_the_end_of_a_line_of_a_dump_is_found_however_it_is_cut() -> None:
    redactor = Redactor({"KEY": "hunter-two"})
    for program, dump in DUMPS.items():
        whole_text = redactor.redact(dump)
        assert whole_text.count("[secret:KEY]") == 1, program
        cut_dumps = {redact_stream(redactor, [dump[:cut], dump[cut:]]) for cut in range(len(dump))}
        assert cut_dumps == {whole_text}, program


def test_a_value_is_found_after_a_long_run_of_what_may_begin_it() -> None:
    for value in ('"hunter-two"', "hhhhhhhh", "00000000"):
        redactor = Redactor({"KEY": value})
        for fill in ('"', " ", "\n", "h", "00 ", "\\"):
            run = fill * (3000 // len(fill))
            assert redactor.redact(f"{run}.;{value}").endswith(".;[secret:KEY]"), (value, fill)


@settings(deadline=None)
@given(st.binary(max_size=60), VALUES, st.binary(max_size=60), st.integers(1, 9))
def test_bytes_that_are_not_utf_8_pass_around_a_value(
    before: bytes, value: str, after: bytes, size: int
) -> None:
    redactor, text = Redactor({"KEY": value}), before + b"\xff" + value.encode() + b"\xff" + after
    whole_text = redactor.redact(text)
    assert whole_text == before + b"\xff[secret:KEY]\xff" + after
    stream = redactor.stream(bytes)
    chunks = [stream.feed(text[index : index + size]) for index in range(0, len(text), size)]
    assert b"".join([*chunks, stream.close()]) == whole_text


@settings(deadline=None)
@given(
    st.text(string.ascii_uppercase + string.digits, min_size=MIN_LENGTH, max_size=60),
    st.text("ghijklmnop \n-.", max_size=400),
)
def test_a_text_without_a_value_is_unchanged(value: str, text: str) -> None:
    assert redact(text, values={"KEY": value}) == text


def test_a_stream_holds_back_only_a_possible_value() -> None:
    stream = Redactor({"KEY": "hunter-two"}).stream()
    assert [stream.feed(chunk) for chunk in ("a shoe", " hu", "t; hunter-tw", "in; hunter-t", "wo", "!")] == [
        "a shoe",
        " ",
        "hut; ",
        "hunter-twin; ",
        "[secret:KEY]",
        "!",
    ]
    assert stream.close() == ""


def test_a_pause_flushes_held_text_and_later_values_are_still_found() -> None:
    stream = Redactor({"KEY": "canary-71c2"}).stream()
    assert (stream.feed("Ready: c"), stream.pause(), stream.pause()) == ("Ready: ", "c", "")
    assert stream.feed("an do\ncanary") == "an do\n"
    assert stream.pause() == ""  # too much of it to be shown
    assert stream.feed("-71c2 c") == "[secret:KEY] "
    assert stream.pause() + stream.feed("a") + stream.pause() + stream.feed("nary-71c2!") == "ca[secret:KEY]!"
    assert stream.feed("can") + stream.pause() + stream.close() == "can"


def test_a_value_that_may_start_a_longer_one_waits_for_more_text() -> None:
    redactor = Redactor({"SHORT": "hunter-two", "LONG": "hunter-two-and-a-half"})
    stream = redactor.stream()
    assert [stream.feed("hunter-two"), stream.feed("-and"), stream.feed("-see"), stream.close()] == [
        "",
        "",
        "[secret:SHORT]-and-see",
        "",
    ]


@settings(max_examples=20, deadline=None)
@given(VALUES, st.sampled_from([*FORMS.values()]))
def test_the_held_text_of_a_stream_is_bounded(value: str, form: Callable[[str], str]) -> None:
    redactor = Redactor({"KEY": value, "LONG": "".join(f"{n}-{value}\n" for n in range(40))})
    for rest in ("", "\\" * 5_000, "%25" * 5_000, "\n" * 5_000, "A" * 5_000):
        stream = redactor.stream()
        stream.feed(form(value)[:-1] + rest)
        assert len(stream.close()) < 2_000


def test_a_value_that_is_too_short_is_named_and_left() -> None:
    redactor = Redactor({"PIN": "12345", "KEY": "hunter-two"})
    assert redactor.too_short == ("PIN",)
    assert redactor.redact("12345 hunter-two") == "12345 [secret:KEY]"


def test_halves_of_surrogate_pairs_pass_and_are_found() -> None:
    assert (
        redact("\ud83d hunter\udc00two \udc00", values={"KEY": "hunter\udc00two"})
        == "\ud83d [secret:KEY] \udc00"
    )


def test_more_values_than_one_engine_takes_are_all_found() -> None:
    values = {f"KEY_{n}": f"{n * 7919:x}-hunter-{n}" for n in range(120)}
    text = "; ".join(values.values())
    assert redact(text, values=values) == "; ".join(f"[secret:{name}]" for name in values)


def test_the_engine_does_not_remember_patterns_that_hold_secrets() -> None:
    Redactor({"KEY": "hunter-two"})
    assert re2._Regexp._make.cache_info().currsize == 0


def test_a_run_of_the_characters_of_a_value_is_followed_once() -> None:
    """Each start in a run can be a value, and to follow all its forms from each takes seconds for 64 KiB."""
    for unit in ("a", "%61"):
        redactor = Redactor({"KEY": "a" * 20, "LONG": "a" * 100 + "-hunter"})
        calls, more_calls = (count_calls(partial(redactor.redact, unit * count)) for count in (400, 800))
        assert more_calls - calls < 40 * 400, unit
        assert redactor.redact(f"{unit * 1_000}x;{'a' * 100}-hunter.").endswith("x;[secret:LONG].")


def test_the_end_of_a_chunk_costs_the_same_for_few_and_many_values() -> None:
    """Many forms can begin at the last byte of a chunk: that one of them can is enough to hold it back."""

    def calls(count: int) -> int:
        stream = Redactor({f"KEY_{n}": f"e{n:03}-{n * 7919:08}" for n in range(count)}).stream(bytes)
        return count_calls(lambda: stream.feed(b"the e"))

    assert calls(10) == calls(2)


def count_calls(work: Callable[[], object]) -> int:
    """Count the calls of Python functions."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
