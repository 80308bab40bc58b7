"""What the browser may run: a rewritten pattern, or nothing."""

from __future__ import annotations

from functools import lru_cache

from askback.domain.patterns.engine import in_re2_spelling
from askback.domain.patterns.escapes import ServerOnly
from askback.domain.patterns.linear import is_linear
from askback.domain.patterns.syntax import Chars, Choice, Edge, Group, Node, Repeat, Sequence, parse


@lru_cache(maxsize=512)
def browser_pattern(pattern: str) -> str | None:
    """Return an anchored JavaScript source for the flag `u` that means what `pattern` means in RE2.

    None where that is not certain, or where a backtracking engine might need more than linear
    time: then only the server decides. `pattern` is one that `compile_pattern` accepts.
    """
    try:
        node = _without_edges(parse(in_re2_spelling(pattern)))
        return f"^(?:{_source(node)})$" if is_linear(node) else None
    except ServerOnly:
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
            raise ServerOnly


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
