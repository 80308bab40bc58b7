"""Generate exploratory commands of agents, and run those that the built-in lists allow under real bash.

To run more: `python -m tests.fault.extended_fuzz 20000 [SEED]`, and with `FUZZ_SHELL="zsh -f"` in zsh, which is the bash
tool of Claude Code on macOS.

The folder of a run is the only root. It has secret files, files whose names have blanks, wildcards and hyphens, and a
secret in the environment; beside it lies a file that is outside. Programs are stubs that open nothing and write down
where they run, their arguments and what their standard input is; `find` and `xargs` are the real ones, and so are
bash's builtins. An escape is a stub that was not decided about, or that got the name of a secret or outside
file, a new or changed file, or the secret in the output.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from askback.domain.policy import rule_scope
from askback.domain.policy.built_in_lists import built_in_rules
from askback.domain.policy.calls import Call
from askback.domain.policy.engine import Policy, decide
from askback.domain.policy.shell import delegation, extended, extended_words, reading
from tests.fault.shell_fuzz import JOINS, PIECES, Report

_PROGRAM, *_OPTIONS = os.environ.get("FUZZ_SHELL", "bash").split()
SHELL = (shutil.which(_PROGRAM) or _PROGRAM, *_OPTIONS)
CANARY = "canary-7f3a"
STUBS = "ls cat head tail wc grep egrep rg sort uniq cut sed awk jq git stat file du tree which nl tac diff md5sum ps date id evil x"
READLINK = shutil.which("readlink") or "readlink"
STUB = f'#!/bin/bash\nprintf "%s\\0" "$({READLINK} /proc/self/fd/0)" "$PWD" "${{0##*/}}" "$@" > "$RECORD/$BASHPID-$SRANDOM"\n'
PUBLIC = (
    "a.py", "b.py", "-n.py", "f .env g.py", "*.py", "$(evil).py", "n\n.env.py", "README.md", "src/a.py", "src/b c.py", "src/deep/c.py",
    "docs/x.md", "list", "src/src/a.py",
)  # fmt: skip
SECRET = (
    ".env",
    "src/.env",
    "src/deep/.env",
    "key.pem",
    "src/key.pem",
    "secrets.json",
    ".git/config",
    "x.env",
)

HARMLESS = (
    "[ -f a.py ] && cat a.py", "[ -d src ] && ls src || echo none", "[[ -f README.md ]] && cat README.md", "[ ! -f x ] && echo none",
    "if [ -f a.py ]; then cat a.py; else echo none; fi", "if test -d src; then ls src; fi", "wc -l < a.py", "sort < README.md | uniq -c",
    "for f in a.py b.py; do head -5 $f; done", "for f in src/*.py; do echo \"$f\"; wc -l \"$f\"; done", "for d in src docs; do ls \"$d\" | wc -l; done",
    "for f in *.py; do cat \"$f\"; done", "for i in 1 2; do for f in a.py b.py; do head -n $i $f; done; done", "# look\nls -la", "ls # all\ncat a.py",
    "find . -name '*.py' -exec grep -n x {} +", "find src -name '*.py' -exec wc -l {} \\;", "find . \\( -name '*.py' -o -name '*.md' \\) -exec cat {} +",
    "find . -name '*.py' -print0 | xargs -0 grep -l x", "find src -type f -name '*.py' -print0 | xargs -0 -n 1 head -3",
    "find . -path ./src -prune -o -name '*.py' -exec cat {} +", "find src -name '*.py' | head", "cd src && ls && cat a.py", "cd src && wc -l *.py; ls",
    "cd src; cat a.py", "cd src || ls", "(cd src && cat a.py); cat a.py", "(cd src && ls) && cat a.py", "for f in a.py; do ls; done | head; cat $f", "cd src && cd deep && cat c.py", "cd src && ls | head && cat a.py || cat a.py",
    "{ ls; cat a.py; } | head", "! grep -q x a.py && echo no", "git --no-pager log -3", "git -c color.ui=never diff", "command -v git && git --version",
    "echo $? \"code $?\" $HOME \"$PATH\"", "LC_ALL=C sort a.py", "NO_COLOR=1 git diff", "while false; do ls; done", "until true; do cat a.py; done",
    "cat src/*.py | wc -l", "head -3 *.py", "grep -n x src/*.py", "ls *", "ls -d */", "cat a.py \\\n  b.py", "true && cat < a.py > /dev/null",
    "for f in a.py b.py; do [ -f \"$f\" ] && cat \"$f\"; done | head", "for f in a.py; do cd src; cat $f; done", "if cd src; then cat a.py; fi",
    "for f in a.py; do cat $f; done; echo $f", "false || cd src && cat a.py", "ls | cd src && cat a.py",
)  # fmt: skip
WIDER = (
    "*.py", "src/*.py", "./*", "?", "$f", '"$f"', "${f}", '"${f}"', "$i", "$SECRET", '"$SECRET"', "$?", "< a.py", "< .env", "<src/.env", "# x", "#", "\n# y\n",
    "[ -f .env ]", "[[", "]]", "if ", "; then ", "; else ", "; fi", "for f in ", "; do ", "; done", "done", "(", ")", "{ ", "; }", "! ", "cd src", "cd ..",
    "cd deep &&", "cd /", "cd .git && ", "; cat .env", "&& cat .env", "| cat .env", "src/.env", ".env", "../outside", "key.pem", "-name '*'", "-o", "!", "-exec",
    "{}", "\\;", "+", "-print0", "| xargs -0 cat", "| xargs cat", "xargs -0", "-exec cat {} +", "-o -exec cat {} +", "-name '*.env'", "-iname '*.PY'", "while ",
    "in", "do", "a.py", "b.py", "deep/.env", "$(cat .env)", "`evil`", "<<< x", "<(cat .env)", "2>&1", "1>&2", "&", "&&", "||", "|", ";", "\n", "\\\n", "'", '"',
    "\\( ", " \\)", "-not", "GIT_PAGER=cat ", "PATH=. ", "f=.env", "export f=.env", "command ", "-c core.pager=evil ", "-C src ", "-C .. ", "*", "src/*", "[ab].py",
    "$f:h", '"$f:r"', "${f}:h", "$i:t", "=evil", "=", "printf '%d %s' ", "; printf %d 'path[$(evil)]'", "'path[$(evil)]'", "path[1]", "key.pem.txt", "$~f", "^a.py",
)  # fmt: skip


def commands(chance: random.Random) -> Iterator[str]:
    """Yield commands forever: harmless ones, alone, joined and crossed, with something inserted, cut or moved."""
    while True:
        text = chance.choice(HARMLESS)
        for _ in range(chance.choice((0, 0, 1))):
            text = text + chance.choice(("; ", " && ", " || ", " | ", "\n", " ")) + chance.choice(HARMLESS)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3))):
            places = [i for i, c in enumerate(text) if c in " ;\n|&"] + [0, len(text)]
            position = chance.choice(places) if chance.random() < 0.8 else chance.randint(0, len(text))
            piece = chance.choice(WIDER if chance.random() < 0.8 else PIECES)
            cut = chance.choice((0, 0, 0, 1, 3, 6)) if chance.random() < 0.5 else 0
            text = (
                text[:position] + chance.choice(JOINS) + piece + chance.choice(JOINS) + text[position + cut :]
            )
        yield text


class Sandbox:
    """A root with traps, and the programs."""

    def __init__(self, folder: Path) -> None:
        self.root, self.records, self.programs = (
            folder / "home" / "app",
            folder / "records",
            folder / "programs",
        )
        self.record = self.records
        for path in (self.root, self.records, self.programs):
            path.mkdir(parents=True)
        for name in STUBS.split():
            (self.programs / name).write_text(STUB)
            (self.programs / name).chmod(0o755)
        for name in ("find", "xargs"):
            (self.programs / name).symlink_to(shutil.which(name) or name)
        (folder / "home" / "outside").write_text(CANARY)
        for name in (*PUBLIC, *SECRET):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(CANARY if name in SECRET else "public\n")
        self.before = self.state()
        self.allowed = {str(self.root / name) for name in PUBLIC} | {
            str(p) for p in self.root.rglob("*") if p.is_dir()
        }
        self.policy = Policy(built_in_rules("default"), roots=(str(self.root),))

    def state(self) -> dict[str, bytes | None]:
        """Every file and folder of the root, with its content."""
        result = self.root.rglob("*")
        return {str(path): path.read_bytes() if path.is_file() else None for path in result}

    def judge(self, call: Call) -> str | None:
        """Run one command; return its effects that were not decided about."""
        # A folder for each command: a process that survives a killed command may still write.
        self.record = Path(tempfile.mkdtemp(dir=self.records))
        environment = {
            "PATH": str(self.programs), "RECORD": str(self.record), "HOME": str(self.root), "SECRET": CANARY, "f": ".env",
            "i": ".env", "LC_ALL": "C.UTF-8",
        }  # fmt: skip
        text = call.input["command"]
        try:
            ended_result = subprocess.run(
                [*SHELL, "-c", text],
                cwd=self.root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=2,
            )  # fmt: skip
            output = ended_result.stdout + ended_result.stderr
        except subprocess.TimeoutExpired as error:
            output = (error.stdout or b"") + (error.stderr or b"")  # `while true` is no escape
        wrong = [odd for ran in self.executed() if (odd := self.odd(ran, call))]
        if CANARY.encode() in output:
            wrong.append("it printed the secret")
        if self.state() != self.before:
            wrong.append("it changed a file")
        return "; ".join(wrong) or None

    def executed(self) -> list[list[str]]:
        """The records of the stubs: standard input, folder, name, arguments."""
        findings: list[list[str]] = []
        for path in self.record.iterdir():
            findings.append(path.read_bytes().decode(errors="surrogateescape").split("\0")[:-1])
            path.unlink()
        return [finding for finding in findings if len(finding) > 2]

    def odd(self, ran: list[str], call: Call) -> str | None:
        """Return the fault of one program that ran."""
        given, folder, *argv = ran
        folder, argv = remove_options(folder, argv)
        if given.startswith("/") and given != "/dev/null" and given not in self.allowed:
            return f"{argv} reads {given}"
        first = next((i for i, word in enumerate(argv) if i and word[:1] != "-"), 0)
        for index, word in enumerate(argv):
            if not index or (index == first and argv[0] in {"grep", "egrep", "rg", "sed", "awk", "jq"}):
                continue  # a pattern or a program, though it may be the name of a file too
            named = os.path.normpath(os.path.join(folder, word.removeprefix("./")))
            is_listing = argv[0] == "ls" and Path(named).is_relative_to(self.root)  # names may be seen
            if os.path.exists(named) and not is_listing and named not in self.allowed | {str(self.root)}:
                return f"{argv} in {folder} is given {named}"
        return (
            None if any(self.fits(argv, folder, step) for step in self.steps(call)) else f"{argv} in {folder}"
        )

    def steps(self, call: Call) -> list[tuple[tuple[str, ...], frozenset[str], set[str]]]:
        """The steps that were decided about: words, which of them are patterns, and folders."""
        found_reading = call.reading
        assert found_reading is not None
        if found_reading.unclear is None and (
            found_reading.extended is None or not found_reading.extended.steps
        ):
            return [(argv, frozenset(), {str(self.root)}) for argv in found_reading.commands]
        steps = found_reading.extended.steps if found_reading.extended else ()
        return [
            (
                step.argv,
                step.patterns,
                {os.path.normpath(self.root / (folder or "")) for folder in step.folders},
            )
            for step in steps
        ]

    def fits(
        self, argv: list[str], folder: str, step: tuple[tuple[str, ...], frozenset[str], set[str]]
    ) -> bool:
        """Return whether a command that ran was decided about; a pattern stands for any number of words."""
        words, patterns, folders = step
        if folder not in folders or argv[0] != words[0]:
            return False
        return _sequence(tuple(argv[1:]), tuple(words[1:]), patterns)


def _sequence(ran: tuple[str, ...], words: tuple[str, ...], patterns: frozenset[str]) -> bool:
    """Return whether words that ran are those of a step, where patterns side by side stand for any number of names."""
    if not words:
        return not ran
    if words[0] not in patterns:
        return ran[:1] == words[:1] and _sequence(ran[1:], words[1:], patterns)
    many = next((i for i, word in enumerate(words) if word not in patterns), len(words))
    names = next(
        (i for i, word in enumerate(ran) if not any(matches_pattern(word, glob) for glob in words[:many])),
        len(ran),
    )
    return any(_sequence(ran[taken:], words[many:], patterns) for taken in range(names + 1))


def remove_options(folder: str, argv: list[str]) -> tuple[str, list[str]]:
    """Remove git's options before its sub-command, which a step does not show."""
    left = argv[1:] if argv[0] == "git" else []
    while left[:1] in (["--no-pager"], ["-c"], ["-C"]):
        if left[0] == "-C":
            folder = os.path.normpath(os.path.join(folder, left[1]))
        left = left[1 if left[0] == "--no-pager" else 2 :]
    return folder, ["git", *left] if argv[0] == "git" else argv


def matches_pattern(word: str, pattern: str) -> bool:
    """Return whether a word may come from a pattern of a shell, or from names below a place, as `find` finds them.

    Case is ignored, as by `-iname`.
    """
    word, pattern = word.lower(), pattern.lower()
    folder, _, last = pattern.rpartition("/")
    below = word == folder or word.startswith(f"{folder}/")
    return fnmatchcase(word, pattern) or (below and fnmatchcase(word.rpartition("/")[2], last))


def run(wanted: int, *, seed: int, folder: Path, stop_after: int = 1) -> Report:
    """Execute this many allowed commands, or fewer once `stop_after` escapes are found."""
    chance, report, sandbox = random.Random(seed), Report(), Sandbox(folder)
    for text in commands(chance):
        if (
            report.executed >= wanted
            or len(report.escapes) >= stop_after
            or report.generated >= 60 * wanted + 5_000
        ):
            return report
        report.generated += 1
        call = Call("bash", {"command": text}, str(sandbox.root))
        if decide(call, sandbox.policy).decision == "allow":
            report.executed += 1
            wrong = sandbox.judge(call)
            report.escapes += [f"{text!r}: {wrong}"] if wrong else []
    return report


def _ignore(*_: object) -> None:
    return None


def _token(old: str, new: str) -> re.Pattern[str]:
    pattern = extended_words._TOKEN.pattern
    assert old in pattern, old
    return re.compile(pattern.replace(old, new, 1), re.VERBOSE)


FAULTS: dict[str, tuple[tuple[Any, str, object], ...]] = {
    "every name is that of a harmless file": (
        (delegation, "safe_glob", lambda _: True),
        (rule_scope, "check_pattern", _ignore),
    ),
    "whatever is handed over is harmless": (
        (delegation, "require_understood", _ignore),
        (rule_scope, "check_pattern", _ignore),
    ),
    "every variable is known": ((extended, "require_understood", _ignore),),
    "cd always succeeds": ((extended._Folders, "after_operator", lambda *_, **__: None),),
    "a comment begins anywhere": ((extended_words, "_TOKEN", _token(r"\#[^\n]*", r"[^\n]*\#[^\n]*")),),
    "the input comes from nowhere": ((extended._Script, "_redirect", _ignore),),
    "a parenthesis is a blank": ((extended_words, "_TOKEN", _token(r"[ \t]+(?:", r"[ \t()]+(?:")),),
}
"""Mistakes that the fuzzer must find, with the second reader switched off so that only the fuzzer can."""


@contextmanager
def plant_mistake(name: str) -> Iterator[None]:
    """Plant a mistake in the extended reading for a while."""
    changes = (
        *FAULTS[name],
        (reading, "_read_extended", lambda text, *_: extended.read_extended(text, posix=False)),
    )
    original_values = [(place, key, getattr(place, key)) for place, key, _ in changes]
    try:
        for owner, key, value in changes:
            setattr(owner, key, value)
        yield
    finally:
        for owner, key, value in original_values:
            setattr(owner, key, value)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
        found = run(
            count, seed=int(sys.argv[2]) if len(sys.argv) > 2 else 1, folder=Path(scratch), stop_after=20
        )
    print(f"{found.generated} generated, {found.executed} allowed and executed, {len(found.escapes)} escapes")
    print("\n".join(found.escapes))
    raise SystemExit(bool(found.escapes))
