"""The texts for people, in English and German, from one catalogue that Python and TypeScript share.

`en.json` and `de.json` have the same keys. `fault.<key>` is the sentence for a fault; `ui.*` are the texts of the
web pages, which import the same files. Placeholders are `{name}`; numbers are written as JavaScript's `String(n)`
writes them, so that both languages show the same text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol, Self, cast

from askback.messages.languages import LocalText, choose

LOCALES = ("en", "de")
DEFAULT_LOCALE = "en"

_FOLDER = Path(__file__).parent
_CATALOGUES: dict[str, dict[str, str]] = {
    locale: json.loads((_FOLDER / f"{locale}.json").read_text(encoding="utf-8")) for locale in LOCALES
}
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_LANGUAGE_RANGE = re.compile(
    r"\s*([A-Za-z]{1,8}|\*)(?:-[A-Za-z0-9]{1,8})*\s*(?:;\s*q\s*=\s*([01](?:\.[0-9]{0,3})?|\.[0-9]{1,3})\s*)?"
)


class Translatable(Protocol):
    """A message: a key of the catalogue (without `fault.`) and the values of its placeholders."""

    @property
    def key(self) -> str:
        """The catalogue's key, without `fault.`."""
        ...

    @property
    def params(self) -> Mapping[str, Any]:
        """The values of the placeholders."""
        ...


def render(fault: Translatable, locale: str) -> str:
    """Return the sentence for a fault, or its own message; the default locale is English."""
    own_message: LocalText | None = fault.params.get("message")
    if own_message is not None:
        return choose(own_message, (locale,))
    return translate(f"fault.{fault.key}", locale, **fault.params)


def translate(key: str, locale: str, **params: Any) -> str:
    """Return the text of `key` with its placeholders filled in; filled-in text is not searched again.

    A value that is a `TranslatableText` itself is translated too; several are joined with blanks. With a
    value of 1 the text of `<key>.one` is used, if it exists.
    """
    catalogue = _CATALOGUES.get(locale, _CATALOGUES[DEFAULT_LOCALE])
    text = (catalogue.get(f"{key}.one") if 1 in params.values() else None) or catalogue[key]
    return _PLACEHOLDER.sub(lambda match: _text(params[match[1]], locale), text) if "{" in text else text


class TranslatableText(str):
    """A text of the catalogue, in English, that can be translated later.

    `key` is the catalogue's key and `params` are the values of its placeholders, any of which may be a
    `TranslatableText` itself.
    """

    __slots__ = ("key", "params")
    key: str
    params: Mapping[str, Any]

    def __new__(cls, key: str, params: Mapping[str, Any]) -> Self:
        """Fill in the English text of `key`."""
        text = super().__new__(cls, translate(key, DEFAULT_LOCALE, **params))
        text.key, text.params = key, params
        return text

    def translated(self, locale: str) -> str:
        """Return the text in another language."""
        return str(self) if locale == DEFAULT_LOCALE else translate(self.key, locale, **self.params)


@lru_cache(64)
def negotiate_locale(accept_language: str | None) -> str:
    """Choose the locale for an `Accept-Language` header; English if none fits."""
    best, best_quality = DEFAULT_LOCALE, 0.0
    for part in (accept_language or "").split(","):
        match = _LANGUAGE_RANGE.fullmatch(part)
        if match is None:
            continue
        language = DEFAULT_LOCALE if match[1] == "*" else match[1].lower()
        quality = float(match[2] or 1)
        if language in LOCALES and quality > best_quality:
            best, best_quality = language, quality
    return best


def _text(value: Any, locale: str) -> str:
    if isinstance(value, TranslatableText):
        return value.translated(locale)
    if isinstance(value, tuple):
        return " ".join(_text(item, locale) for item in cast("tuple[Any, ...]", value))
    return str(value) if isinstance(value, str) else number_text(value)


def number_text(value: float) -> str:
    """Write a finite number as JavaScript's `String(n)` does (ECMA-262, Number::toString)."""
    if isinstance(value, int) and abs(value) < 10**21:
        return str(value)
    mantissa, _, exponent = f"{float(value)!r}".partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    integer_digits, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (integer_digits + fraction).lstrip("0")
    point = len(integer_digits) + int(exponent or 0) - (len(integer_digits + fraction) - len(digits))
    digits = digits.rstrip("0")
    return sign + _place_point(digits, point) if digits else "0"


def _place_point(digits: str, point: int) -> str:
    """Put the decimal point `point` digits after the first one begins, or write an exponent."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if count > 1 else ""
    return f"{digits[0]}{tail}e{'+' if point > 0 else '-'}{abs(point - 1)}"
