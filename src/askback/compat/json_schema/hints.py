"""The `ui:` hints of RJSF: in a separate object, or inside the schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

OWN_KEY = "askback"
"""The entry of `ui:options` that has members of a form which neither JSON Schema nor RJSF has."""


class Hints:
    """The hints for one place of a schema."""

    def __init__(self, schema: Mapping[str, Any], ui: object) -> None:
        self._ui: Mapping[str, Any] = cast("Mapping[str, Any]", ui) if isinstance(ui, Mapping) else {}
        hints_in_schema = {key: value for key, value in schema.items() if key.startswith("ui:")}
        hints = {**hints_in_schema, **self._ui}
        options = hints.get("ui:options", {})
        self._hints: dict[str, Any] = {
            key[3:]: value for key, value in hints.items() if key.startswith("ui:")
        }
        if isinstance(options, Mapping):
            self._hints |= cast("Mapping[str, Any]", options)

    def get(self, name: str) -> Any:
        """Return the hint `ui:NAME`, which may also be an entry of `ui:options`."""
        return self._hints.get(name)

    @property
    def own(self) -> dict[str, Any]:
        """The members of a form that only askback has."""
        own_hints = self._hints.get(OWN_KEY)
        return dict(cast("Mapping[str, Any]", own_hints)) if isinstance(own_hints, Mapping) else {}

    def below(self, name: str) -> Any:
        """Return the hints for a property."""
        return self._ui.get(name)

    def ordered(self, names: Sequence[str]) -> list[str]:
        """Return property names in the order of `ui:order`; `*` means all others."""
        order = self._hints.get("order")
        if not isinstance(order, list):
            return list(names)
        ordered_names = [
            name for name in dict.fromkeys(cast("list[str]", order)) if name == "*" or name in names
        ]
        other_names = [name for name in names if name not in ordered_names]
        star_index = ordered_names.index("*") if "*" in ordered_names else len(ordered_names)
        return [*ordered_names[:star_index], *other_names, *ordered_names[star_index + 1 :]]
