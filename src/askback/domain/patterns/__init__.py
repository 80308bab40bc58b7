"""Patterns: RE2 is the one dialect, on the server and, where that is provably safe, in the browser.

RE2 runs in linear time whatever the pattern, so the server takes everything that RE2 compiles.
A browser's engine backtracks: it gets a pattern only when `linear` can show that backtracking
finds nothing to try twice, rewritten so that it means there what it means in RE2.
"""

from __future__ import annotations

from askback.domain.patterns.browser import browser_pattern
from askback.domain.patterns.engine import TOO_LARGE, Matcher, compile_pattern
from askback.domain.patterns.nesting import has_nested_quantifiers

__all__ = ["TOO_LARGE", "Matcher", "browser_pattern", "compile_pattern", "has_nested_quantifiers"]
