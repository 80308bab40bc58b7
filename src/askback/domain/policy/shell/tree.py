"""The syntax tree of a command line, by tree-sitter's grammar of bash.

As a second reader it must find the same commands as `lexer`. It also finds nested commands (in substitutions,
loops, here-documents), for deny rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter_bash
from tree_sitter import Language, Node, Parser, Tree

from askback.domain.policy.shell import limits
from askback.domain.policy.shell.lexer import Argv
from askback.domain.values import frozen


@dataclass(slots=True)
class Budget:
    """The work that may still be done for one call; everything that is read for the call shares it."""

    commands: int = limits.MAX_SEEN_COMMANDS
    words: int = limits.WORDS
    steps: int = limits.STEPS
    reads: int = limits.READS

    @property
    def spent(self) -> bool:
        """Whether no more commands are accepted."""
        return self.commands < 0 or self.words < 0

    def take(self, argv: Argv) -> bool:
        """Count one more command; False if the budget is spent."""
        self.commands -= 1
        self.words -= len(argv)
        return not self.spent

    def step(self) -> bool:
        """Count one step of the parser; False if it took too many, or has read too much."""
        self.steps -= 1
        return self.steps >= 0 and self.reads >= 0


_PARSER = Parser(Language(tree_sitter_bash.language()))
PLAIN_NODES = frozenset(
    """
    program list pipeline redirected_statement command command_name word string string_content raw_string number
    concatenation file_redirect file_descriptor && || ; | > >> >& &> &>> < " $
    """.split()
)
EXTENDED_NODES = PLAIN_NODES | frozenset(
    """
    comment test_command unary_expression binary_expression test_operator [ ] [[ ]] ! = == != for_statement for in
    do_group do done if_statement if then elif_clause elif else_clause else fi while_statement while until subshell ( )
    compound_statement { } negated_command simple_expansion expansion special_variable_name variable_name ${
    variable_assignment
    """.split()
)
_WORDS = frozenset("word string raw_string ansi_c_string translated_string number concatenation".split())
VALUE_NODES = _WORDS | frozenset(
    "simple_expansion expansion command_substitution process_substitution brace_expression".split()
)
_COMMANDS = frozenset("command declaration_command unset_command test_command".split())
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_IN_DOUBLE = re.compile(r'\\([\\"$`])')
_LIVELY = re.compile(r"[`$]")
_ANSI = re.compile(
    r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))", re.DOTALL
)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "e": "\x1b", "a": "\a", "b": "\b", "v": "\v", "f": "\f"}


@frozen(slots=True)
class ParsedTree:
    """The commands in a syntax tree.

    `is_plain`: there is nothing but simple commands of literal words. `commands` are all commands at any depth, as far
    as their words are known; `targets` are the files that redirections write, `inputs` those that they read.
    `has_errors`: a part could not be parsed, so there may be more. `outline` are the commands with the words of tests
    and the headers of loops; None if there is syntax that `extended` does not understand.
    """

    is_plain: bool
    commands: tuple[Argv, ...]
    targets: tuple[str, ...]
    has_errors: bool = False
    inputs: tuple[str, ...] = ()
    outline: tuple[Argv, ...] | None = None


def parse_command(text: str, budget: Budget) -> ParsedTree | None:
    """Parse a command line; None if the parser exceeds its limits."""
    if text.count("|") > limits.PIPES:
        return None
    source = text.encode(errors="replace")
    tree = parse_tree(source, budget)
    if tree is None or tree.root_node.descendant_count > limits.NODES:
        return None
    has_error = tree.root_node.has_error
    is_plain = not has_error
    commands: list[Argv] = []
    targets: list[str] = []
    inputs: list[str] = []
    outline: list[Argv] = []
    is_extended = not has_error
    for node in _nodes(tree):
        kind = node.type
        is_plain = is_plain and kind in PLAIN_NODES
        is_extended = is_extended and kind in EXTENDED_NODES
        if kind in _COMMANDS:
            commands.append(_argv(node, source))
            outline.append(tuple(_words_below(node, source)) if kind == "test_command" else commands[-1])
        elif kind == "file_redirect":
            reads_file = any(child.type == "<" for child in node.children)
            (inputs if reads_file else targets).extend(
                word_text(child, source) for child in node.children if child.type in VALUE_NODES
            )
        elif kind == "for_statement":
            outline.append(("for", *_words_below(node, source, "variable_name", *VALUE_NODES)))
    return ParsedTree(
        is_plain,
        tuple(argv for argv in commands if argv),
        tuple(targets),
        has_error,
        tuple(inputs),
        tuple(outline) if is_extended else None,
    )


_MULTIBYTE_CHARACTER = re.compile(rb"[\xc2-\xf4][\x80-\xbf]+")
_STAND_INS = {2: "×".encode(), 3: "×x".encode(), 4: "××".encode()}


def parse_tree(source: bytes, budget: Budget) -> Tree | None:
    """Parse a text in UTF-8; None if the parser exceeds its limits.

    The scanner of the grammar looks up each character in C tables of 256 entries, and crashes the process if a
    character after `{` or `$` is far beyond them. So it gets others with as many bytes. For a shell, all characters
    beyond ASCII are the same: a part of a word.
    """
    masked_source = _MULTIBYTE_CHARACTER.sub(lambda character: _STAND_INS[len(character[0])], source)

    def read_chunk(offset: int, _point: object) -> bytes:
        # Always the real text: a parser that gets a false end can crash the process.
        budget.reads -= 1
        return masked_source[offset : offset + limits.PIECE]

    def give_up(_offset: int, _has_error: bool) -> bool:
        return not budget.step()

    if not budget.step():
        return None
    try:
        return _PARSER.parse(read_chunk, encoding="utf8", progress_callback=give_up)
    except ValueError:
        _PARSER.reset()
        return None


def _nodes(tree: Tree) -> Iterator[Node]:
    """Return every node below the root, in text order. Not recursive, because the input decides the depth."""
    unvisited = list(reversed(tree.root_node.children))
    while unvisited:
        node = unvisited.pop()
        yield node
        if node.child_count:
            unvisited += reversed(node.children)


def _words_below(node: Node, source: bytes, *kinds: str) -> Iterator[str]:
    """Return the words below a node, at any depth; with `kinds`, those of its own children of these kinds."""
    for child in node.children:
        if kinds:
            if child.type in kinds:
                yield word_text(child, source)
        elif child.type in VALUE_NODES or not child.child_count:
            yield word_text(child, source)
        else:
            yield from _words_below(child, source)


def _argv(node: Node, source: bytes) -> Argv:
    words: list[str] = []
    if node.type != "command":
        return (node.children[0].type, *(word_text(child, source) for child in node.children[1:]))
    for child in node.children:
        if child.type == "command_name":
            words.append(word_text(child.children[0] if child.children else child, source))
        elif child.type in VALUE_NODES:
            words.append(word_text(child, source))
    return tuple(words)


def word_text(node: Node, source: bytes) -> str:
    """Return the text of a word without its quotes; expansions stay as they are written."""
    kind = node.type
    if kind == "concatenation":
        return "".join(word_text(child, source) for child in node.children)
    # Decoded before anything is cut off: in a text with errors, a node may end inside a character.
    text = source[node.start_byte : node.end_byte].decode(errors="replace")
    if kind == "raw_string":
        return text.removeprefix("'").removesuffix("'")
    if kind == "string":
        return _ESCAPED_IN_DOUBLE.sub(r"\1", text.removeprefix('"').removesuffix('"'))
    if kind == "ansi_c_string":
        return _ANSI.sub(_decode_ansi, text.removeprefix("$'").removesuffix("'"))
    if "\\" not in text or _LIVELY.search(_ESCAPED.sub("", text)):
        return text
    return _ESCAPED.sub(r"\1", text)


def _decode_ansi(match: re.Match[str]) -> str:
    hexadecimal, octal, letter = match[1] or match[2] or match[3], match[4], match[5]
    if letter:
        return _LETTERS.get(letter, letter)
    code = int(hexadecimal, 16) if hexadecimal else int(octal, 8)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else ""
