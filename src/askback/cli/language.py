"""The language of the terminal, and what the policy says in it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from askback.domain.approval import ReasonCode
from askback.messages import negotiate, translate


def language() -> str:
    """Return the language of this terminal that there are texts in."""
    named = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "en")
    return negotiate(named.partition(".")[0].replace("_", "-"))


def sentences(texts: Sequence[str], codes: Sequence[ReasonCode]) -> list[str]:
    """Return sentences of the policy in the language of the terminal; English where there is no text for a code."""
    locale = language()
    if locale == "en" or len(codes) != len(texts):
        return list(texts)
    return [_sentence(code, locale, text) for code, text in zip(codes, texts, strict=True)]


def _sentence(reason: ReasonCode, locale: str, english: str) -> str:
    try:
        return _translated(reason, locale)
    except KeyError:  # of a newer server
        return english


def _translated(reason: ReasonCode, locale: str) -> str:
    said = {
        name: _translated(ReasonCode.model_validate(value), locale) if isinstance(value, dict) else str(value)
        for name, value in reason.params.items()
    }
    return translate(f"reason.{reason.code}", locale, **said)
