"""Endless repetitions in endless repetitions. RE2 matches them in linear time; engines that backtrack may not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from askback.domain.patterns.browser import is_linear
from askback.domain.patterns.charset import ServerOnlyPattern
from askback.domain.patterns.engine import compile_pattern, translate_to_re2
from askback.domain.patterns.syntax import Chars, Choice, Group, Node, Repeat, Sequence, parse


def has_nested_quantifiers(pattern: str) -> bool:
    """Return whether a repeated character is alone in a repeated group, as in `(a+)+`: no text needs the outer one."""
    return _has_repetition(pattern, lambda node: node.low <= 1 and _repeats_a_character(node.item))


def has_ambiguous_nesting(pattern: str) -> bool:
    """Return whether nested repetitions can split a text in many ways, as in `([a-z]+ ?)*`, not `(,[a-z]+)*`."""
    return _has_repetition(
        pattern, lambda node: any(map(_is_endless, _descendants(node))) and not is_linear(node)
    )


def _has_repetition(pattern: str, is_wrong: Callable[[Repeat], bool]) -> bool:
    """Return whether a pattern has such an endless repetition; one that cannot be read has none."""
    try:
        compile_pattern(pattern)
        nodes = _descendants(Group(parse(translate_to_re2(pattern))))
        return any(isinstance(node, Repeat) and node.high is None and is_wrong(node) for node in nodes)
    except (ValueError, ServerOnlyPattern):
        return False


def _descendants(node: Node) -> Iterator[Node]:
    """Yield the parts of a node, and their parts."""
    match node:
        case Repeat() | Group():
            parts = (node.item,)
        case Sequence():
            parts = node.items
        case Choice():
            parts = node.alternatives
        case _:
            parts = ()
    for part in parts:
        yield part
        yield from _descendants(part)


def _repeats_a_character(node: Node) -> bool:
    """Return whether a node is a group of nothing but one repeated character."""
    match node:
        case Group(item=Sequence(items=(Repeat(item=Chars()) as inner,))):
            return _is_endless(inner) and inner.low <= 1
        case _:
            return False


def _is_endless(node: Node) -> bool:
    return isinstance(node, Repeat) and node.high is None
