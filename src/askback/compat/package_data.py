"""Texts and tables of a system, which are JSON files in its package."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from askback.domain.faults import PathTable, rename_path


@cache
def read_data(module: str, name: str = "texts.json") -> Any:
    """Return the content of a JSON file in the folder of a module; `module` is its `__file__`."""
    return json.loads(Path(module).with_name(name).read_text("utf-8"))


def rename_fault(fault: Mapping[str, Any], table: PathTable) -> str:
    """Return the path in a system's message of a fault on the wire.

    A key that the message alone has keeps its name: no body made from the message has a key that is not known.
    """
    path: str = fault["path"]
    is_own_key = fault["code"] == "unknown_field" and "." not in path
    return path if is_own_key else rename_path(path, table)
