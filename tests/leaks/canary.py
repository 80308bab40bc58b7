"""Values to search for afterwards, in every form of a text, whole or in part."""

from __future__ import annotations

import base64
import html
import json
import secrets
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

LETTERS = string.ascii_letters + string.digits
WINDOW = 8
"""Characters of a piece: eight such letters never occur by chance, and a shortened value still has some."""

_BASE64_WINDOW = 9
"""Bytes of a piece in base64, where three bytes are four letters."""

ODD = "{}\"{}\\{}\n{}é{}<&>'{} {}\u2028{}%41{}\U0001f511{}"
"""A shape that JSON, URLs, HTML and shells escape differently."""

PEM = "-----BEGIN PRIVATE KEY-----\n{}{}{}{}\n{}{}{}{}\n-----END PRIVATE KEY-----\n"


@dataclass(frozen=True)
class Canary:
    """A value; `origin` says how it was sent, and names it in test output."""

    origin: str
    value: str
    secret: str = field(repr=False)
    """The part to search for: the text around it, such as the first line of a key, may be anywhere."""


def canary(origin: str, *, shape: str = "{}{}{}{}{}", letters: str = LETTERS) -> Canary:
    """Make a new value; each `{}` of its shape is eight letters or digits."""
    parts = ["".join(secrets.choice(letters) for _ in range(WINDOW)) for _ in range(shape.count("{}"))]
    value = shape.format(*parts)
    start, end = value.index(parts[0]), value.rindex(parts[-1]) + WINDOW
    return Canary(origin, value, value[start:end])


def encode_each(write: Callable[[str], str]) -> Callable[[str], bytes]:
    return lambda text: "".join(map(write, text)).encode()


FORMS: Mapping[str, Callable[[str], bytes]] = {
    "as it is": str.encode,
    "reversed": lambda text: text[::-1].encode(),
    "UTF-16": lambda text: text.encode("utf-16-le"),
    "UTF-16, the other way": lambda text: text.encode("utf-16-be"),
    "hexadecimal": lambda text: text.encode().hex().encode(),
    "hexadecimal in capitals": lambda text: text.encode().hex().upper().encode(),
    "JSON": lambda text: _json(text).encode(),
    "JSON in ASCII": lambda text: _json(text, ascii_only=True).encode(),
    "escapes": encode_each(lambda letter: f"\\u{ord(letter):04x}"),
    "percent signs": lambda text: quote(text, safe="").encode(),
    "percent signs alone": lambda text: "".join(f"%{byte:02X}" for byte in text.encode()).encode(),
    "plus signs": lambda text: quote(text, safe=" ").replace(" ", "+").encode(),
    "entities": lambda text: html.escape(text).encode(),
    "numbers of entities": encode_each(lambda letter: f"&#{ord(letter)};"),
    "Python": lambda text: repr(text)[1:-1].encode(),
    "Python bytes": lambda text: repr(text.encode())[2:-1].encode(),
    "numbers": lambda text: ", ".join(str(byte) for byte in text.encode()).encode(),
}
"""The encodings of a piece of text; each depends only on the piece."""


def _json(text: str, *, ascii_only: bool = False) -> str:
    return json.dumps(text, ensure_ascii=ascii_only)[1:-1]


def pieces(canary: Canary) -> Iterator[tuple[str, bytes]]:
    """Every form of every piece of a value, with the name of the form."""
    text = canary.secret
    starts = {*range(0, len(text) - WINDOW + 1, WINDOW), len(text) - WINDOW}
    for start in starts:
        for form, write in FORMS.items():
            yield form, write(text[start : start + WINDOW])
    raw = text.encode()
    for start in range(len(raw) - _BASE64_WINDOW + 1):
        # Each piece at the three possible alignments in base64.
        if start % _BASE64_WINDOW < 3:
            piece = raw[start : start + _BASE64_WINDOW]
            yield "base64", base64.b64encode(piece)
            yield "base64 for URLs", base64.urlsafe_b64encode(piece)


_KEY = 8
"""Bytes by which a piece is found; no form of a piece is shorter."""


class Search:
    """Searches for many values at once."""

    def __init__(self, canaries: Iterable[Canary]) -> None:
        self._known: dict[bytes, dict[bytes, tuple[str, str]]] = {}
        for item in canaries:
            for form, piece in pieces(item):
                # Of plain letters many forms are alike: the first that it could be is named.
                self._known.setdefault(piece[:_KEY], {}).setdefault(piece, (item.origin, form))

    def found(self, data: bytes) -> set[tuple[str, str]]:
        """Return (way, form) of every value of which a piece of 15 letters or more is in `data`."""
        known = self._known
        return {
            found
            for index in range(len(data) - _KEY + 1)
            if (key := data[index : index + _KEY]) in known
            for piece, found in known[key].items()
            if data.startswith(piece, index)
        }
