"""The texts that a person saw of a request in several languages, which are stored with the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, cast

from askback.domain.build_view import languages_of
from askback.domain.fields import AnyField, Rows
from askback.domain.options import Option
from askback.domain.rows import ACCEPT
from askback.domain.spec import Spec
from askback.messages.languages import LocalText, choose, choose_language


def shown_form(
    spec: Spec,
    values: Mapping[str, Any],
    languages: Sequence[str],
    sourced: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, Any] | None:
    """Return the language, the names of the fields and the labels of the chosen options.

    For a form in one language, return only the labels of options from a source (`sourced`), which the form
    does not have, or None without any. Values of sensitive fields are left out.
    """
    form, languages_offered = spec.form, spec.languages
    if not languages_offered:
        return {"options": dict(sourced)} if sourced else None
    languages = languages or ([form.locale] if form.locale else [])
    form_texts = {
        field.id: labels
        for field in form.all_fields
        if not field.sensitive and (labels := _chosen_labels(field, values.get(field.id), languages))
    }
    labels = {name: choose(text, languages) for name, text in form.names.items()}
    texts = {
        "locale": choose_language(languages_offered, languages),
        "labels": labels,
        "options": form_texts | dict(sourced),
    }
    return {name: part for name, part in texts.items() if part}


def shown_texts(languages: Sequence[str], **texts: LocalText | None) -> dict[str, str] | None:
    """Return the language and the texts by name; None if each has only one language."""
    languages_offered = languages_of(texts.values())
    if not languages_offered:
        return None
    texts_by_name = {name: choose(text, languages) for name, text in texts.items() if text is not None}
    return {"locale": choose_language(languages_offered, languages), **texts_by_name}


def _chosen_labels(field: AnyField, value: object, languages: Sequence[str]) -> list[str]:
    if isinstance(field, Rows):
        decided = cast("dict[str, dict[str, object]]", value or {})
        accepted = {id_ for id_, item in decided.items() if item["decision"] == ACCEPT}
        return [choose(row.label, languages) for row in field.rows if row.id in accepted]
    options: Sequence[Option] = getattr(field, "options", ())
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return [choose(option.label, languages) for option in options if option.value in values]
