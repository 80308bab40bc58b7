"""Run every benchmark: `python -m bench [NAME …]`; each takes its own options as `python -m bench.NAME`."""

from __future__ import annotations

import subprocess
import sys

ALL = ("limits", "echo", "frameworks", "roundtrip", "pending", "rules", "redact")


def main() -> None:
    """Run the named benchmarks, or all of them, each in a process of its own."""
    for name in sys.argv[1:] or ALL:
        subprocess.run([sys.executable, "-m", f"bench.{name}"], check=True)


if __name__ == "__main__":
    main()
