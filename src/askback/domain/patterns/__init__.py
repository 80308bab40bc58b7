"""Patterns: RE2 is the only dialect, on the server and, if that is provably safe, in the browser.

RE2 runs in linear time for every pattern, so the server accepts all patterns that RE2 compiles.
A browser's engine backtracks: it gets a pattern only if `is_linear` shows that backtracking never retries
anything, rewritten to mean the same as in RE2.
"""

from __future__ import annotations

from askback.domain.patterns.browser import browser_pattern
from askback.domain.patterns.engine import TOO_LARGE, Matcher, compile_pattern
from askback.domain.patterns.nesting import has_ambiguous_nesting, has_nested_quantifiers

__all__ = [
    "TOO_LARGE",
    "Matcher",
    "browser_pattern",
    "compile_pattern",
    "has_ambiguous_nesting",
    "has_nested_quantifiers",
]
