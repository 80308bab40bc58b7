"""Write the files that the web core takes from the Python domain, or check that they are current.

python scripts/gen_web.py            writes web/src/core/generated/
python scripts/gen_web.py --check    exits 1 and names the files that differ
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from askback.domain.lifecycle import TRANSITIONS
from askback.domain.limits import DEFAULTS
from askback.domain.request import KINDS, Ask

OUT = Path(__file__).parents[1] / "web" / "src" / "core" / "generated"
WORDLESS = {"title", "description", "default", "discriminator"}
"""Keywords that say nothing about structure; a discriminator is seen from the `type` of its variants."""


def lean(node: Any) -> Any:
    """Drop the keywords of a schema that the checker does not read; names of properties stay."""
    if isinstance(node, list):
        return [lean(item) for item in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    kept: dict[str, Any] = {}
    for key, value in cast("dict[str, Any]", node).items():
        if key in ("properties", "$defs"):
            kept[key] = {name: lean(schema) for name, schema in value.items()}
        elif key not in WORDLESS:
            kept[key] = lean(value)
    return kept


def schema() -> Any:
    """The JSON Schema of a request as an agent may write it; the form's is its definition `Form`."""
    found = lean(Ask.model_json_schema(mode="validation"))
    # Which check a body gets is decided by its kind; to one that there is not, all kinds are named.
    found["properties"]["kind"] = {"type": "string", "enum": list(KINDS)}
    return found


def lifecycle() -> dict[str, dict[str, str]]:
    """`{status: {action: next status}}`; a status without an entry is terminal."""
    table: dict[str, dict[str, str]] = {}
    for (status, action), target in TRANSITIONS.items():
        table.setdefault(status.value, {})[action.value] = target.value
    return table


def main(argv: list[str]) -> int:
    """Write or check every generated file; return the exit status."""
    files: dict[str, Any] = {"schema": schema(), "lifecycle": lifecycle(), "limits": asdict(DEFAULTS)}
    stale: list[str] = []
    OUT.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = OUT / f"{name}.json"
        text = json.dumps(content, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
        if "--check" not in argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    for name in stale:
        print(f"{name} is not current: run `python scripts/gen_web.py`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
