"""Replaces every known value in a text by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, AnyStr, overload

from askback.domain.redaction.expression import match_bytes
from askback.domain.redaction.finder import Finder
from askback.domain.redaction.forms import value_forms
from askback.domain.redaction.stream import RedactedStream


class Redactor:
    """Replaces values by `[secret:NAME]` in whatever form programs write them.

    `values` maps names to values. It finds, also within other text and mixed with each other: the characters,
    plain, in other case, or escaped for URLs, JSON, shells and HTML, with blanks, quotes or line breaks between
    them, and in UTF-16; base64 in any alignment and both alphabets, with or without padding and line breaks; bytes
    as numbers of base 2, 8, 10 and 16 and as words of two, in dumps with offsets and characters; the value
    backwards; single lines and long pieces of a long value, with the breaks between them. Overlapping matches are
    replaced together, under the name of the longer one.

    Not found: values under 6 characters (`too_short` has their names), compressed or encrypted ones, digests, other
    encodings or two of them, and those with something else in between. A program that has a value can always leak
    it: this is a safety net, not a security boundary.
    """

    __slots__ = ("_finder", "too_short")

    def __init__(self, values: Mapping[str, str]) -> None:
        forms = {name: list(value_forms(value)) for name, value in values.items()}
        self.too_short = tuple(name for name, spellings in forms.items() if not spellings)
        """Names whose values are not searched for: a short value occurs in too many harmless texts."""
        # A label is a form of its value, too, so redacted text is not changed again.
        labels = {name: b"[secret:%b]" % name.encode() for name in forms}
        pairs = [(form, labels[name]) for name in forms for form in (*forms[name], match_bytes(labels[name]))]
        self._finder = Finder(pairs)

    def redact(self, text: AnyStr) -> AnyStr:
        """Return the text without the values; bytes need not be UTF-8."""
        stream = RedactedStream(self._finder, type(text))
        return stream.feed(text) + stream.close()

    @overload
    def stream(self, kind: type[bytes]) -> RedactedStream[bytes]: ...
    @overload
    def stream(self, kind: type[str] = str) -> RedactedStream[str]: ...
    def stream(self, kind: type[Any] = str) -> RedactedStream[Any]:
        """Begin a text that comes in chunks of `str`, or of `bytes`."""
        return RedactedStream(self._finder, kind)


def redact(text: AnyStr, *, values: Mapping[str, str]) -> AnyStr:
    """Return a text with every value replaced by `[secret:NAME]`, as `Redactor` does it.

    To redact several texts, or a text in chunks, create a `Redactor` once.
    """
    return Redactor(values).redact(text)
