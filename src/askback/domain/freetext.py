"""What a person has typed into the conversation, as the answer to a form: only where it can mean nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from askback.domain.fields import Form, Multiselect, Option, Radio, Select, Text, Textarea

Why = Literal["several_fields", "not_for_text", "not_an_option", "ambiguous"]


@dataclass(frozen=True, slots=True)
class Meant:
    """The values by field id that a text stands for, which have yet to be checked; or why it stands for none."""

    values: Mapping[str, str | list[str]] | None = None
    why: Why | None = None


def read_text(form: Form, text: str) -> Meant:
    """Read a text as the answer to a form of one field: a free text, or an option by its value or its label.

    Upper and lower case do not matter where they tell no two options apart.
    """
    fields = form.all_fields
    if len(fields) != 1:
        return Meant(why="several_fields")
    field, said = fields[0], text.strip()
    if field.sensitive:
        return Meant(why="not_for_text")
    if isinstance(field, Text | Textarea):
        return Meant({field.id: said})
    if not isinstance(field, Select | Radio | Multiselect):
        return Meant(why="not_for_text")
    found = _matching(field.options, said, str) or _matching(field.options, said, str.casefold)
    if len(found) != 1:
        return Meant(why="ambiguous" if found else "not_an_option")
    return Meant({field.id: [found[0]] if isinstance(field, Multiselect) else found[0]})


def _matching(options: Sequence[Option], said: str, spelt: Callable[[str], str]) -> Sequence[str]:
    wanted = spelt(said)
    return [option.value for option in options if wanted in {spelt(option.value), spelt(option.label)}]
