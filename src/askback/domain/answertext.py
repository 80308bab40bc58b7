"""Write an answer as the text of a person's message; `questiontext.py` has the texts for models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from askback.domain.fields import AnyField, Form, Rows
from askback.domain.options import Option
from askback.domain.rows import flat_form, flat_values
from askback.messages import negotiate_locale, number_text, translate
from askback.messages.languages import choose


def answer_text(form: Form, answer: Mapping[str, Any] | None) -> str | None:
    """Return the text of an answer; without an answer, that the form was skipped.

    For a form with one field this is its value, otherwise a line with name and value for each field. Values
    are the labels of options and the names of files. Sensitive and read-only fields are left out; None if the
    form has no others.
    """
    flattened_form = flat_form(form)
    fields = [field for field in flattened_form.all_fields if not field.sensitive and not field.readonly]
    if not fields:
        return None
    shown_texts = (answer or {}).get("shown", {})
    shown = shown_texts.get("locale") or form.locale
    languages = [shown] if shown else []
    locale = negotiate_locale(shown)
    if answer is None:
        return translate("message.skipped", locale)
    values, skipped = flat_values(form, answer["values"]), answer.get("skipped", {})
    texts = {
        field.id: translate("message.skipped", locale)
        if field.id in skipped
        else ", ".join(shown_texts.get("options", {}).get(field.id, ()) if _has_source(field) else ())
        or _value(field, values[field.id], languages, locale)
        for field in fields
        if field.id in skipped or field.id in values
    }
    if len(form.all_fields) == 1 and not isinstance(form.all_fields[0], Rows):
        return next(iter(texts.values()), translate("message.empty", locale))
    names = {id_: " ".join(choose(name, languages).split()) for id_, name in flattened_form.names.items()}
    lines = [f"{names[id_]}: {text}" if names[id_] else text for id_, text in texts.items()]
    return "\n".join(lines) or translate("message.empty", locale)


def _has_source(field: AnyField) -> bool:
    return getattr(field, "options_from", None) is not None


def _value(field: AnyField, value: object, languages: Sequence[str], locale: str) -> str:
    values = cast("list[object]", value) if isinstance(value, list) else [value]
    return ", ".join(_texts(field, values, languages, locale)) or translate("message.empty", locale)


def _texts(field: AnyField, values: Sequence[object], languages: Sequence[str], locale: str) -> Iterator[str]:
    options: Sequence[Option] = getattr(field, "options", ())
    labels = {option.value: choose(option.label, languages) for option in options}
    for value in values:
        if isinstance(value, bool):
            yield translate("ui.yes" if value else "ui.no", locale)
        elif isinstance(value, str | int | float):
            yield labels.get(value) or (value if isinstance(value, str) else number_text(value))
        else:
            yield cast("Mapping[str, str]", value)["name"]
