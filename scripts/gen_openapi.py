"""Write docs/reference/openapi.json from the table of operations; `--check` only checks that it is current."""

from __future__ import annotations

import sys
from pathlib import Path

from askback.wire import openapi

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "openapi.json"


def main() -> int:
    """Return 0 if the file is current, or was written."""
    text = openapi.text()
    if "--check" in sys.argv[1:]:
        current = TARGET.exists() and TARGET.read_text("utf-8") == text
        if not current:
            print(f"{TARGET.name} is not current; run `make gen`.", file=sys.stderr)
        return 0 if current else 1
    TARGET.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
