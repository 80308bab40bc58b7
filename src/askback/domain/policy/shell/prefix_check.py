"""Checks whether a prefix rule covers a command: no argument may do more than the words of the rule say.

A program or subcommand without a table has no arguments that are known to be harmless: only exact rules cover it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from askback.domain.policy import paths
from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import languages as lang
from askback.domain.policy.shell.lexer import Argv
from askback.domain.policy.shell.options import ArgumentCheck
from askback.domain.policy.shell.program_table import ProgramTable, load_table
from askback.domain.policy.shell.programs import (
    STATE_BUILTINS,
    WRAPPERS,
    basename,
    is_interpreter,
    without_version,
)
from askback.domain.values import frozen

_FOLDERS = frozenset(
    {"/bin", "/usr/bin", "/usr/local/bin", "node_modules/.bin", ".venv/bin", "venv/bin", "vendor/bin", "bin"}
)
_WRAPPED_BUILDS = frozenset({"gradlew", "mvnw"})
_DEPTH = 4
_MAX_SUBCOMMANDS = 4
_CHECKS: dict[str, Callable[[Argv], Reason | None]] = {
    "anything": lambda _: None,
    "find": lang.find_arguments,
    "printf": lang.printf_arguments,
    "tar": lang.tar_arguments,
    "test": lang.test_arguments,
    "[": lambda words: (
        lang.test_arguments(words[:-1]) if words[-1:] == ("]",) else Reason("unknown_value", value="[")
    ),
}


@frozen(slots=True)
class TableMatch:
    """The table for a command, and the position `index` of the first argument that it checks.

    `none` says why there is no table. `names` is how many words a rule must name, unless the table only reads.
    `options` are those before the subcommand, which its table checks too.
    """

    table: ProgramTable | None
    index: int
    names: int = 1
    none: Reason | None = None
    options: Argv = ()


def why_not_allowed(argv: Argv, prefix: int) -> Reason | None:
    """Return why a rule for the first `prefix` words does not allow this command; None if it does.

    Not for rules that name every word.
    """
    return _why_not_allowed(argv, prefix, _DEPTH)


def runs_project(argv: Argv) -> bool:
    """Return whether a command runs code of the project, as `npm test` and `make` do."""
    match = find_table(argv, len(argv))
    if match.table is None:
        return False
    if match.table.continues_as:
        return runs_project((match.table.continues_as, *argv[match.index :]))
    program = next(
        (index for index in range(match.index, len(argv)) if not argv[index].startswith("-")), len(argv)
    )
    started = match.table.runs_command and program < len(argv) and runs_project(argv[program:])
    return match.table.runs_project or started


def prefix_fault(words: Argv) -> Reason | None:
    """Return why a prefix rule of these words allows nothing, so that nobody stores one; None if it may."""
    name = basename(words[0])
    if name in WRAPPERS:
        return Reason("runs_other", program=name)
    if name in STATE_BUILTINS:
        return Reason("changes_shell", name=name)
    match = find_table(words, len(words))
    if match.table is None:
        return match.none
    if match.table.refusal and not match.table.subcommands:
        return _no_prefix(match.table, words, match.index)
    if match.table.subcommands and not any(table.read_only for table in match.table.subcommands.values()):
        has_table = (
            match.table.operands or match.table.check or match.table.runs_command or match.table.options
        )
        return None if has_table else Reason("no_subcommand", program=name)
    return None


def find_table(argv: Argv, prefix: int) -> TableMatch:
    """Return the table for a command under a rule for `prefix` words: that of its program or its subcommand.

    The longest subcommand wins that the rule names, that only reads, or that no rule can cover.
    """
    name = basename(argv[0])
    table = load_table(name) or (load_table(without_version(name)) if is_interpreter(name) else None)
    if table is None or not _usual_name(argv[0]):
        return TableMatch(None, 1, none=Reason("unknown_options", program=argv[0]))
    if table.continues_as:
        table = load_table(table.continues_as) or table
    if not table.subcommands:
        return TableMatch(table, 1)
    position = _first_operand_index(table, argv)
    candidates = list(_subcommands(table, argv, position))
    best = (
        candidate
        for candidate in candidates
        if candidate.table
        and (candidate.names <= prefix or candidate.table.read_only or candidate.table.refusal)
    )
    return next(best, candidates[0] if candidates else TableMatch(table, 1))


def _subcommands(table: ProgramTable, argv: Argv, position: int) -> Iterator[TableMatch]:
    """Return the possible subcommands of a command, the longest first."""
    for end in range(min(position + _MAX_SUBCOMMANDS, len(argv)), position, -1):
        subcommand = table.subcommands.get(argv[position:end])
        if subcommand is not None:
            names = min(end, table.required_words) if table.required_words else end
            yield TableMatch(subcommand, end, names, options=argv[1:position])


def _usual_name(program: str) -> bool:
    """Return whether programs are installed at a path: `./git` is another program than `git`."""
    folder, slash, name = program.rpartition("/")
    folder = folder.removeprefix("./")
    return not slash or folder in _FOLDERS or (folder == "." and name in _WRAPPED_BUILDS)


def _first_operand_index(table: ProgramTable, argv: Argv) -> int:
    """Return the position of the subcommand, after options that every subcommand takes."""
    position = 1
    while (
        position < len(argv) and argv[position].startswith("-") and (argv[position],) not in table.subcommands
    ):
        if argv[position : position + 2] in table.subcommands:
            break
        name, equals_sign, _ = argv[position].partition("=")
        option = table.options.get(name)
        if option is None:
            return 1
        position += 1 + (0 if equals_sign or option.attached else len(option.kinds))
    return position


def _why_not_allowed(argv: Argv, prefix: int, depth: int) -> Reason | None:
    name = basename(argv[0])
    if name in WRAPPERS:
        if name not in STATE_BUILTINS and name != "time" and argv[1:] == ("--version",):
            return None
        return Reason("exact_only", why=Reason("runs_other", program=name))
    match = find_table(argv, prefix)
    table = match.table
    if table is None or depth == 0:
        return Reason("exact_only", why=match.none or Reason("too_complex"))
    if argv[1:] and len(argv) == match.index + 1 and argv[-1] in _harmless_words(argv, table):
        return None
    if table.refusal:
        return Reason("exact_only", why=_no_prefix(table, argv, match.index))
    if match.names > prefix and not table.read_only:
        return Reason("not_named", word=" ".join(argv[1 : match.index]))
    if odd_option := ArgumentCheck(table, match.options, max(0, prefix - 1)).why_not_allowed():
        return odd_option
    if table.continues_as:
        return _why_not_allowed(
            (table.continues_as, *argv[match.index :]), max(1, prefix - match.index + 1), depth - 1
        )
    if table.check:
        return (
            _unnamed_mode(argv, table, prefix)
            or _sensitive(argv, table)
            or _CHECKS[table.check](argv[match.index :])
        )
    if table.subcommands and not table.operands and match.index == 1:
        return _without_subcommand(argv, table, prefix)
    return _arguments(argv, match.index, table, prefix, depth)


def _no_prefix(table: ProgramTable, argv: Argv, position: int) -> Reason:
    return Reason(table.refusal or "unknown_options", program=" ".join(argv[:position]))


def _harmless_words(argv: Argv, table: ProgramTable) -> frozenset[str]:
    program = load_table(basename(argv[0])) or table
    program = (load_table(program.continues_as) or program) if program.continues_as else program
    return program.version if len(argv) == 2 else frozenset({"--help"})


def _sensitive(argv: Argv, table: ProgramTable) -> Reason | None:
    return None if table.check in {"anything", "printf"} else paths.why_sensitive(argv[1:])


def _unnamed_mode(argv: Argv, table: ProgramTable, prefix: int) -> Reason | None:
    if table.check == "tar" and prefix < 2 and "t" not in "".join(argv[1:2]):
        return Reason("tar_mode")
    return None


def _without_subcommand(argv: Argv, table: ProgramTable, prefix: int) -> Reason | None:
    objection = ArgumentCheck(table, argv[1:], prefix - 1).why_not_allowed()
    if objection is None and not table.runs_project:
        return Reason("no_subcommand", program=argv[0])
    if objection and not argv[1].startswith("-"):
        return Reason("exact_only", why=Reason("unknown_options", program=" ".join(argv[:2])))
    return objection


def _arguments(argv: Argv, position: int, table: ProgramTable, prefix: int, depth: int) -> Reason | None:
    arguments = ArgumentCheck(table, argv[position:], max(0, prefix - position))
    objection = arguments.why_not_allowed()
    start = position + arguments.index
    if objection or not table.runs_command or start >= len(argv):
        return objection
    if start >= prefix:
        return Reason("not_named", word=argv[start])
    return _why_not_allowed(argv[start:], prefix - start, depth - 1)
