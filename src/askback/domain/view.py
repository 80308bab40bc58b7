"""What a screen needs to draw a form and should not have to work out: safe patterns, Markdown trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from askback.domain.fields import AnyField, Form, Text, Textarea
from askback.domain.markdown import tree
from askback.domain.patterns import browser_pattern


def view(form: Form) -> dict[str, Any]:
    """Return `{"patterns": {field id: source or None}, "markdown": {path: tree}}`, without what is empty."""
    patterns = {
        field.id: browser_pattern(field.pattern)
        for field in form.all_fields
        if isinstance(field, Text | Textarea) and field.pattern is not None
    }
    markdown = {path: nodes for path, text in _texts(form) if text and (nodes := tree(text)) is not None}
    found = {"patterns": patterns, "markdown": markdown}
    return {name: part for name, part in found.items() if part}


def _texts(form: Form) -> Iterator[tuple[str, str | None]]:
    yield "form.description", form.description
    yield from _field_texts("form", form.fields)
    for i, section in enumerate(form.sections or []):
        yield f"form.sections[{i}].description", section.description
        yield from _field_texts(f"form.sections[{i}]", section.fields)


def _field_texts(path: str, fields: list[AnyField] | None) -> Iterator[tuple[str, str | None]]:
    for i, field in enumerate(fields or []):
        yield f"{path}.fields[{i}].description", field.description
