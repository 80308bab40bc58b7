"""The derived data that a page needs to draw a form: safe patterns and Markdown trees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from askback.domain.faults import join
from askback.domain.fields import AnyField, Form
from askback.domain.markdown import Node, markdown_tree, may_be_markdown
from askback.domain.patterns import browser_pattern
from askback.domain.rows import flat_form
from askback.messages.languages import LocalText

MARKDOWN_CHARACTERS = 40_000
"""The length of text of a request that is parsed as Markdown, in order: parsing takes up to 10 µs a character."""


def build_view(form: Form) -> dict[str, Any]:
    """Return `{"patterns": {field id: source or None}, "markdown": {path: tree}, "languages": […]}`, not empty ones."""
    fields = flat_form(form).all_fields
    patterns = {
        field.id: browser_pattern(pattern)
        for field in fields
        if (pattern := vars(field).get("pattern")) is not None
    }
    messages = any(field.messages is not None for field in fields)
    trees = markdown_trees(_texts(form)) if form.format == "markdown" else None
    return make_view(patterns=patterns, markdown=trees, languages=languages_of(form.texts), messages=messages)


def make_view(**parts: Any) -> dict[str, Any]:
    """Return the parts of a view that are not empty."""
    return {name: part for name, part in parts.items() if part}


def markdown_trees(texts: Iterable[tuple[str, LocalText | None]]) -> dict[str, list[Node]]:
    """Return the Markdown trees of texts by path and language, without texts that are shown unchanged."""
    budget = MARKDOWN_CHARACTERS
    trees: dict[str, list[Node]] = {}
    for path, text in texts:
        if not text:
            continue
        for tag, item in ((None, text),) if isinstance(text, str) else text.items():
            if item and may_be_markdown(item) and len(item) <= budget:
                budget -= len(item)
                if (nodes := markdown_tree(item)) is not None:
                    trees[path if tag is None else join(path, tag)] = nodes
    return trees


def languages_of(texts: Iterable[LocalText | None]) -> list[str]:
    """Return the languages of the texts that have several, in their order."""
    translations = [text for text in texts if type(text) is dict]
    return list(dict.fromkeys(tag for text in translations for tag in text)) if translations else []


def _texts(form: Form) -> Iterator[tuple[str, LocalText | None]]:
    yield "form.description", form.description
    yield from _field_texts("form", form.fields)
    for i, section in enumerate(form.sections or []):
        yield f"form.sections[{i}].description", section.description
        yield from _field_texts(f"form.sections[{i}]", section.fields)


def _field_texts(path: str, fields: list[AnyField] | None) -> Iterator[tuple[str, LocalText | None]]:
    for i, field in enumerate(fields or []):
        item_path = f"{path}.fields[{i}]"
        yield f"{item_path}.description", field.description
        for j, row in enumerate(field.rows if field.type == "rows" else ()):
            yield f"{item_path}.rows[{j}].description", row.description
            for k, item in enumerate(row.fields or ()):
                yield f"{item_path}.rows[{j}].fields[{k}].description", item.description
