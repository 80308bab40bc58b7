"""Finds the operands of a command that are files, for the built-in lists.

An option or a program that is not listed here counts as one that takes files: that may ask too often, but
never too rarely. An option with an optional value (`grep --color`, `diff --context`) takes none from the next
word.

Sources: the manuals of coreutils 9, grep 3.11, ripgrep 14, findutils 4.10, sed 4.9, gawk 5.3, jq 1.7 and git 2.47.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.programs import basename
from askback.domain.values import frozen


@frozen(slots=True)
class ProgramOptions:
    """How a program reads its arguments.

    `values` are the letters, and `long_values` the names, of options whose value is the next word and no file. `skip`
    is how many operands are no files, unless an option of `instead` replaces them; None if no operand is a file.
    """

    values: str = ""
    long_values: str = ""
    skip: int | None = 0
    instead: frozenset[str] = frozenset()


@dataclass(slots=True)
class ParsedArguments:
    """The arguments of one command: options with their values, and operands."""

    options: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    operands: list[str] = field(default_factory=list[str])

    def has(self, *names: str) -> bool:
        """Return whether any of some options is present, by letter or long name."""
        return any(name in names for name, _ in self.options)


_PATTERN = frozenset({"e", "regexp"})
_NO_FILES = ProgramOptions(skip=None)
_CONTEXT = "after-context before-context context max-count"
_GREP = ProgramOptions(
    "eABCmdD", f"regexp {_CONTEXT} include exclude exclude-dir binary-files label", 1, _PATTERN
)
_AWK = ProgramOptions("Fv", "field-separator", 1)
_GIT_LOG = "since until after before author committer grep skip decorate-refs"
_PROGRAMS: dict[str, ProgramOptions] = {
    "grep": _GREP,
    "egrep": _GREP,
    "fgrep": _GREP,
    "rgrep": _GREP,
    "rg": ProgramOptions(
        "egtTABCmMdjrE",
        f"regexp glob iglob type type-not {_CONTEXT} max-columns max-depth color sort sortr replace"
        " max-filesize threads",
        1,
        _PATTERN | {"files", "type-list"},
    ),
    "sed": ProgramOptions("e", "expression", 1, frozenset({"e", "expression"})),
    **dict.fromkeys(frozenset("awk gawk mawk nawk".split()), _AWK),
    "jq": ProgramOptions("", "indent", 1),
    "head": ProgramOptions("nc", "lines bytes"),
    "tail": ProgramOptions("ncs", "lines bytes"),
    "wc": ProgramOptions("", "total"),
    "sort": ProgramOptions("kt", "key field-separator sort"),
    "uniq": ProgramOptions("fsw", "skip-fields skip-chars check-chars"),
    "cut": ProgramOptions("bcdf", "bytes characters delimiter fields output-delimiter"),
    "nl": ProgramOptions("bdfhilnsvw"),
    "ls": ProgramOptions(
        "ITw",
        "block-size format hide indicator-style ignore quoting-style sort time time-style tabsize width",
    ),
    "tree": ProgramOptions("LPI", "filelimit charset timefmt"),
    "du": ProgramOptions("dBt", "max-depth exclude block-size threshold"),
    "df": ProgramOptions("Bt", "type block-size"),
    "stat": ProgramOptions("c", "format printf"),
    "file": ProgramOptions("F"),
    "diff": ProgramOptions("UCWIx", "exclude width label"),
    "cmp": ProgramOptions("n"),
    "realpath": ProgramOptions(),
    # The first operand of git is its subcommand; others are paths or revisions.
    "git": ProgramOptions(
        "", "since until after before author committer grep match exclude candidates sort format", 1
    ),
    "git log": ProgramOptions("nSGL", f"max-count {_GIT_LOG}", 1),
    "git show": ProgramOptions("nSGL", f"max-count {_GIT_LOG}", 1),
    "git rev-list": ProgramOptions("n", f"max-count {_GIT_LOG}", 1),
    "git diff": ProgramOptions("SG", "", 1),
    "git reflog": ProgramOptions("n", "date", 1),
    "git blame": ProgramOptions("L", "", 1),
    "git grep": ProgramOptions("eABCm", "max-count context", 2, _PATTERN),
    **dict.fromkeys(
        frozenset(
            """
            echo printf tr seq date basename dirname which pwd whoami id hostname uname uptime nproc
            true false sleep
            """.split()
        ),
        _NO_FILES,
    ),
}
_PLAIN_VALUES = frozenset(
    name for program in _PROGRAMS.values() for name in program.long_values.split()
) | frozenset(
    """
    color colour hyperlink classify unified relative word-diff diff-filter stat abbrev pretty decorate
    iso-8601
    """.split()
)
"""Long options whose value after `=` is no file, for every program."""

_FIND_FILES = frozenset("-newer -anewer -cnewer -samefile".split())
_TWO_VALUES = frozenset({"arg", "argjson"})


def parse_arguments(argv: Argv) -> ParsedArguments:
    """Parse the arguments of a command; combined letters become single options, each with its value."""
    program = _program_options(argv)
    long_values = program.long_values.split()
    parsed, unread_words = ParsedArguments(), list(reversed(argv[1:]))
    while unread_words:
        word = unread_words.pop()
        if word == "--":
            parsed.operands += reversed(unread_words)
            break
        if word == "-" or not word.startswith("-"):
            parsed.operands.append(word)
        elif word.startswith("--"):
            name, separator, value = word[2:].partition("=")
            for _ in range(2 if name in _TWO_VALUES else not separator and name in long_values):
                value = unread_words.pop() if unread_words else ""
            parsed.options.append((name, value))
        else:
            _parse_cluster(word[1:], program.values, unread_words, parsed)
    return parsed


def _program_options(argv: Argv) -> ProgramOptions:
    name = basename(argv[0])
    options = _PROGRAMS.get(f"{name} {argv[1]}") if name == "git" and len(argv) > 1 else None
    return options or _PROGRAMS.get(name, ProgramOptions())


def _parse_cluster(letters: str, values: str, unread_words: list[str], parsed: ParsedArguments) -> None:
    for index, letter in enumerate(letters):
        if letter in values:
            parsed.options.append(
                (letter, letters[index + 1 :] or (unread_words.pop() if unread_words else ""))
            )
            return
        # Text attached to an unknown option may be a file name.
        other_letters = letters[index + 1 :]
        parsed.options.append(
            (letter, other_letters if other_letters and not other_letters.isalnum() else "")
        )


def file_operands(argv: Argv) -> list[str]:
    """Return the operands that name files or folders; for git also revisions, which look alike."""
    name = basename(argv[0])
    if name == "find":
        return list(_find_operands(argv[1:]))
    program, parsed = _program_options(argv), parse_arguments(argv)
    skip = program.skip
    if skip and parsed.has(*program.instead):
        skip = 1 if name == "git" else 0
    operands = [] if skip is None else parsed.operands[skip:]
    return [*operands, *_file_values(parsed, program)]


def _file_values(parsed: ParsedArguments, program: ProgramOptions) -> Iterator[str]:
    for name, value in parsed.options:
        is_file_value = name in program.values if len(name) == 1 else name in _PLAIN_VALUES | _TWO_VALUES
        if value and not is_file_value:
            yield value
        elif name == "L" and ":" in value:
            yield value.rpartition(":")[2]


def _find_operands(arguments: Argv) -> Iterator[str]:
    """Return the folders where find begins, and the files that it compares with."""
    started = False
    for previous_word, word in zip(("", *arguments), arguments, strict=False):
        started = started or (word.startswith(("-", "(", "!")) and word not in {"-H", "-L", "-P"})
        if (not started and not word.startswith("-")) or previous_word in _FIND_FILES:
            yield word
