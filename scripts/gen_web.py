"""Write the file that the web core takes from the Python domain, or check that it is current.

python scripts/gen_web.py            writes web/src/core/generated/limits.json
python scripts/gen_web.py --check    exits 1 if the file differs
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from askback.domain.limits import DEFAULTS

LIMITS = Path(__file__).parents[1] / "web" / "src" / "core" / "generated" / "limits.json"


def main(argv: list[str]) -> int:
    """Write or check the file; return the exit status."""
    text = json.dumps(asdict(DEFAULTS), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if "--check" not in argv:
        LIMITS.parent.mkdir(parents=True, exist_ok=True)
        LIMITS.write_text(text, encoding="utf-8")
    elif not LIMITS.exists() or LIMITS.read_text(encoding="utf-8") != text:
        print(f"{LIMITS.name} is not current: run `python scripts/gen_web.py`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
