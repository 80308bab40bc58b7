"""Generate commands, run the allowed ones under real bash with every program a stub, and compare what ran.

To run more: `python -m tests.fault.shell_fuzz 20000 [SEED]`.

Every name that bash looks up runs a stub that records its arguments: the search path is an empty folder, so
programs reach `command_not_found_handle`, and functions stand before the builtins. Each command runs in a
small folder of its own with an empty environment. An escape is a command that ran a program without an allow
rule, or with other arguments than were decided about, or that left a file behind.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.rules import parse_rule
from askback.domain.policy.shell import lexer, reading

RULES = (
    "git status",
    "git log:*",
    "ls:*",
    "cat:*",
    "echo:*",
    "grep:*",
    "pack:*",
    "true",
    "test:*",
    "printf:*",
)
POLICY = Policy(rules=tuple(parse_rule(text) for text in RULES))
BUILTINS = "echo test true false pwd printf type read set cd eval source exec export trap unset command builtin alias kill wait"

PRELUDE = (
    # A file for each call: programs of a pipeline write at the same time.
    'stub() { builtin printf "%s\\0" "$@" > "$RECORD/$BASHPID-$SRANDOM"; return 0; }\n'
    'command_not_found_handle() { stub "$@"; }\n'
    + "".join(f'{name}() {{ stub {name} "$@"; }}\n' for name in BUILTINS.split() if name != "builtin")
)

FILES = ("a", "xx")
"""Files for patterns to expand to."""

HARMLESS = (
    "git status >/dev/null", "true > /dev/null; git status", "true && git status",
    "git status", "git log -3", "git log --oneline --author='A B'", "ls -la src", "cat README.md", "echo hello world",
    "grep -rn x src", "pack a b", "git status && git log -1", "ls | cat", "git status; ls", "echo 'a;b' | grep \"a b\"",
    "pack 2>&1", "ls 2>/dev/null || true", "echo a\\ b c", "pack \"a 'b' c\" 'd \"e\" f'", "git status\nls", "pack --x=1 -y",
    "true && pack one >/dev/null && pack two", "cat a.txt | grep b | pack -", "echo \"cost: 5$\" x", "pack a~b HEAD~1 x^ y@z",
)  # fmt: skip
PIECES = (
    "evil", "x", "'y z'", '"y z"', '"a\\"b"', "'it'\\''s'", "a\\ b", "\\;", "\\$x", '"\\$x"', "'$x'", "'`x`'", '"*"', "*", "?", "[ab]",
    "{a,b}", "{a..c}", "~", "~/x", "a=~", "x=1", "a:~", "$x", '"$x"', "${x}", "$(evil)", "`evil`", '"$(evil)"', "<(evil)", ">(evil)",
    "$((1))", "$'x'", '$"x"', "!", "!x", '"!x"', '"x!"', "#", "#x", "x#y", "\\\n", "é", "世界", "0", "1", "2", "10", "2>", ">x", ">&1",
    "2>&1", ">/dev/null", "0>/dev/null", "1>/dev/null", "&>/dev/null", "2>&1x", "10>/dev/null", "</dev/null", "<x", "<<x", "<<<x",
    "|", "||", "&", "&&", ";", ";;", "\n", "\t", " ", "\r", "\x0b", "(", ")", "{", "}", "[[", "]]", "[", "]", "if", "then", "fi", "for",
    "do", "done", "in", "case", "esac", "function", "coproc", "time", "eval", ".", "source", "command", "exec", "a[$(evil)]", "A=1",
    "PATH=.", "%", "%1", "^", ",", ":", '"$"', '"a$"', '"a$b"', '"$ x"', "'a'\"b\"c", "''", '""', "\\", "'", '"', "`", "$", "-", "--",
    "\\\\", "\\'", '\\"', "|&", ">|x", ">>x", "<>x", "<&-", ">&-", "a\\", "@(x)", "+(x)", "\\#", "=", "+=", "x+=1", "x[0]=1", "&>x", "\u00a0",
    "\\n", "\\~", "\\*", "'*'", '"a\nb"', "'a\nb'", "then;", "x;y", "x&y", "x|y", "\\|", "\\&", '"&"', '"|"', "'>x'", '">x"', "x'>'y",
)  # fmt: skip
JOINS = ("", "", " ", " ", " ", "  ", "\t", "; ", " && ", " | ", "\n")


@dataclass
class Report:
    """The result of a run."""

    generated: int = 0
    executed: int = 0
    escapes: list[str] = field(default_factory=list)


def commands(chance: random.Random) -> Iterator[str]:
    """Yield commands forever: harmless ones with something inserted, and random pieces."""
    while True:
        if chance.random() < 0.75:
            text = chance.choice(HARMLESS)
            for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
                position = chance.randint(0, len(text))
                cut = chance.choice((0, 0, 0, 1, 2))
                piece = chance.choice(PIECES)
                padded = piece if chance.random() < 0.6 else f" {piece} "
                text = text[:position] + padded + text[position + cut :]
        else:
            first = chance.choice(("git log", "echo", "pack", "ls", "cat"))
            text = first + "".join(
                chance.choice(JOINS) + chance.choice(PIECES) for _ in range(chance.randint(1, 7))
            )
        yield text


def run(wanted: int, *, seed: int, folder: Path, stop_after: int = 1) -> Report:
    """Execute this many allowed commands, or fewer once `stop_after` escapes are found."""
    chance, report = random.Random(seed), Report()
    prelude = folder / "prelude.sh"
    prelude.write_text(PRELUDE)
    (folder / "none").mkdir()
    for text in commands(chance):
        if (
            report.executed >= wanted
            or len(report.escapes) >= stop_after
            or report.generated >= 60 * wanted + 5_000
        ):
            return report
        report.generated += 1
        call = Call("bash", {"command": text})
        if call.reading is not None and decide(call, POLICY).decision == "allow":
            report.executed += 1
            wrong = judge(text, call.reading.commands, folder, prelude)
            report.escapes += [f"{text!r}: {wrong}"] if wrong else []
    return report


def judge(text: str, decided: tuple[tuple[str, ...], ...], folder: Path, prelude: Path) -> str | None:
    """Run one command; return its effects that were not decided about."""
    record, folder_file = folder / "record", folder / "place"
    record.mkdir(exist_ok=True)
    folder_file.mkdir(exist_ok=True)
    for name in FILES:
        (folder_file / name).touch()
    environment = {
        "PATH": str(folder / "none"),
        "BASH_ENV": str(prelude),
        "RECORD": str(record),
        "HOME": str(folder_file),
        "LC_ALL": "C.UTF-8",
    }
    ended_result = subprocess.run(
        ["/bin/bash", "-c", text],
        cwd=folder_file,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
    )
    ran, expected = Counter(executed(record)), Counter(decided)
    left = [path.name for path in folder_file.iterdir() if path.name not in FILES]
    for path in folder_file.iterdir():
        path.unlink()
    if left:
        return f"it left {left}"
    forbidden_calls = [argv for argv in ran if not any(is_allowed(argv, rule) for rule in RULES)]
    if forbidden_calls:
        return f"it ran {forbidden_calls}"
    if ran - expected or ("||" not in text and ran != expected):
        return f"it ran {dict(ran)} and not {dict(expected)}: {ended_result.stderr.decode(errors='replace')[:200]}"
    return None


def executed(record: Path) -> list[tuple[str, ...]]:
    """The argument vectors that the stubs recorded."""
    findings: list[tuple[str, ...]] = []
    for path in record.iterdir():
        findings.append(tuple(path.read_bytes().decode(errors="surrogateescape").split("\0")[:-1]))
        path.unlink()
    return findings


def is_allowed(argv: tuple[str, ...], rule: str) -> bool:
    """Judge by the words only, without the code under test."""
    words = tuple(rule.removesuffix(":*").split())
    return argv[: len(words)] == words and (rule.endswith(":*") or argv == words)


def _token(old: str, new: str) -> Callable[[], None]:
    def plant() -> None:
        pattern = lexer._TOKEN.pattern
        assert old in pattern, old
        lexer._TOKEN = re.compile(pattern.replace(old, new, 1), re.VERBOSE)

    return plant


def accept_any_home() -> None:
    lexer._HOME = re.compile(r"(?!)")


FAULTS: dict[str, Callable[[], None]] = {
    "a semicolon is a blank": _token(r"(?P<blank>[ \t]+)", r"(?P<blank>[ \t;]+)"),
    "a line feed is a blank": _token(r"(?P<blank>[ \t]+)", r"(?P<blank>[ \t\n]+)"),
    "an ampersand is a blank": _token(r"(?P<blank>[ \t]+)", r"(?P<blank>[ \t&]+)"),
    "braces are letters": _token(r"[A-Za-z0-9_@", r"[{}A-Za-z0-9_@"),
    "patterns are letters": _token(r"[A-Za-z0-9_@", r"[*?A-Za-z0-9_@"),
    "a dollar is a letter": _token(r"[A-Za-z0-9_@", r"[$A-Za-z0-9_@"),
    "double quotes are like single ones": _token(r'"(?:[^"\\$`!]', r'"(?:[^"\\!]'),
    "any file may be written": _token(r"[ \t]*/dev/null", r"[ \t]*[a-z/]+"),
    "a backslash ends a line": _token(r"\\[\ !", r"\\[\n\ !"),
    "the home folder is a word": accept_any_home,
}
"""Mistakes that the fuzzer must find, with the second reader switched off so that only the fuzzer can."""


@contextmanager
def plant_mistake(name: str) -> Iterator[None]:
    """Plant a mistake in the lexer for a while."""
    original_values = lexer._TOKEN, lexer._HOME, reading._disagreement
    reading._disagreement = lambda *_: None
    try:
        FAULTS[name]()
        yield
    finally:
        lexer._TOKEN, lexer._HOME, reading._disagreement = original_values


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
        found = run(
            count, seed=int(sys.argv[2]) if len(sys.argv) > 2 else 1, folder=Path(scratch), stop_after=20
        )
    print(f"{found.generated} generated, {found.executed} allowed and executed, {len(found.escapes)} escapes")
    print("\n".join(found.escapes))
    raise SystemExit(bool(found.escapes))
