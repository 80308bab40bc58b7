"""The search finds a value in every form and in part, and nothing where there is none."""

from __future__ import annotations

import base64
import binascii
import html
import json
import secrets
from collections.abc import Callable
from urllib.parse import quote, quote_plus, urlencode

import pytest

from tests.leaks.canary import ODD, PEM, WINDOW, Search, canary

SHAPES = {"letters": "{}{}{}{}{}", "odd": ODD, "pem": PEM}

WRITTEN: dict[str, Callable[[str], bytes]] = {
    "raw": str.encode,
    "in a line": lambda v: f"DEBUG got {v} from ada\n".encode(),
    "JSON": lambda v: json.dumps({"a": [v]}).encode(),
    "JSON with its letters": lambda v: json.dumps({"a": v}, ensure_ascii=False).encode(),
    "JSON in JSON": lambda v: json.dumps(json.dumps(v), ensure_ascii=False).encode(),
    "repr": lambda v: repr({"a": v}).encode(),
    "repr of bytes": lambda v: repr(v.encode()).encode(),
    "hex": lambda v: v.encode().hex().encode(),
    "HEX": lambda v: binascii.hexlify(v.encode()).upper(),
    "base64": lambda v: base64.b64encode(v.encode()),
    "base64 after one letter": lambda v: base64.b64encode(b"x" + v.encode() + b"yz"),
    "base64 after two": lambda v: base64.b64encode(b"xy" + v.encode() + b"z"),
    "base64 for URLs": lambda v: base64.urlsafe_b64encode(b'{"value":"' + v.encode() + b'"}'),
    "basic auth": lambda v: b"Basic " + base64.b64encode(b"ada:" + v.encode()),
    "quoted": lambda v: quote(v).encode(),
    "quoted whole": lambda v: quote(v, safe="").encode(),
    "form": lambda v: urlencode({"a": v}).encode(),
    "plus": lambda v: quote_plus(v).encode(),
    "HTML": lambda v: html.escape(v).encode(),
    "UTF-16": lambda v: ("x" + v).encode("utf-16"),
    "reversed": lambda v: v[::-1].encode(),
    "in the middle of bytes": lambda v: secrets.token_bytes(99) + v.encode() + secrets.token_bytes(99),
    "all but its first letters": lambda v: v[WINDOW // 2 :].encode(),
    "shortened in the middle": lambda v: (v[: len(v) // 2 - 3] + "..." + v[len(v) // 2 + 3 :]).encode(),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_value_is_found_however_it_is_written(shape: str) -> None:
    one_canary, other_canary = canary("one", shape=SHAPES[shape]), canary("other", shape=SHAPES[shape])
    search = Search([one_canary, other_canary])
    for writing, written in WRITTEN.items():
        assert {name for name, _ in search.found(written(one_canary.value))} == {"one"}, writing


@pytest.mark.parametrize("start", range(0, 26, 5))
def test_any_fifteen_letters_of_a_value_are_found(start: int) -> None:
    one_canary = canary("one")
    assert Search([one_canary]).found(b"..." + one_canary.value[start : start + 15].encode() + b"...") == {
        ("one", "as it is")
    }


def test_nothing_is_found_where_there_is_nothing() -> None:
    canaries = [canary(f"way {n}", shape=shape) for n, shape in enumerate([*SHAPES.values()] * 10)]
    other_canary = canary("other", shape=ODD)
    texts = [write(other_canary.value) for write in WRITTEN.values()]
    noise = secrets.token_bytes(100_000) + secrets.token_hex(100_000).encode()
    assert Search(canaries).found(b"".join(texts) + noise) == set()


def test_the_public_part_of_a_value_is_not_a_leak() -> None:
    one_canary = canary("one", shape=PEM)
    assert one_canary.value.startswith("-----BEGIN PRIVATE KEY-----")
    assert Search([one_canary]).found(b"-----BEGIN PRIVATE KEY-----\n") == set()
