"""Fields that were found sound before, recognized by their JSON: most agents repeat the fields of their forms."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, cast

from pydantic_core import PydanticSerializationError, to_json

from askback.domain.fields import AnyField
from askback.domain.limits import Limits

ENTRIES = 256
MAX_BYTES = 8192
"""Of the JSON of the fields of one form; larger ones are checked each time."""


class KnownFields:
    """The fields of the forms that were accepted last, by their JSON and the limits that they were checked against.

    Nothing is checked here: an entry is what the check returned for the same bytes.
    """

    def __init__(self, entries: int = ENTRIES) -> None:
        self._entries = entries
        self._known: OrderedDict[bytes, tuple[Limits, list[AnyField]]] = OrderedDict()

    def find(self, key: bytes, limits: Limits) -> list[AnyField] | None:
        """Return the fields with this JSON, or None."""
        known = self._known.get(key)
        if known is None or known[0] is not limits:
            return None
        self._known.move_to_end(key)
        return known[1]

    def keep(self, key: bytes, limits: Limits, fields: list[AnyField]) -> None:
        """Keep fields in which no fault was found; the one that was used longest ago may go for them."""
        self._known[key] = limits, fields
        if len(self._known) > self._entries:
            self._known.popitem(last=False)


def fields_key(body: object) -> bytes | None:
    """Return the JSON of the fields of the form in an `Ask`, None where that is nothing to recognize."""
    form = _get(body, "form")
    fields = _get(form, "fields")
    if type(fields) is not list:
        return None
    try:
        key = to_json(fields)
    except (PydanticSerializationError, ValueError):
        return None
    return key if len(key) <= MAX_BYTES else None


def with_fields(body: object, fields: list[AnyField]) -> dict[str, Any]:
    """Return the body with these fields in its form; it is one that has a `fields_key`."""
    sent = cast("Mapping[str, Any]", body)
    return {**sent, "form": {**sent["form"], "fields": fields}}


def _get(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if type(value) is dict else None
