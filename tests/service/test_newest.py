"""What is kept between a question and its answer."""

from __future__ import annotations

import json
from dataclasses import replace

from askback.domain.fields import Form, Text
from askback.domain.record import Record
from askback.service.newest import LARGEST, Newest
from askback.testing.store_samples import record

SHORT = Form(fields=[Text(id="a", label="A", max_length=3)])


def asking(n: int, form: Form) -> Record:
    return replace(record(n), spec=json.dumps({"form": form.model_dump(exclude_none=True)}))


def test_a_form_is_the_same_whether_it_was_kept_or_is_read_again() -> None:
    newest = Newest(newest=1)
    first, second = asking(1, SHORT), asking(2, SHORT)
    newest.keep(first, SHORT)
    assert newest.form(first) is SHORT
    assert newest.record(first.tenant, first.id) is first
    newest.keep(second, SHORT)
    assert newest.record(first.tenant, first.id) is None
    assert newest.form(first) is not SHORT
    assert newest.form(first) == SHORT


def test_a_large_form_is_never_kept() -> None:
    newest, form = Newest(), Form(title="x" * LARGEST, fields=[Text(id="a", label="A")])
    large = asking(1, form)
    newest.keep(large, form)
    assert newest.record(large.tenant, large.id) is None
    assert newest.form(large) == form


def test_a_new_revision_is_another_form() -> None:
    newest, other = Newest(), Form(fields=[Text(id="b", label="B")])
    newest.keep(asking(1, SHORT), SHORT)
    assert newest.form(replace(asking(1, other), revision=2)) == other


def test_what_is_kept_is_as_absent_for_another_tenant_as_in_the_store() -> None:
    newest, mine = Newest(), asking(1, SHORT)
    newest.keep(mine, SHORT)
    assert newest.record("another", mine.id) is None
    newest.drop(mine.id)
    assert newest.record(mine.tenant, mine.id) is None
