"""Measure how many commands per second one core decides about: `python -m bench.rules [FILE]`.

The commands are those of `vectors/commands.json`, or the JSON lines of a file, in the format of `askback rules check`:
each line is parsed, its rules are looked up, the command is read and decided, and the answer is written.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from askback.cli.policy_line import check_line
from askback.domain.policy.built_in_lists import built_in_rules
from askback.domain.policy.engine import Policy

VECTORS = Path(__file__).resolve().parent.parent / "vectors" / "commands.json"


def lines() -> list[str]:
    """The lines to decide about."""
    if len(sys.argv) > 1:
        return [line for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines() if line.strip()]
    document = json.loads(VECTORS.read_text(encoding="utf-8"))
    sets = document["rules"]
    return [json.dumps({**sets[case["rules"]], **case["call"]}) for case in document["cases"]]


def main() -> None:
    """Time whole rounds for about three seconds of CPU, and print the rate and the slowest line."""
    work, policy = lines(), Policy(built_in_rules("default"))
    started, count, slowest = time.process_time(), 0, (0.0, "")
    while time.process_time() - started < 3:
        for line in work:
            started_at = time.process_time()
            check_line(line, lambda: policy)
            slowest = max(slowest, (time.process_time() - started_at, line))
        count += len(work)
    rate = count / (time.process_time() - started)
    print(
        f"rules check: {rate:,.0f} commands a second on one core ({1e6 / rate:.0f} µs each, {len(work)} different)"
    )
    print(f"slowest: {slowest[0] * 1e3:.2f} ms for {slowest[1][:100]}")


if __name__ == "__main__":
    main()
