"""The language of the terminal, and the policy's sentences in it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from askback.domain.approval import ReasonCode
from askback.domain.faults import Fault
from askback.domain.validation.texts import LANGUAGE_TAG
from askback.messages import negotiate_locale, render, translate
from askback.messages.languages import LocalText, choose


def language() -> str:
    """Return the language of this terminal for which texts exist."""
    return negotiate_locale(_tag())


def reader_languages() -> list[str]:
    """Return the languages of the reader, for an agent's texts in several languages."""
    return [tag] if LANGUAGE_TAG.fullmatch(tag := _tag()) else []


def text(written: LocalText | None) -> str:
    """Return a text of an agent in the language of the reader; empty without a text."""
    return choose(written, reader_languages())


def broken_rule(fault: Fault, locale: str) -> str:
    """Return the sentence of an error: the agent's own in the language of the reader, else askback's."""
    own_message: LocalText | None = fault.params.get("message")
    return render(fault, locale) if own_message is None else text(own_message)


def _tag() -> str:
    locale_name = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "en")
    return locale_name.partition(".")[0].partition("@")[0].replace("_", "-")


def sentences(texts: Sequence[str], codes: Sequence[ReasonCode], *, prefix: str = "reason") -> list[str]:
    """Return sentences of the policy in the language of the terminal; English if a code has no text.

    `prefix` is the first word of their keys in the catalogue: `reason` or `headline`.
    """
    locale = language()
    if locale == "en" or len(codes) != len(texts):
        return list(texts)
    return [_sentence(code, locale, text, prefix) for code, text in zip(codes, texts, strict=True)]


def _sentence(reason: ReasonCode, locale: str, english: str, prefix: str) -> str:
    try:
        return _translate(reason, locale, prefix)
    except KeyError:  # from a newer server
        return english


def _translate(reason: ReasonCode, locale: str, prefix: str) -> str:
    parameters = {
        name: _translate(ReasonCode.model_validate(value), locale, prefix)
        if isinstance(value, dict)
        else str(value)
        for name, value in reason.params.items()
    }
    return translate(f"{prefix}.{reason.code}", locale, **parameters)
