"""What a screen needs to draw a form and should not have to work out: safe patterns, Markdown trees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from askback.domain.fields import AnyField, Form, Text, Textarea
from askback.domain.markdown import Node, may_be_markdown, tree
from askback.domain.patterns import browser_pattern

MARKDOWN_CHARACTERS = 10_000
"""How much of a form is read as Markdown, in its order: a character takes up to 10 µs, and all others wait."""


def view(form: Form) -> dict[str, Any]:
    """Return `{"patterns": {field id: source or None}, "markdown": {path: tree}}`, without what is empty."""
    patterns = {
        field.id: browser_pattern(field.pattern)
        for field in form.all_fields
        if isinstance(field, Text | Textarea) and field.pattern is not None
    }
    found = {"patterns": patterns, "markdown": _trees(form)}
    return {name: part for name, part in found.items() if part}


def _trees(form: Form) -> dict[str, list[Node]]:
    left = MARKDOWN_CHARACTERS
    found: dict[str, list[Node]] = {}
    for path, text in _texts(form):
        if text and may_be_markdown(text) and len(text) <= left:
            left -= len(text)
            if (nodes := tree(text)) is not None:
                found[path] = nodes
    return found


def _texts(form: Form) -> Iterator[tuple[str, str | None]]:
    yield "form.description", form.description
    yield from _field_texts("form", form.fields)
    for i, section in enumerate(form.sections or []):
        yield f"form.sections[{i}].description", section.description
        yield from _field_texts(f"form.sections[{i}]", section.fields)


def _field_texts(path: str, fields: list[AnyField] | None) -> Iterator[tuple[str, str | None]]:
    for i, field in enumerate(fields or []):
        yield f"{path}.fields[{i}].description", field.description
