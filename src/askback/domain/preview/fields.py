"""The members of an input as names and values, each value exact and readable."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, cast

from askback.domain.approval import PreviewField, Role
from askback.domain.preview.escapes import escape_line, escape_parts
from askback.domain.preview.recognition import addresses

MAX_FIELDS = 50
"""The maximum number of members that are shown as a table."""

_LONGEST_NUMBER = 40
_ONE_LINE = 80

INDENTED = 20_000
"""The maximum length of JSON that is indented, in characters."""


def pretty(value: object) -> str:
    """Write JSON with an item on each line, indented only if it is short: indentation can make it much longer."""
    text = json.dumps(value, ensure_ascii=False, separators=(",\n", ": "))
    return text if len(text) > INDENTED else json.dumps(value, ensure_ascii=False, indent=2)


def fields_of(members: Mapping[str, Any], roles: Mapping[str, Role]) -> list[PreviewField]:
    """Return the members, those with a role first, in the order of `roles`, which has the role of a key."""
    keys = [*roles, *(key for key in members if key not in roles)]
    return [_field(key, members[key], roles.get(key)) for key in keys]


def _field(name: str, value: object, role: Role | None) -> PreviewField:
    text = _text_in_role(value, role)
    if text is None and isinstance(value, str) and (role is not None or not _reads_as_scalar(value)):
        text = value
    return PreviewField(
        name=escape_parts(name, line=True),
        parts=escape_parts(_json(value) if text is None else text),
        role=role,
        syntax="json" if text is None else "sql" if role == "query" else None,
    )


def _json(value: object) -> str:
    """Write a short value on one line."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _ONE_LINE else pretty(value)


def _text_in_role(value: object, role: Role | None) -> str | None:
    """Return the text of recipients and of headers; None if they are not in the usual form."""
    if role in {"to", "cc", "bcc"} and isinstance(value, list):
        recipients = addresses(cast("list[object]", value))
        return (
            ", ".join(map(escape_line, recipients))
            if len(recipients) == len(cast("list[object]", value))
            else None
        )
    if role == "headers" and isinstance(value, Mapping):
        headers = cast("Mapping[str, object]", value)
        if all(isinstance(header, str) for header in headers.values()):
            return "\n".join(
                f"{escape_line(name)}: {escape_line(str(text))}" for name, text in headers.items()
            )
    return None


def _reads_as_scalar(text: str) -> bool:
    """Return whether a text could be taken for a number, a string in quotes, true, false, null, or nothing at all."""
    if not text or text.startswith('"'):
        return True
    try:
        return len(text) <= _LONGEST_NUMBER and not isinstance(json.loads(text), list | dict)
    except (ValueError, RecursionError):
        return False
