"""Which arguments of a command are files that it opens or lists, as far as the ready-made lists need to know.

An option or a program that is not here counts as one that takes files: that asks once too often, never too seldom.
An option whose value may be left out (`grep --color`, `diff --context`) takes none from the next word.
Sources: the manuals of coreutils 9, grep 3.11, ripgrep 14, findutils 4.10, sed 4.9, gawk 5.3, jq 1.7 and git 2.47.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename
from askback.domain.policy.wordlist import words


@dataclass(frozen=True, slots=True)
class Program:
    """How a program reads its arguments.

    `values` are letters, and `long_values` names, of options that take the next word for a value which is no file.
    `skip` is how many operands are no files, unless an option of `instead` takes their place; None: no operand is one.
    """

    values: str = ""
    long_values: str = ""
    skip: int | None = 0
    instead: frozenset[str] = frozenset()


@dataclass(slots=True)
class Arguments:
    """The arguments of one command: options with their values, one by one, and operands."""

    options: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    operands: list[str] = field(default_factory=list[str])

    def has(self, *names: str) -> bool:
        """Tell whether one of some options is there: letters or long names."""
        return any(name in names for name, _ in self.options)


_PATTERN = frozenset({"e", "regexp"})
_NO_FILES = Program(skip=None)
_CONTEXT = "after-context before-context context max-count"
_GREP = Program("eABCmdD", f"regexp {_CONTEXT} include exclude exclude-dir binary-files label", 1, _PATTERN)
_AWK = Program("Fv", "field-separator", 1)
_GIT_LOG = "since until after before author committer grep skip decorate-refs"
_PROGRAMS: dict[str, Program] = {
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rgrep": _GREP,
    "rg": Program(
        "egtTABCmMdjrE",
        f"regexp glob iglob type type-not {_CONTEXT} max-columns max-depth color sort sortr replace"
        " max-filesize threads",
        1,
        _PATTERN | {"files", "type-list"},
    ),
    "sed": Program("e", "expression", 1, frozenset({"e", "expression"})),
    **dict.fromkeys(words("awk gawk mawk nawk"), _AWK),
    "jq": Program("", "indent", 1),
    "head": Program("nc", "lines bytes"),
    "tail": Program("ncs", "lines bytes"),
    "wc": Program("", "total"),
    "sort": Program("kt", "key field-separator sort"),
    "uniq": Program("fsw", "skip-fields skip-chars check-chars"),
    "cut": Program("bcdf", "bytes characters delimiter fields output-delimiter"),
    "nl": Program("bdfhilnsvw"),
    "ls": Program(
        "ITw",
        "block-size format hide indicator-style ignore quoting-style sort time time-style tabsize width",
    ),
    "tree": Program("LPI", "filelimit charset timefmt"),
    "du": Program("dBt", "max-depth exclude block-size threshold"),
    "df": Program("Bt", "type block-size"),
    "stat": Program("c", "format printf"),
    "file": Program("F"),
    "diff": Program("UCWIx", "exclude width label"),
    "cmp": Program("n"),
    "realpath": Program(),
    # The first operand of git is its sub-command; what is not a path is a revision.
    "git": Program(
        "", "since until after before author committer grep match exclude candidates sort format", 1
    ),
    "git log": Program("nSGL", f"max-count {_GIT_LOG}", 1),
    "git show": Program("nSGL", f"max-count {_GIT_LOG}", 1),
    "git rev-list": Program("n", f"max-count {_GIT_LOG}", 1),
    "git diff": Program("SG", "", 1),
    "git reflog": Program("n", "date", 1),
    "git blame": Program("L", "", 1),
    "git grep": Program("eABCm", "max-count context", 2, _PATTERN),
    **dict.fromkeys(
        words(
            "echo printf tr seq date basename dirname which pwd whoami id hostname uname uptime nproc true false sleep"
        ),
        _NO_FILES,
    ),
}
_PLAIN_VALUES = frozenset(
    name for program in _PROGRAMS.values() for name in program.long_values.split()
) | words(
    "color colour hyperlink classify unified relative word-diff diff-filter stat abbrev pretty decorate iso-8601"
)
"""Long options whose value behind `=` is no file, in whatever program they stand."""

_FIND_FILES = words("-newer -anewer -cnewer -samefile")
_TWO_VALUES = frozenset({"arg", "argjson"})


def read(argv: Argv) -> Arguments:
    """Read the arguments of a command: letters that stand together one by one, each with the value that it takes."""
    program = _program(argv)
    long_values = program.long_values.split()
    found, left = Arguments(), list(reversed(argv[1:]))
    while left:
        word = left.pop()
        if word == "--":
            found.operands += reversed(left)
            break
        if word == "-" or not word.startswith("-"):
            found.operands.append(word)
        elif word.startswith("--"):
            name, given, value = word[2:].partition("=")
            for _ in range(2 if name in _TWO_VALUES else not given and name in long_values):
                value = left.pop() if left else ""
            found.options.append((name, value))
        else:
            _cluster(word[1:], program.values, left, found)
    return found


def _program(argv: Argv) -> Program:
    name = basename(argv[0])
    found = _PROGRAMS.get(f"{name} {argv[1]}") if name == "git" and len(argv) > 1 else None
    return found or _PROGRAMS.get(name, Program())


def _cluster(letters: str, values: str, left: list[str], found: Arguments) -> None:
    for at, letter in enumerate(letters):
        if letter in values:
            found.options.append((letter, letters[at + 1 :] or (left.pop() if left else "")))
            return
        # Of an option that is not known, whatever is glued to it may be the name of a file.
        rest = letters[at + 1 :]
        found.options.append((letter, rest if rest and not rest.isalnum() else ""))


def files(argv: Argv) -> list[str]:
    """Return the arguments that name files or folders; of git also revisions, which look alike."""
    name = basename(argv[0])
    if name == "find":
        return list(_find(argv[1:]))
    program, found = _program(argv), read(argv)
    skip = program.skip
    if skip and found.has(*program.instead):
        skip = 1 if name == "git" else 0
    operands = [] if skip is None else found.operands[skip:]
    return [*operands, *_values(found, program)]


def _values(found: Arguments, program: Program) -> Iterator[str]:
    for name, value in found.options:
        plain = name in program.values if len(name) == 1 else name in _PLAIN_VALUES | _TWO_VALUES
        if value and not plain:
            yield value
        elif name == "L" and ":" in value:
            yield value.rpartition(":")[2]


def _find(arguments: Argv) -> Iterator[str]:
    """Go through the folders in which find begins, and the files with which it compares."""
    started = False
    for before, word in zip(("", *arguments), arguments, strict=False):
        started = started or (word.startswith(("-", "(", "!")) and word not in {"-H", "-L", "-P"})
        if (not started and not word.startswith("-")) or before in _FIND_FILES:
            yield word
