"""Settings are merged into those that are there, as RFC 7396 says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast


def merge(data: str, patch: str) -> str:
    """Return a JSON object with another merged into it.

    Null takes a member away, objects are merged, all else is replaced.
    """
    return json.dumps(_merged(json.loads(data), json.loads(patch)), separators=(",", ":"))


def _merged(data: Any, patch: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(cast("Mapping[str, Any]", data)) if isinstance(data, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = (
                _merged(merged.get(name), cast("Mapping[str, Any]", value))
                if isinstance(value, dict)
                else value
            )
    return merged
