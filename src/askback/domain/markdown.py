"""Parses Markdown into a tree of allowed nodes, so that no browser ever gets HTML from an agent.

A node is a string or `{"type", "children"?, "href"?, "language"?, "start"?}` with the types p, em, strong, code, pre,
blockquote, ul, ol, li, br, a, table, tr, th and td. Headings become strong paragraphs, a picture its description,
HTML plain text. Links keep http, https and mailto; other links become text. A URL in plain text is a link as well.
The language of a `pre` is the one that its author wrote; `start` is the first number of an `ol` that does not begin
with 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.tree import SyntaxTreeNode

Node = str | dict[str, Any]

MAX_NESTING = 20
"""The maximum depth of the tree; deeper nodes lose their markup, and beyond a hundred levels their text."""

MAX_BRACKETS = 100
"""The maximum number of opening brackets: the parser searches the end of each separately."""

_ANY_MARKUP = re.compile(r"[*_`\[\]<>#&\\\n]|^\s*(?:[-+=~]|\d+[.)])|https?:|\t| {2,}")
_NUMBER = re.compile(r"\s*\d{1,9}[.)] ")
_SCHEME = re.compile(r"(?:https?://|mailto:)[^\x00-\x20]+", re.IGNORECASE)
_BARE_URL = re.compile(
    r"(?<![\w@/.:-])https?://[^\s<>\[\]\"'`\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+", re.IGNORECASE
)
_TRAILING = ".,:;!?*_~"
_CLOSING = {")": "(", "}": "{"}
_KEPT_NODES = {
    "paragraph": "p",
    "blockquote": "blockquote",
    "table": "table",
    "tr": "tr",
    "th": "th",
    "td": "td",
    "strong": "strong",
    "em": "em",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
}
_TRANSPARENT = {"image", "inline", "thead", "tbody"}
_INLINE_TAGS = {"em", "strong", "code", "a"}
_CODE_BLOCKS = {"fence", "code_block"}
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}")


def may_be_markdown(text: str) -> bool:
    """Return whether a text has to be parsed to find its markup; not so for most plain and for too complex texts."""
    return _ANY_MARKUP.search(text) is not None and text.count("[") <= MAX_BRACKETS


def markdown_tree(text: str) -> list[Node] | None:
    """Return the tree of a Markdown text; None if the text has no markup and can be shown unchanged."""
    if not may_be_markdown(text):
        return None
    try:
        nodes = _convert_nodes(_parse(text).children, MAX_NESTING)
    except RecursionError:  # a thousand asterisks on either side
        return None
    return None if nodes in ([], [{"type": "p", "children": [text]}]) else nodes


def plain_line(text: str) -> str:
    """Return a Markdown text as one line of plain text; a number at its start stays, as in "2. Deploy"."""
    number = _NUMBER.match(text)
    start = number[0] if number else ""
    remaining_text = text[len(start) :]
    return " ".join((start + tree_text(markdown_tree(remaining_text) or [remaining_text])).split())


def code_span(text: str) -> str:
    """Return Markdown that shows any text as code, on one line."""
    line = " ".join(text.split())
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    padding = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{padding}{line}{padding}{fence}" if line else ""


def tree_text(nodes: Iterable[Node]) -> str:
    """Return the text of a tree, with a blank after each of its blocks."""
    return "".join(node if isinstance(node, str) else _text(node) for node in nodes)


def _text(node: dict[str, Any]) -> str:
    return tree_text(node.get("children", ())) + " " * (node["type"] not in _INLINE_TAGS)


def _parse(text: str) -> SyntaxTreeNode:
    from markdown_it.tree import SyntaxTreeNode

    return SyntaxTreeNode(_markdown_parser().parse(text))


@cache
def _markdown_parser() -> MarkdownIt:
    """Make the parser at its first use: importing it takes a twentieth of the start time of a server."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": False, "maxNesting": 100})
    return reader.enable("table").disable(["html_block", "html_inline"])


def _convert_nodes(children: Iterable[SyntaxTreeNode], depth: int) -> list[Node]:
    """Convert siblings, to `depth` levels, and join neighbouring texts."""
    return _join_texts(node for child in children for node in _convert_node(child, depth))


def _join_texts(nodes: Iterable[Node]) -> list[Node]:
    merged_nodes: list[Node] = []
    for node in nodes:
        if isinstance(node, str) and merged_nodes and isinstance(merged_nodes[-1], str):
            merged_nodes[-1] += node
        elif node != "":
            merged_nodes.append(node)
    return merged_nodes


def _convert_node(node: SyntaxTreeNode, depth: int) -> list[Node]:
    kind = node.type
    if kind in _KEPT_NODES and depth > 0:
        children = _convert_nodes(node.children, depth - 1)
        return [{"type": _KEPT_NODES[kind], "children": children, **_first_number(node)}]
    if kind == "link":
        return _convert_link(node, depth)
    if kind == "heading":
        return [
            {
                "type": "p",
                "children": [{"type": "strong", "children": _convert_nodes(node.children, depth - 1)}],
            }
        ]
    if kind in _CODE_BLOCKS:
        return [{"type": "pre", "children": [node.content.removesuffix("\n")], **_language(node)}]
    if kind == "code_inline":
        return [{"type": "code", "children": [node.content]}]
    if kind == "hardbreak":
        return [{"type": "br"}]
    if kind == "softbreak":
        return ["\n"]
    if kind in _TRANSPARENT or kind in _KEPT_NODES:
        return _convert_nodes(node.children, depth - 1)
    return _link_urls(node.content) if kind in ("text", "text_special") else []


def _first_number(node: SyntaxTreeNode) -> dict[str, int]:
    """Return where a numbered list starts; the parser leaves 1 out."""
    start = node.attrs.get("start")
    return {"start": start} if isinstance(start, int) else {}


def _language(node: SyntaxTreeNode) -> dict[str, str]:
    match = _LANGUAGE.match(node.info) if node.type == "fence" else None
    return {"language": match[0].lower()} if match else {}


def _link_urls(text: str) -> list[Node]:
    """Split a text at the URLs in it, which become links."""
    nodes: list[Node] = []
    end = 0
    for match in _BARE_URL.finditer(text):
        address = _trim_url(match[0])
        if address.endswith("//"):
            continue
        nodes += [text[end : match.start()], {"type": "a", "href": address, "children": [address]}]
        end = match.start() + len(address)
    return [*nodes, text[end:]]


def _trim_url(address: str) -> str:
    """Remove punctuation after a URL, and a closing bracket that was opened before it."""
    while address[-1] in _TRAILING or address.count(address[-1]) > address.count(
        _CLOSING.get(address[-1], address[-1])
    ):
        address = address[:-1]
    return address


def _convert_link(node: SyntaxTreeNode, depth: int) -> list[Node]:
    href = str(node.attrs.get("href", ""))
    children = _without_links(_convert_nodes(node.children, depth - 1))
    if _SCHEME.fullmatch(href) is None:
        return children
    return [{"type": "a", "href": href, "children": children}]


def _without_links(nodes: list[Node]) -> list[Node]:
    """Return nodes without links: a link must not be inside another, and an unsafe one keeps only its text."""
    unlinked_nodes: list[Node] = []
    for node in nodes:
        if isinstance(node, str):
            unlinked_nodes.append(node)
            continue
        unlinked_children = _without_links(node.get("children", []))
        unlinked_nodes += (
            unlinked_children
            if node["type"] == "a"
            else [{**node, **({"children": unlinked_children} if unlinked_children else {})}]
        )
    return _join_texts(unlinked_nodes)
