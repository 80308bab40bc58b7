"""Markdown becomes a tree of allowed nodes; plain text stays plain text."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askback.domain.build_view import build_view
from askback.domain.markdown import code_span, markdown_tree, plain_line
from askback.domain.validation import check_form
from tests.requirements import requirement


def p(*children: Any) -> dict[str, Any]:
    return {"type": "p", "children": list(children)}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain text.",
        "3 things - and more, 2 < 3 & 4",
        "snake_case_name",
        "https:// is a scheme",
        "ftp://example.org file:///etc/passwd",
        "a (b) c!",
    ],
)
def test_text_without_markdown_has_no_tree(text: str) -> None:
    assert markdown_tree(text) is None


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("a *b* **c** `d`", [p("a ", {"type": "em", "children": ["b"]}, " ", {"type": "strong", "children": ["c"]}, " ", {"type": "code", "children": ["d"]})]),
        ("# Title\n\nline\nnext  \nbroken", [p({"type": "strong", "children": ["Title"]}), p("line\nnext", {"type": "br"}, "broken")]),
        ("- a\n- b", [{"type": "ul", "children": [{"type": "li", "children": [p("a")]}, {"type": "li", "children": [p("b")]}]}]),
        ("1. a", [{"type": "ol", "children": [{"type": "li", "children": [p("a")]}]}]),
        ("7) a\n8) b", [{"type": "ol", "start": 7, "children": [{"type": "li", "children": [p("a")]}, {"type": "li", "children": [p("b")]}]}]),
        ("0. a", [{"type": "ol", "start": 0, "children": [{"type": "li", "children": [p("a")]}]}]),
        ("```js\nx <b>\n```", [{"type": "pre", "children": ["x <b>"], "language": "js"}]),
        ("> quoted *text*", [{"type": "blockquote", "children": [p("quoted ", {"type": "em", "children": ["text"]})]}]),
        ("> a\n>\n> > b\n\nc", [{"type": "blockquote", "children": [p("a"), {"type": "blockquote", "children": [p("b")]}]}, p("c")]),
        ("![a *picture*](https://e.org/x.png)", [p("a ", {"type": "em", "children": ["picture"]})]),
        ("[go](https://e.org/?a=1&b=2)", [p({"type": "a", "href": "https://e.org/?a=1&b=2", "children": ["go"]})]),
        ("<https://e.org> [m](mailto:a@e.org)", [p({"type": "a", "href": "https://e.org", "children": ["https://e.org"]}, " ", {"type": "a", "href": "mailto:a@e.org", "children": ["m"]})]),
        (r"\*not\*", [p("*not*")]),
        ("    x", [{"type": "pre", "children": ["x"]}]),
        ("~~~C++ <i>\nx\n~~~", [{"type": "pre", "children": ["x"], "language": "c++"}]),
        ("|a|b|\n|-|-|\n|*1*||", [{"type": "table", "children": [{"type": "tr", "children": [{"type": "th", "children": ["a"]}, {"type": "th", "children": ["b"]}]}, {"type": "tr", "children": [{"type": "td", "children": [{"type": "em", "children": ["1"]}]}, {"type": "td", "children": []}]}]}]),
    ],
)  # fmt: skip
def test_markdown_becomes_nodes(text: str, nodes: list[Any]) -> None:
    assert markdown_tree(text) == nodes


def link(address: str) -> dict[str, Any]:
    return {"type": "a", "href": address, "children": [address]}


@requirement("I4")
@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("https://example.org", [link("https://example.org")]),
        ("Get a key at https://app.hubspot.com/private-apps.", ["Get a key at ", link("https://app.hubspot.com/private-apps"), "."]),
        ("(see http://e.org/a_(b)?x=1&y=2#z), then", ["(see ", link("http://e.org/a_(b)?x=1&y=2#z"), "), then"]),
        ("one https://a.org two HTTPS://B.org!", ["one ", link("https://a.org"), " two ", link("HTTPS://B.org"), "!"]),
        ("**https://a.org**", [{"type": "strong", "children": [link("https://a.org")]}]),
        ("xhttps://a.org user@https://a.org", None),
        ("`https://a.org`", [{"type": "code", "children": ["https://a.org"]}]),
        ("[https://bank.com](https://e.org)", [{"type": "a", "href": "https://e.org", "children": ["https://bank.com"]}]),
        ("[see https://a.org](javascript:x)", ["[see ", link("https://a.org"), "](javascript:x)"]),
        ("https://a.org/\u202egpj.exe", [link("https://a.org/"), "\u202egpj.exe"]),
    ],
)  # fmt: skip
def test_an_address_in_plain_text_is_a_link(text: str, nodes: list[Any] | None) -> None:
    assert markdown_tree(text) == (None if nodes is None else [p(*nodes)])


ATTACKS = ["[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](data:text/html,x)", "[x](vbscript:x)", "[x](/relative)", "[x](//e.org)", "[x](file:///etc/passwd)", "<javascript:alert(1)>", "[x][r]\n\n[r]: javascript:alert(1)", "<script>alert(1)</script>*x*",
           "<img src=x onerror=alert(1)> *x*", "<a href='https://e.org' onclick=x>*x*</a>", "![x](javascript:alert(1))", "[x](\x01javascript:alert(1))", "[x](&#106;avascript:alert(1))", "[x](java\nscript:alert(1))", "[x](http:relative)"]  # fmt: skip


@requirement("I4")
@pytest.mark.parametrize("text", ATTACKS)
def test_nothing_active_gets_into_the_tree(text: str) -> None:
    findings = [node for node in walk(markdown_tree(text) or []) if "href" in node]
    # An address in the text leads to exactly the shown address.
    assert [node["href"] for node in findings] == [child for node in findings for child in node["children"]]
    assert all(node["href"].startswith("https://") for node in findings)


@requirement("I4")
@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "*",
                "**",
                "`",
                "[",
                "](",
                ")",
                "<",
                ">",
                "\n",
                "- ",
                "1. ",
                "> ",
                "#",
                "a",
                " ",
                "javascript:",
                "https://e.org",
                "!",
                "&lt;",
                "\\",
                "```",
                "\t",
            ]
        ),
        max_size=25,
    ).map("".join)
)
def test_any_text_gives_only_allowed_nodes(text: str) -> None:
    for node in walk(markdown_tree(text) or []):
        assert set(node) <= {"type", "children", "href", "language", "start"}
        assert node["type"] in {"p", "em", "strong", "code", "pre", "blockquote", "ul", "ol", "li", "br", "a"}
        assert ("href" in node) == (node["type"] == "a")
        assert node.get("href", "https://").startswith(("https://", "http://", "mailto:"))


@pytest.mark.parametrize(
    "text",
    [
        "*" * 999 + "a" + "*" * 999,
        "> " * 900 + "x",
        "- " * 900 + "x",
        "[" * 1000 + "](https://e)" * 80,
        "`" * 1999,
    ],
)
def test_absurd_nesting_is_survived_and_stays_shallow(text: str) -> None:
    def depth(nodes: list[Any]) -> int:
        return max(
            (1 + depth(node.get("children", [])) for node in nodes if isinstance(node, dict)), default=0
        )

    assert depth(markdown_tree(text) or []) <= 25


def test_a_text_full_of_brackets_is_shown_unchanged() -> None:
    assert markdown_tree("[" * 100 + "*a*") is not None
    assert markdown_tree("[" * 101 + "*a*") is None


def test_no_more_of_a_form_is_read_as_markdown_than_forty_thousand_characters() -> None:
    fields = [
        {"id": f"f{n}", "type": "boolean", "label": "L", "description": f"*a*{'b' * 7997}"} for n in range(9)
    ]
    form = check_form({"description": "no markup " * 200, "fields": fields})
    assert list(build_view(form)["markdown"]) == [f"form.fields[{n}].description" for n in range(5)]


def walk(nodes: list[Any]) -> list[dict[str, Any]]:
    findings = [node for node in nodes if isinstance(node, dict)]
    return findings + [inner for node in findings for inner in walk(node.get("children", []))]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Lunch", "Lunch"),
        ("# Fix **the** [build](https://e.org) of `a_b`", "Fix the build of a_b"),
        ("a\n\n- b\n- c", "a b c"),
        ("2. Deploy *now*", "2. Deploy now"),
        ("2 * 3 < 7 & \\*", "2 * 3 < 7 & *"),
        ("---", "---"),
        ("![](https://e.org)", ""),
    ],
)
def test_markdown_becomes_one_line_of_plain_text(text: str, line: str) -> None:
    assert plain_line(text) == line


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "**a** [b](https://c) https://d/e_f_g <i>",
        "`",
        "a `b` ``` c",
        "``a",
        "back\\slash`",
        " a\n\n- b ",
    ],
)
def test_a_code_span_shows_any_text_on_one_line_as_code(text: str) -> None:
    tree = markdown_tree(f"It is {code_span(text)}.")
    code = {"type": "code", "children": [" ".join(text.split())]}
    assert tree == [{"type": "p", "children": ["It is ", code, "."]}]


def test_a_code_span_of_nothing_is_empty() -> None:
    assert code_span(" \n") == ""
