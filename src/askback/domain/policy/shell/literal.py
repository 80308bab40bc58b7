"""Checks whether it is clear what a command line runs, so that exactly this text can be allowed permanently.

It accepts more than `lexer`: lists, pipes, redirections to named files, `NAME=value command`, globs among the
arguments. It accepts less than bash: nothing computed. The result is valid for exactly one text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import limits, tree, wrappers
from askback.domain.policy.shell.characters import why_suspicious
from askback.domain.policy.shell.command_search import is_too_long
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import STATE_BUILTINS, WRAPPERS, basename, is_interpreter
from askback.domain.policy.shell.tree import Budget

_KINDS = tree.PLAIN_NODES | frozenset(
    "variable_assignment variable_name subshell comment & |& >| ( ) =".split()
)
_UNQUOTED = re.compile(r"[*?\[{~]")
_LEADING_GLOB = re.compile(r"[*?\[]")
_HARMLESS_STATE = frozenset("cd pushd popd set unset umask ulimit wait exit return shift command".split())
_FED_ARGUMENTS = frozenset("xargs parallel at batch expect entr".split())
_READS_COMMANDS = frozenset(
    "psql mysql mariadb sqlite3 mongo mongosh ftp sftp lftp telnet crontab gdb lldb bc dc m4 ed ex at batch".split()
)
_LISTS_FILES = frozenset(
    "ls cat head tail wc grep rg du file stat diff cmp md5sum sha256sum sort uniq cut tree".split()
)
_DECIDING_VARIABLES = re.compile(
    r"PATH|(?:LD|DYLD)_\w+|BASH_ENV|ENV|IFS|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND"
)
_SHELLS = frozenset("sh bash dash zsh ksh mksh ash".split())
_MANAGERS = frozenset("bun deno swift crystal".split())
_SCRIPT = re.compile(r".+\.(?:[cm]?[jt]sx?|swift|cr)")
_ASKS_VERSION = frozenset({"--version", "-V", "-v", "version", "--help", "-h", "--test"})
_STANDARD_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_MAX_DEPTH = 4
_PARTS = {
    **dict.fromkeys(("simple_expansion", "expansion", "arithmetic_expansion"), "expansion"),
    **dict.fromkeys(("command_substitution", "process_substitution"), "substitution"),
    **dict.fromkeys(("heredoc_redirect", "herestring_redirect"), "here_document"),
    **dict.fromkeys(("if_statement", "for_statement", "while_statement", "case_statement"), "loop"),
    "function_definition": "function",
    "brace_expression": "brace",
    "&": "background",
    "!": "exclamation",
}


@dataclass
class LiteralCheck:
    """The result: `why_not` says why it is unclear what the text runs; `scripts` are files that it runs by name."""

    why_not: Reason | None = None
    scripts: list[str] = field(default_factory=list[str])

    def refuse(self, reason: Reason) -> None:
        """Keep the first reason."""
        self.why_not = self.why_not or reason


def check_literal(text: str) -> LiteralCheck:
    """Check a command line."""
    check = LiteralCheck()
    _read(text, check, Budget(), _MAX_DEPTH)
    return check


def check_literal_argv(argv: Argv) -> LiteralCheck:
    """Check an argument vector that runs without a shell."""
    check = LiteralCheck()
    if suspicion := next(filter(None, map(why_suspicious, argv)), None):
        check.refuse(suspicion)
    _command(argv, check, Budget(), _MAX_DEPTH, has_input=False)
    return check


def _read(text: str, check: LiteralCheck, budget: Budget, depth: int) -> None:
    suspicion = why_suspicious(text)
    if suspicion or not depth or is_too_long(text) or text.count("|") > limits.PIPES:
        check.refuse(suspicion or Reason("too_complex"))
        return
    source = text.encode(errors="replace")
    parsed_tree = tree.parse_tree(source, budget)
    if (
        parsed_tree is None
        or parsed_tree.root_node.has_error
        or parsed_tree.root_node.descendant_count > limits.NODES
    ):
        check.refuse(Reason("unparsed"))
        return
    count = 0
    for node, has_input in _walk(parsed_tree.root_node):
        if node.type not in _KINDS:
            check.refuse(Reason("has", what=Reason(_PARTS.get(node.type, "construct"))))
        elif node.type == "command":
            count += 1
            _node(node, source, check, budget, depth, has_input=has_input)
        elif node.type == "file_redirect":
            _redirect(node, source, check)
        elif node.type == "variable_assignment":
            _assignment(node, source, check)
        if check.why_not:
            return
    if not count:
        check.refuse(Reason("empty_command"))


def _walk(root: Node) -> Iterator[tuple[Node, bool]]:
    """Return the nodes below the root, and for each whether it gets standard input."""
    unvisited = [(child, False) for child in reversed(root.children)]
    while unvisited:
        node, has_input = unvisited.pop()
        yield node, has_input
        if node.type == "redirected_statement":
            has_input = has_input or any(_reads_input(child) for child in node.children)
        children: list[tuple[Node, bool]] = []
        is_after_pipe = False
        for child in node.children:
            children.append((child, has_input or is_after_pipe))
            is_after_pipe = is_after_pipe or (node.type == "pipeline" and child.type in {"|", "|&"})
        unvisited += reversed(children)


def _reads_input(node: Node) -> bool:
    return node.type == "file_redirect" and any(child.type == "<" for child in node.children)


def _redirect(node: Node, source: bytes, check: LiteralCheck) -> None:
    for child in node.children:
        if child.type in {"word", "concatenation"} and _UNQUOTED.search(_unquoted_parts(child, source)):
            check.refuse(Reason("pattern_redirected"))


def _assignment(node: Node, source: bytes, check: LiteralCheck) -> None:
    name = tree.word_text(node.children[0], source)
    if node.parent is None or node.parent.type != "command":
        check.refuse(Reason("sets_variable"))
    elif _DECIDING_VARIABLES.fullmatch(name):
        check.refuse(Reason("steers_programs", name=name))
    elif len(node.children) < 2 or node.children[1].type != "=":
        check.refuse(Reason("sets_variable"))


def _node(
    node: Node, source: bytes, check: LiteralCheck, budget: Budget, depth: int, *, has_input: bool
) -> None:
    argv: list[str] = []
    loose = False
    for child in node.children:
        if child.type == "command_name":
            if _UNQUOTED.search(_unquoted_parts(child, source)):
                check.refuse(Reason("pattern_program"))
            argv.append(tree.word_text(child.children[0] if child.children else child, source))
        elif child.type in tree.VALUE_NODES:
            loose = loose or bool(_LEADING_GLOB.match(_unquoted_parts(child, source)))
            argv.append(tree.word_text(child, source))
        has_input = has_input or _reads_input(child)
    if not argv or not argv[0]:
        check.refuse(Reason("empty_command"))
    elif loose and basename(argv[0]) not in _LISTS_FILES:
        check.refuse(Reason("pattern_option"))
    else:
        _command(tuple(argv), check, budget, depth, has_input=has_input)


def _unquoted_parts(node: Node, source: bytes) -> str:
    """Return the parts of a word that no quotes or backslashes protect."""
    if node.type in {"raw_string", "string", "ansi_c_string"}:
        return "'"
    if node.children:
        return "".join(_unquoted_parts(child, source) for child in node.children)
    return re.sub(r"\\.", "'", source[node.start_byte : node.end_byte].decode(errors="replace"))


def _command(argv: Argv, check: LiteralCheck, budget: Budget, depth: int, *, has_input: bool) -> None:
    name, last_word = basename(argv[0]), argv[-1]
    if name in _FED_ARGUMENTS:
        check.refuse(Reason("runs_input", program=name))
    elif name in STATE_BUILTINS and name not in _HARMLESS_STATE:
        check.refuse(Reason("changes_shell", name=name))
    elif has_input and (
        name in _READS_COMMANDS or is_interpreter(last_word) or (name == "ssh" and len(argv) < 3)
    ):
        check.refuse(Reason("piped_into", program=basename(last_word) if is_interpreter(last_word) else name))
    elif is_interpreter(name):
        _interpreter(argv, check, budget, depth, has_input=has_input)
    elif name in WRAPPERS or name == "find":
        for inner in wrappers.wrapped_commands(argv):
            if "{}" in inner[0]:
                check.refuse(Reason("runs_found"))
            elif basename(inner[0]) != name:
                _command(inner, check, budget, depth, has_input=has_input)
    elif name in {"awk", "gawk", "mawk", "nawk", "sed", "make"} and "-f" in argv[:-1]:
        _script(name, argv[argv.index("-f") + 1], check)


def _interpreter(argv: Argv, check: LiteralCheck, budget: Budget, depth: int, *, has_input: bool) -> None:
    name = basename(argv[0])
    codes = wrappers.code_arguments(argv)
    if codes:
        for code in codes if name in _SHELLS else ():
            _read(code, check, budget, depth - 1)
        if has_input:
            check.refuse(Reason("piped_into", program=name))
        return
    if any(word in {"-m", "-e", "--eval", "-r", "-p"} for word in argv[1:-1]) or argv[1:2] in _VERSIONS:
        return
    operands = [word for word in argv[1:] if not word.startswith("-") or word == "-"]
    if name in _MANAGERS and operands:
        operands = [word for word in operands if _SCRIPT.fullmatch(word)]
        if not operands:
            return
    _script(name, operands[0] if operands else "-", check)


_VERSIONS = {(word,) for word in _ASKS_VERSION}


def _script(program: str, path: str, check: LiteralCheck) -> None:
    if path in _STANDARD_INPUT:
        check.refuse(Reason("runs_input", program=program))
    else:
        check.scripts.append(path)
