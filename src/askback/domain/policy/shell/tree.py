"""The syntax tree of a command line, by tree-sitter's grammar of bash.

Two uses. As a second reader it must find the same commands as `lexer`, or nobody is sure what would run.
And it finds every command wherever it hides (in substitutions, loops, here-documents), for rules that deny.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

from askback.domain.policy.shell import limits
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.wordlist import words

_PARSER = Parser(Language(tree_sitter_bash.language()))
_ACCEPTED = words(
    "program list pipeline redirected_statement command command_name word string string_content raw_string number "
    'concatenation file_redirect file_descriptor && || ; | > >> >& &> &>> < " $'
)
_WORDS = words("word string raw_string ansi_c_string translated_string number concatenation")
_VALUES = _WORDS | words(
    "simple_expansion expansion command_substitution process_substitution brace_expression"
)
_ESCAPED = re.compile(rb"\\(.)", re.DOTALL)
_ESCAPED_IN_DOUBLE = re.compile(rb'\\([\\"$`])')
_LIVELY = re.compile(rb"[`$]")
_ANSI = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "a": "\a", "b": "\b", "v": "\v", "f": "\f"}


@dataclass(frozen=True, slots=True)
class Sight:
    """What the tree shows.

    `plain` tells that there is nothing but simple commands of literal words. `commands` are all commands at any
    depth, as far as their words can be known; `targets` are the files that redirections name.
    """

    plain: bool
    commands: tuple[Argv, ...]
    targets: tuple[str, ...]
    odd: str | None = None


def look(text: str) -> Sight | None:
    """Parse a command line; None when the parser gives up within its limits."""
    if text.count("|") > limits.PIPES:
        return None
    tree = _parse(text.encode())
    if tree is None or tree.root_node.descendant_count > limits.NODES:
        return None
    odd: str | None = "a part that cannot be parsed" if tree.root_node.has_error else None
    commands: list[Argv] = []
    targets: list[str] = []
    for node in _nodes(tree):
        kind = node.type
        if odd is None and kind not in _ACCEPTED:
            odd = kind.replace("_", " ")
        if kind in {"command", "declaration_command", "unset_command", "test_command"}:
            commands.append(_argv(node))
        elif kind == "file_redirect":
            targets += [_text(child) for child in node.children if child.type in _VALUES]
    return Sight(odd is None, tuple(argv for argv in commands if argv), tuple(targets), odd)


def _parse(source: bytes) -> Tree | None:
    steps = 0

    def give_up(_offset: int, _has_error: bool) -> bool:
        nonlocal steps
        steps += 1
        return steps > limits.STEPS

    try:
        return _PARSER.parse(
            lambda offset, _point: source[offset:], encoding="utf8", progress_callback=give_up
        )
    except ValueError:
        _PARSER.reset()
        return None


def _nodes(tree: Tree) -> Iterator[Node]:
    """Every node below the root, in the order of the text. Without recursion: input decides the depth."""
    left = list(reversed(tree.root_node.children))
    while left:
        node = left.pop()
        yield node
        if node.child_count:
            left += reversed(node.children)


def _argv(node: Node) -> Argv:
    words: list[str] = []
    if node.type != "command":
        return (node.children[0].type, *(_text(child) for child in node.children[1:]))
    for child in node.children:
        if child.type == "command_name":
            words.append(_text(child.children[0]) if child.children else _text(child))
        elif child.type in _VALUES:
            words.append(_text(child))
    return tuple(words)


def _text(node: Node) -> str:
    """Return what a word says without its quotes; parts that are expanded stay as they are written."""
    kind, source = node.type, node.text or b""
    if kind == "concatenation":
        return "".join(_text(child) for child in node.children)
    if kind == "raw_string":
        return source[1:-1].decode()
    if kind == "string":
        return _ESCAPED_IN_DOUBLE.sub(rb"\1", source[1:-1]).decode()
    if kind == "ansi_c_string":
        return _ANSI.sub(_ansi, source[2:-1].decode())
    if _LIVELY.search(_ESCAPED.sub(b"", source)):
        return source.decode()
    return _ESCAPED.sub(rb"\1", source).decode()


def _ansi(match: re.Match[str]) -> str:
    hexadecimal, octal, letter = match[1] or match[2] or match[3], match[4], match[5]
    if letter:
        return _LETTERS.get(letter, letter)
    code = int(hexadecimal, 16) if hexadecimal else int(octal, 8)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
