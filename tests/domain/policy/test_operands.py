"""The operands that are files: the options of a program agree with its table."""

from __future__ import annotations

import pytest

from askback.domain.policy import operands
from askback.domain.policy.built_in_lists import built_in_rules
from askback.domain.policy.shell.program_table import ProgramOption, load_table
from tests.requirements import requirement

LISTED_COMMANDS = sorted({" ".join(rule.words[:2]) for rule in built_in_rules("default") if rule.words})


def options_of(words: list[str]) -> dict[str, ProgramOption]:
    """The options that the table of a program, or of a sub-command of git, knows."""
    table = load_table(words[0])
    assert table is not None, words
    result = dict(table.options)
    if words[1:]:
        sub = table.subcommands.get(tuple(words[1:]))
        result |= {} if sub is None else sub.options
    return result


@requirement("N7")
def test_an_option_takes_the_next_word_only_if_its_table_does() -> None:
    wrong: list[tuple[str, str]] = []
    for command in LISTED_COMMANDS:
        for name, option in options_of(command.split()).items():
            parsed_arguments = operands.parse_arguments((*command.split(), name, "VALUE"))
            taken = "VALUE" not in parsed_arguments.operands
            if taken and (option.attached or not option.kinds):
                wrong.append((command, name))
    assert wrong == []


@requirement("N7")
@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("grep -rn foo src", ["src"]),
        ("grep -e foo src", ["src"]),
        ("grep --color foo src", ["src"]),
        ("grep -ne foo src", ["src"]),
        ("grep -A 3 foo src", ["src"]),
        ("grep --include=*.py foo src", ["src"]),
        ("grep -f pats src", ["src"]),
        ("grep --file=pats foo src", ["src", "pats"]),
        ("rg -g *.py foo src", ["src"]),
        ("rg --files src", ["src"]),
        ("sed -n 1p a.txt", ["a.txt"]),
        ("sed -e 1p a.txt", ["a.txt"]),
        ("head -n 5 a.txt", ["a.txt"]),
        ("diff --context a b", ["a", "b"]),
        ("echo /etc/passwd", []),
        ("git grep foo src", ["src"]),
        ("git grep -e foo src", ["src"]),
        ("git diff -C a b", ["a", "b"]),
        ("git log -n 3 a", ["a"]),
        ("git blame -L 1,2 a", ["a"]),
        ("find a b -name c -newer d", ["a", "b", "d"]),
        ("unknown -x a --y=b", ["a", "b"]),
        ("cat -- -a", ["-a"]),
    ],
)
def test_the_files_of_a_command_are_separated_from_its_other_words(command: str, files: list[str]) -> None:
    assert operands.file_operands(tuple(command.split())) == files
