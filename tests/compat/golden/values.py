"""The values of a golden conversation: names are filled in before sending, and received values are compared."""

from __future__ import annotations

import json
import re
from typing import Any

_NAME = re.compile(r"\$\{(\w+)\}")
OPEN = "..."
ANY = "$*"


class Mismatch(AssertionError):
    """A received value differs from the conversation."""


class Values:
    """The values by name, of one conversation."""

    def __init__(self) -> None:
        self.by_name: dict[str, Any] = {}

    def fill(self, value: Any) -> Any:
        """Return a value to send, with the names in it replaced by their values."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.fill(item) for item in value]
        if not isinstance(value, dict):
            return value
        match value:
            case {"$repeat": [text, count]}:
                return text * count
            case {"$repeat_list": [item, count]}:
                return [self.fill(item)] * count
            case {"$json": inner}:
                return json.dumps(self.fill(inner), ensure_ascii=False)
            case _:
                return {self.fill(name): self.fill(item) for name, item in value.items()}

    def match(self, expected: Any, value: Any, path: str = "") -> None:
        """Compare a received value, and store its values for new names."""
        if isinstance(expected, str):
            self._match_text(expected, value, path)
        elif isinstance(expected, dict):
            self._match_object(expected, value, path)
        elif isinstance(expected, list):
            if not isinstance(value, list) or len(value) != len(expected):
                raise Mismatch(f"{path or 'it'}: expected {expected!r}, received {value!r}")
            for i, (expected_item, item) in enumerate(zip(expected, value, strict=True)):
                self.match(expected_item, item, f"{path}[{i}]")
        elif type(expected) is not type(value) or expected != value:
            raise Mismatch(f"{path or 'it'}: expected {expected!r}, received {value!r}")

    def _match_text(self, expected: str, value: Any, path: str) -> None:
        if expected == ANY:
            return
        if re.fullmatch(r"\$\w+", expected) and expected[1:] not in self.by_name:
            self.by_name[expected[1:]] = value
        elif (wanted := self._text(expected)) != value or type(wanted) is not type(value):
            raise Mismatch(f"{path or 'it'}: expected {wanted!r}, received {value!r}")

    def _match_object(self, expected: dict[str, Any], value: Any, path: str) -> None:
        if expected.keys() == {"$json"}:
            if not isinstance(value, str):
                raise Mismatch(f"{path or 'it'}: expected a text of JSON, received {value!r}")
            self.match(expected["$json"], json.loads(value), path)
            return
        if expected.keys() & {"$repeat", "$repeat_list"}:
            self.match(self.fill(expected), value, path)
            return
        wanted = {self.fill(name): item for name, item in expected.items() if name != OPEN}
        if not isinstance(value, dict):
            raise Mismatch(f"{path or 'it'}: expected an object, received {value!r}")
        missing, more = wanted.keys() - value.keys(), value.keys() - wanted.keys()
        if missing or (more and OPEN not in expected):
            raise Mismatch(f"{path or 'it'}: lacks {sorted(missing)}, has {sorted(more)} beyond: {value!r}")
        for name, item in wanted.items():
            self.match(item, value[name], f"{path}.{name}" if path else name)

    def _text(self, text: str) -> Any:
        if text.startswith("$$"):
            return text[1:]
        if re.fullmatch(r"\$\w+", text):
            return self.by_name[text[1:]]
        return _NAME.sub(lambda found: str(self.by_name[found[1]]), text)
