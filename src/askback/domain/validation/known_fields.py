"""Fields that were found sound before, recognized by their JSON: most agents repeat the fields of their forms."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, cast

from pydantic_core import PydanticSerializationError, to_json

from askback.domain.fields import AnyField
from askback.domain.limits import Limits
from askback.domain.spec import CACHED_FORMS, MAX_CACHED_FIELDS


class KnownFields:
    """The fields of the most recently accepted forms, by their JSON and the limits of their check.

    Nothing is checked here: an entry is the result of the check for the same bytes.
    """

    def __init__(self, entries: int = CACHED_FORMS) -> None:
        self._entries = entries
        self._fields_by_key: OrderedDict[bytes, tuple[Limits, list[AnyField]]] = OrderedDict()

    def find(self, key: bytes, limits: Limits) -> list[AnyField] | None:
        """Return the fields with this JSON, or None."""
        field = self._fields_by_key.get(key)
        if field is None or field[0] is not limits:
            return None
        self._fields_by_key.move_to_end(key)
        return field[1]

    def keep(self, key: bytes, limits: Limits, fields: list[AnyField]) -> None:
        """Keep fields without a fault, and drop the least recently used ones if necessary."""
        self._fields_by_key[key] = limits, fields
        if len(self._fields_by_key) > self._entries:
            self._fields_by_key.popitem(last=False)


def fields_key(body: object) -> bytes | None:
    """Return the JSON of the fields of the form in an `Ask`, or None if there is nothing to recognize."""
    form = _get(body, "form")
    fields = _get(form, "fields")
    if type(fields) is not list:
        return None
    try:
        key = to_json(fields)
    except (PydanticSerializationError, ValueError):
        return None
    return key if len(key) <= MAX_CACHED_FIELDS else None


def with_fields(body: object, fields: list[AnyField]) -> dict[str, Any]:
    """Return the body with these fields in its form; the body must have a `fields_key`."""
    members = cast("Mapping[str, Any]", body)
    return {**members, "form": {**members["form"], "fields": fields}}


def _get(value: object, name: str) -> object:
    return cast("dict[str, object]", value).get(name) if type(value) is dict else None
