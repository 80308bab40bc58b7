"""Nested quantifiers: a group of one repeated character that is repeated itself, such as `(a+)+`.

RE2 matches them in linear time. Engines that backtrack do not, and no text needs one: the inner quantifier is enough.
"""

from __future__ import annotations

from askback.domain.patterns.charset import ServerOnly
from askback.domain.patterns.engine import compile_pattern, in_re2_spelling
from askback.domain.patterns.syntax import Chars, Choice, Group, Node, Repeat, Sequence, parse


def has_nested_quantifiers(pattern: str) -> bool:
    """Whether a pattern has nested `*` or `+`; false if it cannot be parsed."""
    try:
        compile_pattern(pattern)
        return _is_nested(parse(in_re2_spelling(pattern)))
    except (ValueError, ServerOnly):
        return False


def _is_nested(node: Node) -> bool:
    match node:
        case Repeat():
            return (_is_endless(node) and _repeats_a_character(node.item)) or _is_nested(node.item)
        case Group():
            return _is_nested(node.item)
        case Sequence():
            return any(map(_is_nested, node.items))
        case Choice():
            return any(map(_is_nested, node.alternatives))
        case _:
            return False


def _repeats_a_character(node: Node) -> bool:
    """Whether a node is a group of nothing but one repeated character."""
    match node:
        case Group(item=Sequence(items=(Repeat(item=Chars()) as inner,))):
            return _is_endless(inner)
        case _:
            return False


def _is_endless(node: Repeat) -> bool:
    return node.high is None and node.low <= 1
