"""Checks a form that was read from a schema by the rules of the server, before anybody is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace

from askback.compat.translation import Problem, Steps
from askback.domain.faults import Faults
from askback.domain.fields import Form
from askback.domain.limits import DEFAULTS, SAFE_INTEGER
from askback.domain.validation import check_form
from askback.messages import render

_FIELD_PATH = re.compile(r"form(?:\.sections\[(\d+)\])?(?:\.fields\[(\d+)\])?\.?")
_ANY_SIZE = replace(
    DEFAULTS, **{field.name: SAFE_INTEGER for field in fields(DEFAULTS) if field.name != "json_depth"}
)
"""Sizes are settings of each server, which checks them itself."""


def form_problems(form: Form, steps_by_field: Mapping[str, Steps], locale: str) -> Iterator[Problem]:
    """Yield the faults that the server would report; `places` are the schema locations of fields and sections by id."""
    try:
        check_form(form, limits=_ANY_SIZE)
    except Faults as error:
        for fault in error.faults:
            steps, subpath = _schema_location(form, fault.path, steps_by_field)
            sentence = render(fault, locale)
            yield Problem(steps, f"{subpath}: {sentence}" if subpath else sentence)


def _schema_location(form: Form, path: str, steps_by_field: Mapping[str, Steps]) -> tuple[Steps, str]:
    """Return where a fault of the form is in the schema, and the rest of its path."""
    match = _FIELD_PATH.match(path)
    if match is None:
        return (), path
    section, field = match.groups()
    part = form if section is None else (form.sections or [])[int(section)]
    part = part if field is None else (part.fields or [])[int(field)]
    return (
        ((), path[match.end() :])
        if isinstance(part, Form)
        else (steps_by_field.get(part.id, ()), path[match.end() :])
    )
