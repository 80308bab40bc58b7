"""Properties of every program table: an argument that a table does not name is never allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from hypothesis import settings

from askback.domain.policy.shell.prefix_check import runs_project, why_not_allowed
from askback.domain.policy.shell.program_table import ProgramTable, load_table, programs, read_table
from tests.requirements import requirement

COMMANDS_WITH_ANY_ARGUMENTS = {"echo", "printf", "test", "["}
READS = {"text", "file", "binary", "awk_operand", "listing", "tracked", "endpoint", "jq"}
PROGRAMS = sorted(programs() - COMMANDS_WITH_ANY_ARGUMENTS)
ALL = settings.get_current_profile_name() == "many"
"""Whether to try each length of an abbreviation, and not only the shortest and the longest."""


def tables(program: str) -> Iterator[tuple[tuple[str, ...], ProgramTable]]:
    """Return the program's own table and that of each sub-command."""
    table = load_table(program)
    assert table is not None
    for words, sub in {(): table, **table.subcommands}.items():
        if not sub.continues_as:
            yield (program, *words), sub


def is_allowed(*argv: str, named: int) -> bool:
    return why_not_allowed(argv, named) is None


def test_the_table_in_contributing_can_be_read() -> None:
    guide = (Path(__file__).parents[3] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    [text] = re.findall(r"```toml\n(.*?)```", guide, re.DOTALL)
    table = read_table("frob", text)
    assert table.subcommands[("check",)].runs_project
    assert table.subcommands[("serve",)].refusal == "starts_server"


@requirement("N10")
def test_an_option_that_no_table_names_is_never_allowed() -> None:
    for words, table in chain.from_iterable(map(tables, PROGRAMS)):
        spare = next(letter for letter in "ZYQJWKyXzqjwkUVG5" if f"-{letter}" not in table.options)
        flags = [name for name in table.options if len(name) == 2 and not table.options[name].kinds]
        clusters = [f"{name}{spare}" for name in flags if not table.options[name].named]
        for word in ("--not-an-option", "--not-an-option=x", f"-{spare}", f"-{spare}x", *clusters):
            known = (word,) in table.subcommands or (
                table.harmless_words and table.harmless_words.fullmatch(word)
            )
            if not known:
                assert not is_allowed(*words, word, named=len(words)), (words, word)


@requirement("N10")
def test_an_abbreviated_option_is_never_allowed() -> None:
    for words, table in chain.from_iterable(map(tables, PROGRAMS)):
        for name in table.options:
            for size in range(4, len(name), 1 if ALL else max(1, len(name) - 5)):
                short = name[:size]
                if name.startswith("--") and short not in {*table.options, *table.version}:
                    assert not is_allowed(*words, short, named=len(words)), (words, short)
                    assert not is_allowed(*words, f"{short}=x", named=len(words)), (words, short)


@requirement("N10")
def test_a_table_names_its_source_and_refuses_paths_outside_the_folder() -> None:
    for program in PROGRAMS:
        table = load_table(program)
        assert table is not None, program
        assert table.source, program
    for words, sub in chain.from_iterable(map(tables, PROGRAMS)):
        reads = any(kind.__name__ in READS for kind in sub.operands) or sub.check == "find"
        for outside in ("../x", "/etc/x", "~/x"):
            if not reads:
                assert not is_allowed(*words, outside, named=len(words)), (words, outside)
        if sub.refusal:
            assert not is_allowed(*words, "x", named=len(words)), words


@requirement("N10")
def test_an_option_with_an_open_value_at_the_end_of_a_rule_is_not_allowed() -> None:
    assert not is_allowed("grep", "-f", "x", named=2)
    assert not is_allowed("curl", "-o", "x", named=2)
    assert not is_allowed("pytest", "-c", "evil.ini", named=2)
    assert is_allowed("pytest", "-c", "ci.ini", "-q", named=3)
    assert is_allowed("cargo", "test", "--", "--nocapture", named=2)


@requirement("N10")
def test_commands_that_run_code_of_the_project_are_known() -> None:
    runs = [
        ("npm", "test"),
        ("make", "x"),
        ("cargo", "test"),
        ("pytest", "-q"),
        ("go", "test", "./..."),
        ("tox",),
        ("python3", "-m", "pytest"),
        ("npx", "jest"),
    ]
    assert all(map(runs_project, runs))
    assert not any(
        map(runs_project, [("git", "log"), ("ls",), ("npm", "ls"), ("cargo", "tree"), ("unknown",)])
    )
