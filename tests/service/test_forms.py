"""The forms that are kept between a question and its answer."""

from __future__ import annotations

import json
from dataclasses import replace

from askback.domain.fields import Form, Text
from askback.domain.record import Record
from askback.service.forms import LARGEST, Forms
from askback.testing.store_samples import record


def asking(n: int, form: Form) -> Record:
    return replace(record(n), spec=json.dumps({"form": form.model_dump(exclude_none=True)}))


def test_a_form_is_the_same_whether_it_was_kept_or_is_read_again() -> None:
    forms, form = Forms(newest=1), Form(fields=[Text(id="a", label="A", max_length=3)])
    first, second = asking(1, form), asking(2, form)
    forms.keep(first, form)
    assert forms.of(first) is form
    forms.keep(second, form)
    assert forms.of(first) is not form
    assert forms.of(first) == form


def test_a_large_form_is_never_kept() -> None:
    forms, form = Forms(), Form(title="x" * LARGEST, fields=[Text(id="a", label="A")])
    large = asking(1, form)
    forms.keep(large, form)
    assert forms.of(large) is not form
    assert forms.of(large) == form


def test_a_new_revision_is_another_form() -> None:
    forms, old = Forms(), Form(fields=[Text(id="a", label="A")])
    new = Form(fields=[Text(id="b", label="B")])
    first = asking(1, old)
    forms.keep(first, old)
    assert forms.of(replace(asking(1, new), revision=2)) == new
