"""Recognize texts that belong in a secret field: keys, tokens, passwords in URLs.

A person who pastes a key into an ordinary field is warned before it is sent. The patterns are in
`secretshapes.json`, which the browser reads too; `vectors/secretshapes.json` holds both sides to the same results.
They use only what RE2 and JavaScript read alike, and take linear time in both: an unbounded repetition is at the
end of a pattern, or matches in one way only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from operator import itemgetter
from typing import Any, Literal

import re2  # pyright: ignore[reportMissingTypeStubs]  # google-re2 ships none

from askback.domain.values import frozen

Kind = Literal["private_key", "connection_string", "jwt", "api_key", "bearer", "assignment", "token"]

_re2: Any = re2


@frozen(slots=True)
class Shape:
    """The kind and place of a match, never its text: indices of code points, `end` is the first one after it."""

    kind: Kind
    start: int
    end: int


def _latin1(pattern: str) -> Any:
    options = _re2.Options()
    options.encoding = _re2.Options.Encoding.LATIN1
    options.log_errors = False
    return _re2.compile(pattern.encode(), options)


_TABLE = json.loads(files("askback.domain").joinpath("secretshapes.json").read_text("utf-8"))
_CERTAIN: dict[Kind, Any] = {
    kind: _latin1("|".join(patterns)) for kind, patterns in _TABLE["certain"].items()
}
_WORD = _latin1(f"{'|'.join(_TABLE['harmless'])}|({_TABLE['token']})")

_CHARACTERS = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))
_CHANGE = re.compile("[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])")
_BETWEEN = re.compile("[^A-Za-z0-9]")

Span = tuple[int, int, Kind]


def find_secret(text: str) -> Shape | None:
    """Return the first match in a text: a certain one, or else a token that looks random."""
    data = text.encode("utf-8", "surrogatepass")
    first = min(_certain(data), key=itemgetter(0), default=None) or next(_tokens(data), None)
    if first is None:
        return None
    start, end, kind = first
    return Shape(kind, _points(data[:start]), _points(data[:end]))


def _certain(data: bytes) -> Iterator[Span]:
    """Return the first match of each kind; a group in its pattern holds the secret without its prefix."""
    for kind, pattern in _CERTAIN.items():
        if (match := pattern.search(data)) is not None:
            yield (*match.span(match.lastindex or 0), kind)


def _tokens(data: bytes) -> Iterator[Span]:
    for match in _WORD.finditer(data):
        if match[1] and _random(match[1].decode()):
            yield (*match.span(1), "token")


def _random(token: str) -> bool:
    """Whether letters and digits change too often for words.

    Between two characters, words in camel case begin at about one place in six; in random text, small letters turn to
    capitals, or letters to digits or back, at nearly one place in two. The threshold is one in four.
    """
    bare = _BETWEEN.sub("", token)
    changes = len(_CHANGE.findall(bare))
    return all(each.search(bare) for each in _CHARACTERS) and changes > max(5, len(bare) / 4)


def _points(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))
