"""The page about forms, docs/reference/forms.md, from the models of a form: `gen_docs.py` writes it."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Collection, Iterator
from typing import Any, get_args

from askback.domain import fields, options
from askback.domain.model import Model

KINDS: tuple[type[Model], ...] = get_args(get_args(fields.AnyField)[0])
COMMON = set.intersection(*(set(kind.model_fields) for kind in KINDS)) - {"type", "default"}
SOURCE = re.compile(r" \(S\d{3}\)")


def type_text(schema: dict[str, Any]) -> str:
    """Return the type of a key in a word, or its possible values."""
    choices = [part for part in schema.get("anyOf", ()) if part.get("type") != "null"]
    if choices:
        words = dict.fromkeys(type_text(part) for part in choices)
        return "number" if "number" in words else " or ".join(words)
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if schema.get("type") == "array":
        items = schema["items"]
        return f"list of {'fields' if 'discriminator' in items else type_text(items)}"
    return str(schema.get("type", "any value"))


def keys(model: type[Model], names: Collection[str]) -> Iterator[str]:
    """Return a table of keys of a model; required ones are bold."""
    schema = model.model_json_schema()
    yield "| key | type | default |\n|---|---|---|"
    for name, key in schema["properties"].items():
        if name in names and key.get("type") != "null":
            default = f"`{json.dumps(key['default'])}`" if key.get("default") is not None else ""
            key_text = f"**`{name}`**" if name in schema.get("required", ()) else f"`{name}`"
            yield f"| {key_text} | {type_text(key)} | {default} |"


def section(model: type[Model], names: Collection[str], *, note: str = "") -> Iterator[str]:
    """Return the description of a model and its keys."""
    yield f"\n## {model.__name__}\n"
    yield f"{note}{SOURCE.sub('', inspect.getdoc(model) or '')}\n"
    yield from keys(model, names)


def forms_page() -> str:
    """The page about forms: each model with its keys."""
    lines = [
        "# Forms\n",
        "What a form is made of: the classes of `askback` and, with the same keys, JSON on [the protocol](wire.md).",
        "A key in bold must be given. `GET /v1/limits` says how long and how many,",
        "[the shared cases](../../vectors/README.md) say every other rule.",
    ]
    for model in (fields.Form, fields.Section, options.Option, options.OptionsFrom, fields.CompletedView):
        lines += section(model, model.model_fields)
    lines += ["\n## Every field\n", *keys(KINDS[0], COMMON)]
    for kind in KINDS:
        name = kind.model_fields["type"].default
        lines += section(kind, kind.model_fields.keys() - COMMON - {"type"}, note=f'`"type": "{name}"`. ')
    return "\n".join(lines) + "\n"
