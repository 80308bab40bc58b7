"""Whether a command line says what it runs, so that exactly this text can be allowed for good.

More than `lexer` understands: lists, pipes, redirections to files that are named, `NAME=value command`, globs among the
arguments. Less than bash: nothing that is computed. It answers for one text that comes again, and for no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import limits, tree, wrapped
from askback.domain.policy.shell.budget import Budget
from askback.domain.policy.shell.characters import suspicious
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import STATE, WRAPPERS, basename, interpreter
from askback.domain.policy.shell.search import over
from askback.domain.policy.wordlist import words

_KINDS = tree.ACCEPTED | words("variable_assignment variable_name subshell comment & |& >| ( ) =")
_UNQUOTED = re.compile(r"[*?\[{~]")
_LEADING_GLOB = re.compile(r"[*?\[]")
_HARMLESS_STATE = words("cd pushd popd set unset umask ulimit wait exit return shift command")
_FED_ARGUMENTS = words("xargs parallel at batch expect entr")
_READS_COMMANDS = words(
    "psql mysql mariadb sqlite3 mongo mongosh ftp sftp lftp telnet crontab gdb lldb bc dc m4 ed ex at batch"
)
_LISTS_FILES = words("ls cat head tail wc grep rg du file stat diff cmp md5sum sha256sum sort uniq cut tree")
_DECIDES = re.compile(r"PATH|(?:LD|DYLD)_\w+|BASH_ENV|ENV|IFS|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND")
_SHELLS = words("sh bash dash zsh ksh mksh ash")
_MANAGERS = words("bun deno swift crystal")
_SCRIPT = re.compile(r".+\.(?:[cm]?[jt]sx?|swift|cr)")
_ASKS_VERSION = frozenset({"--version", "-V", "-v", "version", "--help", "-h", "--test"})
_STANDARD_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
_NESTED = 4
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
class Literal:
    """What was found: `why_not` says why the text does not tell what runs, `scripts` are files that it runs by name."""

    why_not: Reason | None = None
    scripts: list[str] = field(default_factory=list[str])

    def refuse(self, why: Reason) -> None:
        """Note the first reason."""
        self.why_not = self.why_not or why


def read_literal(text: str) -> Literal:
    """Look into a command line."""
    found = Literal()
    _read(text, found, Budget(), _NESTED)
    return found


def read_literal_argv(argv: Argv) -> Literal:
    """Look into an argument vector that runs without a shell."""
    found = Literal()
    if odd := next(filter(None, map(suspicious, argv)), None):
        found.refuse(odd)
    _command(argv, found, Budget(), _NESTED, fed=False)
    return found


def _read(text: str, found: Literal, budget: Budget, depth: int) -> None:
    odd = suspicious(text)
    if odd or not depth or over(text) or text.count("|") > limits.PIPES:
        found.refuse(odd or Reason("too_complex"))
        return
    source = text.encode(errors="replace")
    parsed = tree.parse(source, budget)
    if parsed is None or parsed.root_node.has_error or parsed.root_node.descendant_count > limits.NODES:
        found.refuse(Reason("unparsed"))
        return
    count = 0
    for node, fed in _walk(parsed.root_node):
        if node.type not in _KINDS:
            found.refuse(Reason("has", what=Reason(_PARTS.get(node.type, "construct"))))
        elif node.type == "command":
            count += 1
            _node(node, source, found, budget, depth, fed=fed)
        elif node.type == "file_redirect":
            _redirect(node, source, found)
        elif node.type == "variable_assignment":
            _assignment(node, source, found)
        if found.why_not:
            return
    if not count:
        found.refuse(Reason("empty_command"))


def _walk(root: Node) -> Iterator[tuple[Node, bool]]:
    """Go through the nodes below the root, and tell of each whether something is fed into its standard input."""
    left = [(child, False) for child in reversed(root.children)]
    while left:
        node, fed = left.pop()
        yield node, fed
        if node.type == "redirected_statement":
            fed = fed or any(_reads(child) for child in node.children)
        below: list[tuple[Node, bool]] = []
        behind = False
        for child in node.children:
            below.append((child, fed or behind))
            behind = behind or (node.type == "pipeline" and child.type in {"|", "|&"})
        left += reversed(below)


def _reads(node: Node) -> bool:
    return node.type == "file_redirect" and any(child.type == "<" for child in node.children)


def _redirect(node: Node, source: bytes, found: Literal) -> None:
    for child in node.children:
        if child.type in {"word", "concatenation"} and _UNQUOTED.search(_bare(child, source)):
            found.refuse(Reason("pattern_redirected"))


def _assignment(node: Node, source: bytes, found: Literal) -> None:
    name = tree.text_of(node.children[0], source)
    if node.parent is None or node.parent.type != "command":
        found.refuse(Reason("sets_variable"))
    elif _DECIDES.fullmatch(name):
        found.refuse(Reason("steers_programs", name=name))
    elif len(node.children) < 2 or node.children[1].type != "=":
        found.refuse(Reason("sets_variable"))


def _node(node: Node, source: bytes, found: Literal, budget: Budget, depth: int, *, fed: bool) -> None:
    argv: list[str] = []
    loose = False
    for child in node.children:
        if child.type == "command_name":
            if _UNQUOTED.search(_bare(child, source)):
                found.refuse(Reason("pattern_program"))
            argv.append(tree.text_of(child.children[0] if child.children else child, source))
        elif child.type in tree.VALUES:
            loose = loose or bool(_LEADING_GLOB.match(_bare(child, source)))
            argv.append(tree.text_of(child, source))
        fed = fed or _reads(child)
    if not argv or not argv[0]:
        found.refuse(Reason("empty_command"))
    elif loose and basename(argv[0]) not in _LISTS_FILES:
        found.refuse(Reason("pattern_option"))
    else:
        _command(tuple(argv), found, budget, depth, fed=fed)


def _bare(node: Node, source: bytes) -> str:
    """Return the parts of a word that stand outside quotes, without what a backslash protects."""
    if node.type in {"raw_string", "string", "ansi_c_string"}:
        return "'"
    if node.children:
        return "".join(_bare(child, source) for child in node.children)
    return re.sub(r"\\.", "'", source[node.start_byte : node.end_byte].decode(errors="replace"))


def _command(argv: Argv, found: Literal, budget: Budget, depth: int, *, fed: bool) -> None:
    name, last = basename(argv[0]), argv[-1]
    if name in _FED_ARGUMENTS:
        found.refuse(Reason("runs_input", program=name))
    elif name in STATE and name not in _HARMLESS_STATE:
        found.refuse(Reason("changes_shell", name=name))
    elif fed and (name in _READS_COMMANDS or interpreter(last) or (name == "ssh" and len(argv) < 3)):
        found.refuse(Reason("piped_into", program=basename(last) if interpreter(last) else name))
    elif interpreter(name):
        _interpreter(argv, found, budget, depth, fed=fed)
    elif name in WRAPPERS or name == "find":
        for inner in wrapped.inner(argv):
            if "{}" in inner[0]:
                found.refuse(Reason("runs_found"))
            elif basename(inner[0]) != name:
                _command(inner, found, budget, depth, fed=fed)
    elif name in {"awk", "gawk", "mawk", "nawk", "sed", "make"} and "-f" in argv[:-1]:
        _script(name, argv[argv.index("-f") + 1], found)


def _interpreter(argv: Argv, found: Literal, budget: Budget, depth: int, *, fed: bool) -> None:
    name = basename(argv[0])
    codes = wrapped.code(argv)
    if codes:
        for code in codes if name in _SHELLS else ():
            _read(code, found, budget, depth - 1)
        if fed:
            found.refuse(Reason("piped_into", program=name))
        return
    if any(word in {"-m", "-e", "--eval", "-r", "-p"} for word in argv[1:-1]) or argv[1:2] in _VERSIONS:
        return
    operands = [word for word in argv[1:] if not word.startswith("-") or word == "-"]
    if name in _MANAGERS and operands:
        operands = [word for word in operands if _SCRIPT.fullmatch(word)]
        if not operands:
            return
    _script(name, operands[0] if operands else "-", found)


_VERSIONS = {(word,) for word in _ASKS_VERSION}


def _script(program: str, path: str, found: Literal) -> None:
    if path in _STANDARD_INPUT:
        found.refuse(Reason("runs_input", program=program))
    else:
        found.scripts.append(path)
