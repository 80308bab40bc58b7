"""Texts of an agent in one language or several, and the choice of a language for a reader.

The same rule is in `web/src/core/texts.ts`; both run `vectors/texts.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

LocalText = Annotated[str | dict[str, str], Field(union_mode="left_to_right")]
"""A text, or one text for each language tag: `{"en": "Yes", "de": "Ja"}`."""


def choose(text: LocalText | None, languages: Sequence[str] = ()) -> str:
    """Return the text for a reader of `languages`, the preferred one first; empty without a text."""
    if text is None or isinstance(text, str):
        return text or ""
    return text[choose_language(text, languages)]


def choose_language(offered: Iterable[str], languages: Sequence[str] = ()) -> str:
    """Return one of the offered tags, of which there is at least one, for a reader of `languages`.

    For each language in turn: the same tag, then its prefixes, then a longer tag (`de` gets `de-AT`).
    Otherwise English, otherwise the first offered tag. Case does not matter.
    """
    tags = {tag.lower(): tag for tag in offered}
    for language in (*languages, "en"):
        candidate = language.lower()
        while candidate:
            if candidate in tags:
                return tags[candidate]
            candidate = candidate.rpartition("-")[0]
        primary = language.lower().partition("-")[0]
        for tag, original_tag in tags.items():
            if tag.partition("-")[0] == primary:
                return original_tag
    return next(iter(tags.values()))


def spellings(text: LocalText | None) -> Iterable[tuple[str | None, str]]:
    """Return a text with None, or each language of it with its tag; nothing without a text."""
    if text is None:
        return ()
    return ((None, text),) if isinstance(text, str) else text.items()
