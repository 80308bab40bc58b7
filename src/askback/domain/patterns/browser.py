"""Rewrite a pattern for the browser if a backtracking engine is sure to match it in linear time.

The rule: at every choice the next characters must allow one way at most. A repetition may continue or end, so
the first characters of a round must differ from all characters that may follow it; alternatives must begin
differently, or differ at a later fixed place; and the repeated part is never empty. Then backtracking finds
nothing new: each earlier choice fails immediately, within a number of characters that depends on the pattern
alone. Nested and neighbouring runs that overlap, which cause the exponential and the polynomial cases, break
the rule. So do some harmless ones; only the server checks those.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from askback.domain.patterns.charset import Charset, ServerOnlyPattern, overlap, union
from askback.domain.patterns.engine import translate_to_re2
from askback.domain.patterns.syntax import Chars, Choice, Edge, Group, Node, Repeat, Sequence, parse

_PREFIX = 32


def is_linear(node: Node) -> bool:
    """Return whether the whole pattern, anchored at both ends, is safe."""
    return _is_safe(node, following=())


def _is_safe(node: Node, *, following: Charset) -> bool:
    """Return whether `node` is safe where the characters in `after` may follow it."""
    match node:
        case Chars():
            return True
        case Edge():
            raise ServerOnlyPattern
        case Group():
            return _is_safe(node.item, following=following)
        case Sequence():
            return _is_safe_sequence(node.items, following=following)
        case Choice():
            return _is_safe_choice(node.alternatives, following=following)
        case Repeat():
            return _is_safe_repeat(node, following=following)


def _is_safe_sequence(items: tuple[Node, ...], *, following: Charset) -> bool:
    followers = [following]
    for item in reversed(items):
        followers.append(
            union(_first_chars(item), followers[-1]) if _matches_empty(item) else _first_chars(item)
        )
    followers.reverse()
    return all(
        _is_safe(item, following=next_) for item, (_, next_) in zip(items, pairwise(followers), strict=True)
    )


def _is_safe_choice(alternatives: tuple[Node, ...], *, following: Charset) -> bool:
    empty = sum(_matches_empty(alternative) for alternative in alternatives)
    if empty > 1 or (empty and overlap(_first_chars(Choice(alternatives)), following)):
        return False
    beginnings = [
        _Beginning(_first_chars(alternative), _leading_sets(alternative)[0]) for alternative in alternatives
    ]
    if not all(_starts_differ(first, second) for first, second in combinations(beginnings, 2)):
        return False
    return all(_is_safe(alternative, following=following) for alternative in alternatives)


def _is_safe_repeat(node: Repeat, *, following: Charset) -> bool:
    if node.high == 0 or _matches_empty(node.item):
        return False
    repeated_chars = _first_chars(node.item)
    if node.low != node.high and overlap(repeated_chars, following):
        return False
    return _is_safe(node.item, following=following if node.high == 1 else union(repeated_chars, following))


class _Beginning(NamedTuple):
    """How an alternative begins: its possible first characters, and the sets of those at fixed places."""

    first: Charset
    prefix: list[Charset]


def _starts_differ(first_beginning: _Beginning, second_beginning: _Beginning) -> bool:
    """Return whether no text begins with a match of both: they differ at some place that both always reach."""
    if not overlap(first_beginning.first, second_beginning.first):
        return True
    return any(
        not overlap(a, b) for a, b in zip(first_beginning.prefix, second_beginning.prefix, strict=False)
    )


def _leading_sets(node: Node) -> tuple[list[Charset], bool]:
    """Return the sets of the first characters before the length varies, and whether these are all."""
    match node:
        case Chars():
            return [node.chars], True
        case Group():
            return _leading_sets(node.item)
        case Sequence():
            sets: list[Charset] = []
            for item in node.items:
                item_sets, is_complete = _leading_sets(item)
                sets += item_sets
                if not is_complete or len(sets) > _PREFIX:
                    return sets, False
            return sets, True
        case Repeat() if node.low > 0:
            sets, is_complete = _leading_sets(node.item)
            rounds = min(node.low, _PREFIX) if is_complete else 1
            return sets * rounds, is_complete and rounds == node.high
        case _:
            return [], False


def _matches_empty(node: Node) -> bool:
    match node:
        case Chars():
            return False
        case Edge():
            raise ServerOnlyPattern
        case Group():
            return _matches_empty(node.item)
        case Sequence():
            return all(_matches_empty(item) for item in node.items)
        case Choice():
            return any(_matches_empty(item) for item in node.alternatives)
        case Repeat():
            return node.low == 0 or _matches_empty(node.item)


def _first_chars(node: Node) -> Charset:
    """Return the characters that a match can begin with."""
    match node:
        case Chars():
            return node.chars
        case Edge():
            raise ServerOnlyPattern
        case Group():
            return _first_chars(node.item)
        case Choice():
            return union(*(_first_chars(item) for item in node.alternatives))
        case Repeat():
            return _first_chars(node.item)
        case Sequence():
            sets: list[Charset] = []
            for item in node.items:
                sets.append(_first_chars(item))
                if not _matches_empty(item):
                    break
            return union(*sets)


@lru_cache(maxsize=512)
def browser_pattern(pattern: str) -> str | None:
    """Return an anchored JavaScript source for the flag `u` that means what `pattern` means in RE2.

    None if that is not certain, or if a backtracking engine might need more than linear time: then only the
    server decides. `compile_pattern` must accept `pattern`.
    """
    try:
        node = _without_edges(parse(translate_to_re2(pattern)))
        return f"^(?:{_source(node)})$" if is_linear(node) else None
    except ServerOnlyPattern:
        return None


def _without_edges(node: Node) -> Node:
    """Drop `^` at the very beginning and `$` at the very end: a full match implies them."""
    if not isinstance(node, Sequence):
        return node
    items = node.items
    while items and items[0] == Edge(at_start=True):
        items = items[1:]
    while items and items[-1] == Edge(at_start=False):
        items = items[:-1]
    return Sequence(items)


def _source(node: Node) -> str:
    match node:
        case Chars():
            return node.source
        case Sequence():
            return "".join(_source(item) for item in node.items)
        case Choice():
            return "|".join(_source(item) for item in node.alternatives)
        case Group():
            return f"(?:{_source(node.item)})"
        case Repeat():
            return _source(node.item) + _quantifier(node)
        case Edge():
            raise ServerOnlyPattern


def _quantifier(node: Repeat) -> str:
    match node.low, node.high:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case low, None:
            return f"{{{low},}}"
        case low, high:
            return f"{{{low}}}" if low == high else f"{{{low},{high}}}"
