"""Texts and tables of a system, which are JSON files in its package."""

import json
from functools import cache
from pathlib import Path
from typing import Any


@cache
def read_data(module: str, name: str = "texts.json") -> Any:
    """Return the content of a JSON file in the folder of a module; `module` is its `__file__`."""
    return json.loads(Path(module).with_name(name).read_text("utf-8"))
