"""Run benchmarks, each in a separate process, and print tables of their results.

python -m bench                 all comparisons of the README, several rounds, one after the other
python -m bench --quick         the same with fewer and smaller rounds: some ten minutes
python -m bench NAME …          these, as they come; each has its own options as `python -m bench.NAME --help`
python -m bench compare REV     this tree beside another revision (`python -m bench compare --help`)
python -m bench migration REV   the migrations of a database that another revision has filled
python -m bench growth          single calls over 1,000 and 100,000 pending requests (`python -m bench growth --help`)
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench import compare, growth, migration
from bench.report import tables

Steps = Mapping[str, Sequence[str]]

ROUND: Steps = {
    "limits": ("--repeat=1",),
    "echo": ("--repeat=1",),
    "roundtrip": ("--repeat=1",),
    "peers": ("--repeat=1",),
}
"""Benchmarks that are compared, and so are measured by turns: the load of the machine affects all of them."""
ONCE: Steps = {
    "restart": (),
    "pending": (),
    "fanout": (),
    "app": (),
    "frameworks": (),
    "rules": (),
    "redact": (),
}
QUICK_ROUND: Steps = {
    "limits": ("--repeat=1", "--seconds=1"),
    "echo": ("--repeat=1", "--total=20000"),
    "roundtrip": ("--repeat=1", "--total=4000"),
    "peers": ("--repeat=1", "--total=256"),
}
QUICK_ONCE: Steps = {"restart": ("--repeat=2",), "pending": ("--warm=1000",), "fanout": ()}
ROUNDS, QUICK_ROUNDS = 5, 3


def steps(names: Sequence[str], *, quick: bool) -> Sequence[tuple[str, Sequence[str]]]:
    """Return the benchmarks to run, in order, each with its options."""
    if names:
        return [(name, ()) for name in names]
    if quick:
        return [*QUICK_ROUND.items()] * QUICK_ROUNDS + [*QUICK_ONCE.items()]
    return [*ROUND.items()] * ROUNDS + [*ONCE.items()]


def main() -> None:
    """Run the named benchmarks, or all; a failure does not stop the others."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--quick", action="store_true")
    own_commands = {"compare": compare.main, "growth": growth.main, "migration": migration.main}
    if sys.argv[1:] and sys.argv[1] in own_commands:
        own_commands[sys.argv[1]](sys.argv[2:])
        return
    args = parser.parse_args()
    failed_steps: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        output_file = Path(os.environ.get("BENCH_OUT") or Path(folder) / "run.jsonl").absolute()
        old_size = output_file.stat().st_size if output_file.exists() else 0
        for name, options in steps(args.names, quick=args.quick):
            command = [sys.executable, "-m", f"bench.{name}", *options]
            if subprocess.run(
                command, env={**os.environ, "BENCH_OUT": str(output_file)}, check=False
            ).returncode:
                failed_steps.append(name)
        lines = output_file.read_bytes()[old_size:].splitlines() if output_file.exists() else []
    if lines:
        print("\n".join(["", *tables([json.loads(line) for line in lines])]))
    if failed_steps:
        sys.exit(f"These failed: {', '.join(failed_steps)}.")


if __name__ == "__main__":
    main()
