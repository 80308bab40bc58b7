"""Compile and match patterns on the server, with RE2."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import re2  # pyright: ignore[reportMissingTypeStubs]  # google-re2 ships none

_re2: Any = re2

MAX_MEMORY = 8 * 1024 * 1024
"""Bytes for one compiled pattern: RE2's own default, so every pattern that RE2 compiles is accepted."""

USUAL_MEMORY = 1024 * 1024
"""Bytes that are enough for nearly every pattern; this also bounds its tables for matching, so many can be cached."""

TOO_LARGE = "pattern too large - compile failed"

_ESCAPES = re.compile(
    r"\\Q.*?(?:\\E|\Z)"
    r"|\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2})\\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})"
    r"|\\u\{(?P<braced>[0-9a-fA-F]{1,6})\}|\\u(?P<plain>[0-9a-fA-F]{4})|\\.",
    re.DOTALL,
)


class Matcher:
    """A compiled pattern; `size` counts its instructions, and the compile time grows with it."""

    __slots__ = ("_compiled", "size")

    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self.size: int = compiled.programsize

    def fullmatch(self, text: str) -> bool:
        """Return whether the whole of `text` matches; `text` has no half surrogate pairs."""
        return self._compiled.fullmatch(text.encode()) is not None


def compile_pattern(pattern: str) -> Matcher:
    """Compile for RE2; raises `ValueError` with RE2's reason, without any part of the pattern."""
    try:
        return _compile_usual(pattern)
    except _re2.error as error:
        if _reason(error) != TOO_LARGE:
            raise ValueError(_reason(error)) from None
    except UnicodeEncodeError:
        raise ValueError("invalid UTF-8") from None
    try:
        return _compile_large(pattern)
    except _re2.error as error:
        raise ValueError(_reason(error)) from None


@lru_cache(maxsize=256)
def _compile_usual(pattern: str) -> Matcher:
    return _compile(pattern, USUAL_MEMORY)


@lru_cache(maxsize=8)  # each may take 20 MB
def _compile_large(pattern: str) -> Matcher:
    return _compile(pattern, MAX_MEMORY)


def _compile(pattern: str, memory: int) -> Matcher:
    options = _re2.Options()
    options.max_mem = memory
    options.log_errors = False
    options.never_capture = True
    return Matcher(_re2.compile(translate_to_re2(pattern), options))


def translate_to_re2(pattern: str) -> str:
    r"""Write JavaScript's `\u4e00` and `\u{1F600}`, which RE2 does not know, as `\x{4e00}`."""
    return _ESCAPES.sub(_respell, pattern) if "\\u" in pattern else pattern


def _respell(match: re.Match[str]) -> str:
    if match["high"]:
        code_point = 0x10000 + ((int(match["high"], 16) & 0x3FF) << 10) + (int(match["low"], 16) & 0x3FF)
        return f"\\x{{{code_point:x}}}"
    digits = match["braced"] or match["plain"]
    return f"\\x{{{digits}}}" if digits else match[0]


def _reason(error: Exception) -> str:
    """Return the fixed part of RE2's message: in `missing ]: [a-` the rest is the pattern's own text."""
    raw = error.args[0] if error.args else b""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    return text.partition(": ")[0]
