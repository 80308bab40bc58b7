"""Reading a command is cheap, even with many repetitions, and finds nested commands."""

from __future__ import annotations

import pytest

from askback.domain.policy.reasons import Reason
from askback.domain.policy.shell import limits, tree
from askback.domain.policy.shell.reading import Reading, read_argv, read_command
from askback.domain.policy.shell.tree import Budget
from tests.requirements import requirement


def filled(fragment: str, size: int = limits.BYTES) -> str:
    """Repeat a fragment up to the maximum length of a command."""
    return (fragment * (size // len(fragment.encode()) + 1)).encode()[:size].decode(errors="ignore")


def words_in(reading: Reading) -> int:
    return sum(len(argv) for argv in reading.all_commands)


@requirement("B5")
@pytest.mark.parametrize(
    "fragment",
    ["env -a ", "find -exec ", "xargs -n 1 ", "bash -c ", "bash -c -c ", "eval ", "sudo ", "git -C a ", "trap ", "a;", "rm a\n", "(a)", "; ", "("],
)  # fmt: skip
@pytest.mark.parametrize("size", [limits.BYTES, 250_000])
def test_a_command_with_too_many_parts_is_never_clear(fragment: str, size: int) -> None:
    text = filled(fragment, size)
    for reading in (read_command(text), read_argv(tuple(text.split()))):
        assert len(reading.all_commands) <= limits.MAX_SEEN_COMMANDS + 1
        assert words_in(reading) <= 2 * limits.WORDS + 1


@requirement("B5")
@pytest.mark.parametrize("fragment", ["a=(", ")", ">", "<<a\n", "a() ", '"${', "${", "[[ a =~ ", "a"])
def test_the_parser_reads_a_broken_text_only_so_often(fragment: str) -> None:
    budget = Budget()
    tree.parse_command(filled(fragment), budget)
    # The parser stops between two steps, each of which may read the text to its end a few dozen times.
    assert budget.reads > -10 * limits.READS
    assert budget.steps >= -1


@requirement("B5")
@pytest.mark.parametrize("character", ["é", "\u3000", "日", "😀", "\U000dd87f", "\U0010fffd"])
def test_any_character_beyond_ascii_is_part_of_a_word(character: str) -> None:
    """The grammar's scanner crashed the process at `{` and a character far beyond ASCII."""
    for text in ("{{{0}", "{{1{0}", "{{1..{0}}}", "cat <<X\n${0}\nX", "[ -{0} a ]", "cat <<{0}\na\n{0}"):
        read_command(text.format(character))
    parsed = tree.parse_command(f"echo a{character}{character}b={{{character}}} c", Budget())
    assert parsed is not None
    assert parsed.commands == (("echo", f"a{character}{character}b={{{character}}}", "c"),)


@requirement("B7")
def test_nested_commands_are_found_at_any_depth() -> None:
    reading = read_command("env nice sudo timeout 5 bash -c 'env bash -c \"nohup rm -rf x\"'")
    assert ("rm", "-rf", "x") in reading.all_commands
    assert reading.incomplete is None


@requirement("B7")
@pytest.mark.parametrize(
    "text", [filled(": a", limits.BYTES + 1) + "; rm x", 'echo "é; rm x', "\0" * 9000 + "r\0m x"]
)
def test_commands_in_an_unparsable_text_are_still_found(text: str) -> None:
    reading = read_command(text)
    assert ("rm", "x") in reading.all_commands
    assert reading.incomplete


@requirement("B5")
@pytest.mark.parametrize("fragment", [")", "a=(", ">", "<&"])
def test_a_text_that_needs_repeated_scans_is_abandoned_early(fragment: str) -> None:
    budget = Budget()
    assert tree.parse_command(filled(fragment), budget) is None
    assert budget.reads < 0 < budget.steps


def test_code_of_another_language_in_an_argument_hides_nothing_from_the_shell() -> None:
    assert read_command("python3 -c 'for x in (1, 2): print(x['").incomplete is None


@requirement("B29")
def test_a_text_with_too_many_commands_is_never_clear() -> None:
    reading = read_command(filled("env -a ", 3_000))
    assert (reading.commands, reading.unclear, reading.incomplete) == (
        (),
        Reason("too_complex"),
        Reason("too_complex"),
    )


@requirement("B5")
@pytest.mark.parametrize(
    "text",
    [
        "cat < " + "a" * 5_000 + "(",
        "cat < " + "a'b'" * 1_500 + "(",
        "; ".join(f"cd {letter}" for letter in "abcdefghijklmnopqrs"),
        "find . " + "\\( " * 900 + "-name '*.py' " + "\\) " * 900 + "-exec cat {} +",
        "find . " + "! " * 2_000 + "-name '*.py' -exec cat {} +",
        "for f in " + "a " * 59 + "; do for g in " + "b " * 59 + "; do echo $f $g; done; done",
    ],
)
def test_a_text_that_takes_long_in_the_extended_reading_is_abandoned(text: str) -> None:
    assert read_command(text).extended is None
