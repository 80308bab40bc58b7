"""Properties for every body: either faults or a valid result, and no fault repeats a value."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import Field as PydanticField
from pydantic import JsonValue

from askback.domain.faults import Fault, Faults, fault
from askback.domain.fields import Form
from askback.domain.limits import Limits
from askback.domain.model import Model
from askback.domain.request import Answer
from askback.domain.validation import check_answer, check_ask, check_form
from askback.domain.validation.report import MAX_FAULTS
from askback.domain.validation.structure import parse
from askback.domain.validation.texts import text_faults
from askback.messages import render
from tests.requirements import requirement

OPTIONS: list[Any] = ["red", {"value": "g", "label": "green", "style": "danger"}, {"label": "blue"}]
FORM: dict[str, Any] = {
    "title": "T", "description": "*d*", "submit_label": "Go", "locale": "en", "completed_view": {"summary_template": "{text}"}, "initial_values": {"number": 3},
    "sections": [
        {"id": "one", "title": "One", "fields": [
            {"id": "text", "type": "text", "label": "A", "min_length": 1, "max_length": 9, "pattern": "[a-z]+", "pattern_message": "Letters.", "default": "abc"},
            {"id": "textarea", "type": "textarea", "label": "B", "placeholder": "p"},
            {"id": "number", "type": "number", "label": "C", "min": 1, "max": 9, "step": 0.5, "default": 2.5},
            {"id": "boolean", "type": "boolean", "label": "D", "widget": "confirm"}, {"id": "checkbox", "type": "checkbox", "label": "E"},
            {"id": "select", "type": "select", "label": "F", "options": OPTIONS, "allow_other": True, "widget": "buttons"}]},
        {"id": "two", "optional": True, "fields": [
            {"id": "radio", "type": "radio", "label": "G", "options": OPTIONS, "default": "g"},
            {"id": "multiselect", "type": "multiselect", "label": "H", "options": OPTIONS, "allow_other": True, "min_choices": 1, "max_choices": 2, "default": ["red"]},
            {"id": "date", "type": "date", "label": "I", "min": "2026-01-01"}, {"id": "time", "type": "time", "label": "J"}, {"id": "datetime", "type": "datetime", "label": "K"}]}]}  # fmt: skip
ASK = {"kind": "form", "thread_id": "t", "agent": {"name": "n"}, "timeout_s": 60, "form": FORM}

JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=6) | st.sampled_from(["\ud800", "\u202e", "\0", "", " ", "__proto__", "red", "(", "2026-11-20", "text", "09:30"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.sampled_from(["id", "type", "int", "text", "value", "label", "fields", "sections"]), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


def faults_of(check: Callable[[], object]) -> list[Fault]:
    """Return the faults of a call; none if it was accepted."""
    try:
        check()
    except Faults as error:
        return error.faults
    return []


QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(member_path for step, member in steps for member_path in places(member, (*path, step)))]


def with_junk(body: Any, path: tuple[Any, ...], junk: Any) -> Any:
    if not path:
        return junk
    changed = copy.deepcopy(body)
    around = changed
    for step in path[:-1]:
        around = around[step]
    around[path[-1]] = junk
    return changed


@QUICK
@given(st.sampled_from(places(ASK)), JUNK)
def test_an_ask_with_anything_anywhere_is_accepted_or_refused_with_texts(
    path: tuple[Any, ...], junk: Any
) -> None:
    faults = faults_of(lambda: check_ask(with_junk(ASK, path, junk)))
    assert all(render(item, locale) for item in faults for locale in ("en", "de"))


@QUICK
@given(st.lists(st.tuples(st.sampled_from(places(ASK)), JUNK), min_size=2, max_size=4))
def test_an_ask_with_several_odd_places_is_accepted_or_refused(
    changes: list[tuple[tuple[Any, ...], Any]],
) -> None:
    body = ASK
    for path, junk in changes:
        if path in places(body):
            body = with_junk(body, path, junk)
    faults = faults_of(lambda: check_ask(body))
    assert all(render(item, "de") for item in faults)


@QUICK
@given(
    JUNK
    | st.dictionaries(
        st.sampled_from([f["id"] for section in FORM["sections"] for f in section["fields"]] + ["x"]),
        JUNK,
        max_size=6,
    )
)
def test_values_are_normalized_or_refused_and_normalized_values_stay_unchanged(values: Any) -> None:
    form = check_form(FORM)
    faults = faults_of(lambda: check_answer(form, values))
    assert all(render(item, "de") for item in faults)
    answer = Answer() if faults else check_answer(form, values)
    if answer.values:
        second_cleaned_answer = check_answer(form, answer.values)
        assert (
            second_cleaned_answer.values,
            second_cleaned_answer.other,
            list(second_cleaned_answer.values),
        ) == (
            answer.values,
            answer.other,
            list(answer.values),
        )


CANARY = "c4nary"


@pytest.mark.parametrize("id_", [field["id"] for section in FORM["sections"] for field in section["fields"]])
def test_no_text_repeats_the_answer_that_was_refused(id_: str) -> None:
    form = check_form(FORM)
    refusal = (
        CANARY * 5,
        [CANARY, CANARY],
        {CANARY: CANARY},
        [CANARY] * 300,
        f"{CANARY}\0",
        f"2026-{CANARY}",
    )
    for junk in refusal:
        faults = faults_of(lambda junk=junk: check_answer(form, {id_: junk, "x": CANARY}))
        assert faults
        assert CANARY not in repr(faults)


def test_no_text_repeats_a_refused_part_of_an_ask() -> None:
    for path, junk in product(places(ASK), (f"({CANARY}\0", [CANARY], 5)):
        odd_ask = with_junk(ASK, path, junk)
        assert CANARY not in repr(faults_of(lambda odd_ask=odd_ask: check_ask(odd_ask))), path


def test_a_valid_ask_comes_back_typed() -> None:
    ask = check_ask(ASK)
    assert [field.type for field in ask.form.all_fields] == [
        f["type"] for section in FORM["sections"] for f in section["fields"]
    ]
    assert (ask.thread_id, ask.timeout_s) == ("t", 60)


def test_a_checked_form_is_accepted_again() -> None:
    form = check_form(FORM)
    assert check_form(form.model_dump(exclude_none=True)) == form
    assert check_form(form) == form


def test_a_suspicious_character_elsewhere_does_not_make_a_confirm_fail() -> None:
    confirm = {"id": "a", "type": "select", "widget": "confirm", "label": "A"}
    with pytest.raises(Faults) as exc_info:
        check_form({"title": "\u202e", "fields": [confirm]})
    assert [(item.path, item.code) for item in exc_info.value.faults] == [("form.title", "control_chars")]


@requirement("L3", "L4")
def test_the_limits_are_settings() -> None:
    small = Limits(
        fields=1,
        sections=1,
        options=1,
        label=1,
        title=0,
        option_label=0,
        text_answer=1,
        max_timeout_s=59,
    )
    with pytest.raises(Faults) as exc_info:
        check_ask(ASK, limits=small)
    assert {"too_many", "too_long", "out_of_range"} <= {item.code for item in exc_info.value.faults}
    with pytest.raises(Faults) as exc_info:
        check_ask(ASK, limits=Limits(request_bytes=10))
    assert [(item.path, item.key) for item in exc_info.value.faults] == [("", "too_long.request")]


def test_the_number_of_faults_is_bounded() -> None:
    with pytest.raises(Faults) as exc_info:
        check_answer(check_form(FORM), {f"k{i}": 1 for i in range(5000)})
    assert len(exc_info.value.faults) == MAX_FAULTS
    with pytest.raises(Faults) as exc_info:
        check_form({"fields": [5] * 300})
    assert len(exc_info.value.faults) == MAX_FAULTS
    with pytest.raises(Faults) as exc_info:
        check_form({"fields": [5] * 5000})
    assert [(item.path, item.key) for item in exc_info.value.faults] == [("form", "too_many.faults")]


def test_a_bad_pattern_beyond_the_bound_is_never_run() -> None:
    fields: list[Any] = [
        {"id": f"f{i}", "type": "text", "label": " ", "description": "\0", "placeholder": "\0"}
        for i in range(99)
    ]
    with pytest.raises(Faults):
        check_form(
            {"fields": [*fields, {"id": "z", "type": "text", "label": "A", "pattern": "(", "default": "x"}]}
        )


class NamedBody(Model):
    name: str
    count: int | None = None
    extra: JsonValue = None


def test_other_bodies_have_the_same_words() -> None:
    assert parse(NamedBody, {"name": "x"}) == NamedBody(name="x")
    with pytest.raises(Faults) as exc_info:
        parse(NamedBody, {"count": "5", "options": 1})
    assert sorted((item.path, item.key) for item in exc_info.value.faults) == [
        ("count", "wrong_type.integer"),
        ("name", "missing_required"),
        ("options", "unknown_field.key"),
    ]
    with pytest.raises(Faults) as exc_info:
        parse(NamedBody, [])
    assert [(item.path, item.key) for item in exc_info.value.faults] == [("", "wrong_type.object")]


class SizedBody(Model):
    text: str = PydanticField(max_length=3)
    items: list[int] = PydanticField(min_length=1, max_length=2)


def test_sizes_of_a_model_are_refused_with_their_bounds() -> None:
    seen_items: list[tuple[str, str, Any]] = []
    for body in ({"text": "abcd", "items": []}, {"text": "abc", "items": [1, 2, 3]}):
        with pytest.raises(Faults) as exc_info:
            parse(SizedBody, body)
        seen_items += [(item.path, item.key, dict(item.params)) for item in exc_info.value.faults]
    assert seen_items == [
        ("text", "too_long", {"max": 3, "got": 4}),
        ("items", "too_few", {"min": 1, "got": 0}),
        ("items", "too_many", {"max": 2, "got": 3}),
    ]


def test_faults_get_the_paths_of_another_body_once_each() -> None:
    faults = Faults(
        [fault("form.fields[2].label", "empty"), fault("form.title", "empty"), fault("x", "empty")]
    )
    table = [(r"form\.fields\[(\d+)\]", r"questions[\1]"), (r"form\.title|x", "title")]
    moved = faults.with_paths(table)
    assert [(item.path, item.key) for item in moved.faults] == [
        ("questions[2].label", "empty"),
        ("title", "empty"),
    ]


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("ok", []),
        (" ", ["empty"]),
        ("x" * 11, ["too_long"]),
        ("a\u202eb", ["control_chars"]),
        ("a\nb", ["control_chars"]),
        ("\ud800", ["lone_surrogate"]),
    ],
)
def test_a_shown_text_has_one_fault_at_most(text: str, keys: list[str]) -> None:
    assert [item.key for item in text_faults("name", text, max_length=10, lines=False)] == keys


def test_answers_of_sections_and_fields_are_the_same_form() -> None:
    flat = {"fields": [field for section in FORM["sections"] for field in section["fields"]]}
    assert isinstance(check_form(flat), Form)
    values = {"text": "abc", "number": 1.5}
    assert check_answer(check_form(flat), values) == check_answer(check_form(FORM), values)
