"""Fields that were checked before are recognized, with the same verdict as a new check."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askback.domain.faults import Faults
from askback.domain.fields import AnyField, Text
from askback.domain.limits import Limits
from askback.domain.validation.ask import check_ask, read_ask
from askback.domain.validation.known_fields import KnownFields
from tests.domain.test_validation import FORM, JUNK, QUICK, places, with_junk

FIELDS = [field for section in FORM["sections"] for field in section["fields"]]
FLAT = {**{name: part for name, part in FORM.items() if name != "sections"}, "fields": FIELDS}
ASK: dict[str, Any] = {"kind": "form", "thread_id": "t", "agent": {"name": "n"}, "form": FLAT}


def outcome(body: object, limits: Limits) -> object:
    try:
        return read_ask(body, limits=limits)
    except Faults as error:
        return error.faults


@QUICK
@given(st.sampled_from(places(ASK)), JUNK)
def test_the_second_verdict_is_the_first(path: tuple[Any, ...], junk: Any) -> None:
    body, limits = with_junk(ASK, path, junk), Limits()
    assert repr(outcome(body, limits)) == repr(outcome(body, limits))


@pytest.mark.parametrize(
    ("form", "path", "code"),
    [
        ({"initial_values": {"number": 99}}, "form.initial_values.number", "invalid_initial_value"),
        ({"initial_values": {"nothing": 1}}, "form.initial_values.nothing", "unknown_field"),
        ({"completed_view": {"summary_template": "\u202e"}}, "form.completed_view.summary_template", "control_chars"),
        ({"title": ""}, "form.title", "empty"),
        ({"title": "a\u202eb"}, "form.title", "control_chars"),
        ({"sections": []}, "form", "fields_and_sections"),
    ],
)  # fmt: skip
def test_the_rest_of_the_form_is_checked_each_time(form: dict[str, Any], path: str, code: str) -> None:
    limits = Limits()
    read_ask(ASK, limits=limits)
    with pytest.raises(Faults) as exc_info:
        read_ask({**ASK, "form": {**FLAT, **form}}, limits=limits)
    assert (path, code) in [(fault.path, fault.code) for fault in exc_info.value.faults]


def test_the_same_fields_are_the_same_objects_until_a_limit_is_another() -> None:
    limits = Limits()
    first_ask, second_ask, other_ask = (
        check_ask(ASK, limits=limits_) for limits_ in (limits, limits, Limits(label=50))
    )
    assert [a is b for a, b in zip(first_ask.form.all_fields, second_ask.form.all_fields, strict=True)] == [
        True
    ] * 11
    assert first_ask.form.all_fields[0] is not other_ask.form.all_fields[0]
    with pytest.raises(Faults):
        check_ask(
            {**ASK, "form": {**FLAT, "fields": [{**FIELDS[0], "label": "A" * 10}]}}, limits=Limits(label=9)
        )


def test_the_least_recently_used_entry_is_removed_first() -> None:
    known_fields, limits = KnownFields(entries=2), Limits()
    field: list[AnyField] = [Text(id="a", label="A")]
    known_fields.keep(b"1", limits, field)
    known_fields.keep(b"2", limits, field)
    known_fields.find(b"1", limits)
    known_fields.keep(b"3", limits, field)
    assert [known_fields.find(key, limits) is not None for key in (b"1", b"2", b"3")] == [True, False, True]
