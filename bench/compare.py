"""Compare the durable round trip of this source tree with that of another revision, by turns in one run.

python -m bench compare REV --backend sqlite,postgres,two-servers --at-once 1,64 --rounds 5

REV is checked out into a temporary git worktree. It runs in this environment if its locked packages are among
ours, and otherwise in a separate one. Each round measures each case on both versions, one right after the
other. With `--instructions` the servers' instructions are counted in place of times, which hardly depends on the
load of the machine (valgrind's callgrind; the kernel's instructions are not in the count).
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = "requirements-dev.lock"
FIELDS = {"repeated": "fields repeat", "new": "every form new"}
FIGURES = {
    "server_cpu_us": "server CPU µs",
    "postgres_cpu_us": "database CPU µs",
    "p50_ms": "median ms",
    "cycles_s": "a second",
    "instructions_k": "1,000 instructions",
    "loop_instructions_k": "1,000 instructions of the event loop",
}
OURS, THEIRS = "this tree", "revision"

Figures = Mapping[str, float]


@dataclass(frozen=True)
class Case:
    """A case to measure on both versions."""

    backend: str
    fields: str
    at_once: int
    total: int

    def __str__(self) -> str:
        """Name the case in the table."""
        return f"{self.backend}, {self.at_once} at once, {FIELDS[self.fields]}"


class Version:
    """A source tree, and its measuring process."""

    def __init__(self, tree: Path, python: str, *options: str) -> None:
        path = os.pathsep.join((str(tree / "src"), str(tree)))
        # -P: only the tree's own modules are found, and not those beside the script.
        self._process = subprocess.Popen(
            [python, "-P", ROOT / "bench" / "one_version.py", *options],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, case: Case) -> Figures:
        """Measure a case once."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(vars(case)), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            sys.exit(f"The benchmark of {case} failed; see its error above.")
        return json.loads(line)

    def close(self) -> None:
        """Let the process end, and with it its databases."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)


@contextmanager
def checkout(revision: str) -> Generator[Path]:
    """Give a worktree of a revision, until the block ends."""
    with tempfile.TemporaryDirectory(prefix="askback-compare-") as folder:
        tree = Path(folder) / "tree"
        subprocess.run(
            ["git", "worktree", "add", "--quiet", "--detach", tree, revision], cwd=ROOT, check=True
        )
        try:
            yield tree
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", tree], cwd=ROOT, check=True)


def python_of(tree: Path) -> str:
    """Return a Python with the packages of a tree: this one, if it has them all in the same versions."""
    if locked_packages(tree) <= locked_packages(ROOT):
        return sys.executable
    subprocess.run([sys.executable, tree / "scripts" / "setup.py", "--python"], check=True, stdout=sys.stderr)
    return str(tree / ".venv" / "bin" / "python")


def locked_packages(tree: Path) -> set[str]:
    lines = (tree / LOCK).read_text().splitlines()
    return {line.rstrip(" \\") for line in lines if line[:1].isalnum()}


@contextmanager
def run_version(tree: Path, *options: str) -> Generator[Version]:
    version = Version(tree, python_of(tree), *options)
    try:
        yield version
    finally:
        version.close()


def measure(
    versions: Mapping[str, Version], cases: Sequence[Case], rounds: int
) -> Iterator[tuple[Case, str, Figures]]:
    """Measure each case on each version by turns; the version that begins changes with each round."""
    for number in range(rounds):
        order = sorted(versions, reverse=bool(number % 2))
        for case in cases:
            for name in order:
                yield case, name, versions[name].measure(case)


def table(measured: Iterable[tuple[Case, str, Figures]]) -> Iterator[str]:
    """Give a Markdown table: for each case and figure the medians of both versions, and their ratio.

    A ratio is this tree divided by the revision, in one round: the table has their median and their range.
    """
    figures_by_case: dict[Case, dict[str, list[Figures]]] = {}
    for case, name, figures in measured:
        figures_by_case.setdefault(case, {}).setdefault(name, []).append(figures)
    yield "| | revision | this tree | ratio | least–most |"
    yield "|---|---|---|---|---|"
    for case, runs in figures_by_case.items():
        for figure, title in FIGURES.items():
            theirs = [run.get(figure, 0) for run in runs[THEIRS]]
            own_values = [run.get(figure, 0) for run in runs[OURS]]
            if not all(theirs):
                continue
            ratios = [a / b for a, b in zip(own_values, theirs, strict=True) if b]
            yield (
                f"| {case}: {title} | {statistics.median(theirs):,.4g} | {statistics.median(own_values):,.4g} "
                f"| **{statistics.median(ratios):.2f}** "
                f"| {min(ratios):.2f}–{max(ratios):.2f} |"
            )


def main(arguments: Sequence[str] | None = None) -> None:
    """Print each turn as it is measured, then the table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench compare",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("revision", metavar="REV", help="a commit, branch or tag")
    parser.add_argument(
        "--backend", default="sqlite,postgres", help="sqlite, postgres, two-servers, separated by commas"
    )
    parser.add_argument("--at-once", default="1,64", help="conversations at once, separated by commas")
    parser.add_argument("--fields", default="repeated,new", help="repeated, new, separated by commas")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--total", type=int, default=4000, help="round trips per turn; an eighth of them for one conversation"
    )
    parser.add_argument(
        "--instructions",
        action="store_true",
        help="count instructions; 400 round trips and one round are enough",
    )
    args = parser.parse_args(arguments)
    options = ("--instructions",) * args.instructions
    cases = [
        Case(backend, fields, int(at_once), args.total // (1 if int(at_once) > 1 else 8))
        for backend, at_once, fields in product(
            args.backend.split(","), args.at_once.split(","), args.fields.split(",")
        )
    ]
    measured: list[tuple[Case, str, Figures]] = []
    with ExitStack() as stack:
        tree = stack.enter_context(checkout(args.revision))
        versions = {
            OURS: stack.enter_context(run_version(ROOT, *options)),
            THEIRS: stack.enter_context(run_version(tree, *options)),
        }
        for case, name, figures in measure(versions, cases, args.rounds):
            measured.append((case, name, figures))
            print(f"{case}: {name}: {json.dumps(figures)}", flush=True)
    print("\n".join(["", *table(measured)]))


if __name__ == "__main__":
    main()
