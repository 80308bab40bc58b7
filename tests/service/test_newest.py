"""What is kept between a question and its answer."""

from __future__ import annotations

import json
from dataclasses import replace

from askback.domain.fields import Form, Text
from askback.domain.record import Record
from askback.domain.spec import Spec
from askback.service.newest import LARGEST, Newest
from tests.contracts.samples import record

SHORT = Form(fields=[Text(id="a", label="A", max_length=3)])


def asking(n: int, form: Form) -> Record:
    return replace(record(n), spec=Spec(json.dumps({"form": form.model_dump(exclude_none=True)})))


def test_only_the_newest_are_kept() -> None:
    newest = Newest(newest=1)
    first, second = asking(1, SHORT), asking(2, SHORT)
    newest.keep(first)
    assert newest.record(first.tenant, first.id) is first
    newest.keep(second)
    assert newest.record(first.tenant, first.id) is None
    assert newest.record(second.tenant, second.id) is second


def test_a_large_form_is_never_kept() -> None:
    newest = Newest()
    large = asking(1, Form(title="x" * LARGEST, fields=[Text(id="a", label="A")]))
    newest.keep(large)
    assert newest.record(large.tenant, large.id) is None


def test_what_is_kept_is_as_absent_for_another_tenant_as_in_the_store() -> None:
    newest, mine = Newest(), asking(1, SHORT)
    newest.keep(mine)
    assert newest.record("another", mine.id) is None
    newest.drop(mine.id)
    assert newest.record(mine.tenant, mine.id) is None
