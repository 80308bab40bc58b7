"""The page about forms, docs/reference/forms.md, from the models of a form: `gen_docs.py` writes it."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Collection, Iterator
from typing import Any, get_args

from pydantic import BaseModel

from askback.domain import condition, fields, options

KINDS: tuple[type[BaseModel], ...] = get_args(get_args(fields.AnyField)[0])
COMMON = set.intersection(*(set(kind.model_fields) for kind in KINDS)) - {"type", "default"}
# What the server fills in, although the model requires it, by class and key.
DERIVED = {("Option", "value"): "`label`, if it is one text"}
SOURCE = re.compile(r" \(S\d{3}\)")


def type_text(schema: dict[str, Any]) -> str:
    """Return the type of a key in a word, or its possible values."""
    choices = [part for part in schema.get("anyOf", ()) if part.get("type") != "null"]
    if choices:
        words = dict.fromkeys(type_text(part) for part in choices)
        return " or ".join(word for word in words if word != "integer" or "number" not in words)
    if "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema["enum"])
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if schema.get("type") == "array":
        items = schema["items"]
        return f"list of {'fields' if 'discriminator' in items else type_text(items)}"
    return str(schema.get("type", "any value"))


def keys(model: type[BaseModel], names: Collection[str] = ()) -> Iterator[str]:
    """Return a table of these keys of a model, or of all; required ones are bold."""
    schema = model.model_json_schema()
    schema = schema.get("$defs", {}).get(model.__name__, schema)  # a model that refers to itself
    yield "| key | type | default |\n|---|---|---|"
    for name, key in schema["properties"].items():
        if name in (names or schema["properties"]) and key.get("type") != "null":
            default = DERIVED.get((model.__name__, name), "")
            if key.get("default") is not None:
                default = f"`{json.dumps(key['default'])}`"
            required = name in schema.get("required", ()) and not default
            key_text = f"**`{name}`**" if required else f"`{name}`"
            yield f"| {key_text} | {type_text(key)} | {default} |"


def section(model: type[BaseModel], names: Collection[str] = (), *, note: str = "") -> Iterator[str]:
    """Return the description of a model and its keys."""
    yield f"\n## {model.__name__}\n"
    yield f"{note}{SOURCE.sub('', inspect.getdoc(model) or '')}\n"
    yield from keys(model, names)


def forms_page() -> str:
    """The page about forms: each model with its keys."""
    lines = [
        "# Forms\n",
        "These classes of `askback` make up a form. The JSON of [the protocol](wire.md) has the same keys.",
        "A key in bold must be given. Sizes and counts are in [Limits](settings.md#limits);",
        "[the shared cases](../../vectors/README.md) have an example of every other rule.",
    ]
    parts = (fields.Section, options.Option, options.OptionsFrom, fields.CompletedView, condition.Condition)
    for model in (fields.Form, *parts, fields.Messages):
        lines += section(model)
    lines += ["\n## Every field\n", *keys(KINDS[0], COMMON)]
    for kind in KINDS:
        name = kind.model_fields["type"].default
        lines += section(kind, kind.model_fields.keys() - COMMON - {"type"}, note=f'`"type": "{name}"`. ')
    lines += section(fields.Row)
    return "\n".join(lines) + "\n"
