"""Forms and answers for property tests: any form that the server accepts, and any answer that the form accepts."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from askback.domain.faults import Faults
from askback.domain.fields import Form
from askback.domain.options import value_text
from askback.domain.validation import check_answer, check_form
from askback.domain.validation.visibility import hidden_fields

TEXTS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x24F, exclude_characters="\x7f", exclude_categories=["C"]),
    min_size=1,
    max_size=8,
)
TRANSLATED = st.fixed_dictionaries({"en": TEXTS, "de": TEXTS})
WHOLE = st.integers(-50, 50)
NUMBERS = WHOLE | st.sampled_from([0.1, 0.25, -1.5, 2.75])
PATTERNS = st.sampled_from(
    ["[a-z]+", r"\d{2,4}", "(?:ab|cd)*", "(?i)yes|no", r"[^\s@]+@[^\s@]+\.[^\s@.]+", r".*x.*y"]
)
DATES = st.dates().map(lambda date: date.isoformat())
TIMES = st.times().map(lambda time: time.isoformat("minutes"))
MOMENTS = st.sampled_from(["2026-11-20T09:00:00Z", "2026-11-20T09:00:00+02:00", "2027-01-01T00:00:00Z"])
BOUNDS = {"date": DATES, "time": TIMES, "datetime": MOMENTS}
EXAMPLES = {
    "[a-z]+": "abc", r"\d{2,4}": "123", "(?:ab|cd)*": "abcd", "(?i)yes|no": "YES",
    r"[^\s@]+@[^\s@]+\.[^\s@.]+": "a@b.co", r".*x.*y": "axby",
}  # fmt: skip


def optional(draw: st.DrawFn, **members: st.SearchStrategy[Any]) -> dict[str, Any]:
    """Draw some of the members."""
    return {name: draw(strategy) for name, strategy in members.items() if draw(st.booleans())}


def option(value: Any) -> st.SearchStrategy[Any]:
    """Return an option as a text or as an object."""
    styles = st.sampled_from([None, "primary", "danger"])
    plain_search_strategy: st.SearchStrategy[Any] = st.just(value) if isinstance(value, str) else st.nothing()
    return plain_search_strategy | st.fixed_dictionaries(
        {"value": st.just(value), "label": st.just(f"{value}!")},
        optional={"description": TEXTS | TRANSLATED, "recommended": st.booleans(), "style": styles},
    )


@st.composite
def fields(draw: st.DrawFn, id_: str) -> dict[str, Any]:
    """Draw a field of any type."""
    kind = draw(st.sampled_from(sorted(RULES)))
    common = optional(
        draw, label=TEXTS | TRANSLATED, description=TEXTS | TRANSLATED, required=st.booleans(), placeholder=TEXTS,
        validate_on_client=st.booleans(), allow_skip=st.booleans(),
    )  # fmt: skip
    rules = RULES[kind](draw)
    if "default" in rules and kind not in ("boolean", "checkbox"):
        common |= optional(draw, readonly=st.just(True))
    return {"id": id_, "type": kind, **common, **rules}


def text(draw: st.DrawFn) -> dict[str, Any]:
    if draw(st.booleans()):
        return {"pattern": draw(PATTERNS)} | optional(draw, pattern_message=TEXTS)
    low = draw(st.integers(0, 3))
    return optional(
        draw, min_length=st.just(low), max_length=st.integers(low + 1, 9), default=st.just("abcd")
    )


def number(draw: st.DrawFn) -> dict[str, Any]:
    low = draw(NUMBERS)
    return optional(
        draw,
        min=st.just(low),
        max=st.just(low + 20),
        step=st.sampled_from([1, 2, 0.5, 0.25, 3]),
        default=NUMBERS,
    )


def boolean(draw: st.DrawFn) -> dict[str, Any]:
    return optional(draw, default=st.booleans(), widget=st.sampled_from(["switch", "checkbox", "confirm"]))


def checkbox(draw: st.DrawFn) -> dict[str, Any]:
    return optional(draw, default=st.booleans())


def choice(draw: st.DrawFn) -> dict[str, Any]:
    values = draw(st.lists(TEXTS | NUMBERS, min_size=1, max_size=4, unique_by=value_text))
    options = [draw(option(value)) for value in values]
    return {"options": options, **optional(draw, allow_other=st.booleans())}


def single_choice(draw: st.DrawFn) -> dict[str, Any]:
    choice_field = choice(draw)
    first_options = choice_field["options"][0]
    return choice_field | optional(
        draw, default=st.just(first_options if isinstance(first_options, str) else first_options["value"])
    )


def select(draw: st.DrawFn) -> dict[str, Any]:
    return single_choice(draw) | optional(draw, widget=st.sampled_from(["dropdown", "buttons", "chips"]))


def multiple_choice(draw: st.DrawFn) -> dict[str, Any]:
    choice_field = choice(draw)
    count = len(choice_field["options"])
    counts = optional(draw, min_choices=st.integers(0, count), max_choices=st.just(count))
    return choice_field | counts | optional(draw, widget=st.sampled_from(["checkboxes", "chips", "dropdown"]))


def moment(kind: str) -> Any:
    def rules(draw: st.DrawFn) -> dict[str, Any]:
        if kind == "datetime" and draw(st.booleans()):
            return {"floating": True} | optional(draw, min=st.just("2026-01-01T00:00"))
        low, high = sorted([draw(BOUNDS[kind]), draw(BOUNDS[kind])])
        return optional(draw, min=st.just(low), max=st.just(high))

    return rules


RULES: dict[str, Any] = {
    "text": text, "textarea": text, "number": number, "boolean": boolean, "checkbox": checkbox, "select": select,
    "radio": single_choice, "multiselect": multiple_choice, "date": moment("date"), "time": moment("time"), "datetime": moment("datetime"),
}  # fmt: skip


@st.composite
def forms(draw: st.DrawFn) -> Form:
    """Draw a form, in sections or not."""
    ids = ["a", "b.c", "d e", "f/g~h", "i"][: draw(st.integers(1, 5))]
    drawn_fields = [draw(fields(id_)) for id_ in ids]
    for earlier, later in pairwise(drawn_fields):
        if draw(st.integers(0, 3)) == 0 and not earlier.get("readonly"):
            later["visible_if"] = {"field": earlier["id"], "provided": draw(st.booleans())}
    body = optional(
        draw,
        title=TEXTS | TRANSLATED,
        description=TEXTS,
        submit_label=TEXTS,
        allow_skip=st.booleans(),
        locale=st.just("de"),
    )
    if draw(st.booleans()):
        cut = draw(st.integers(0, len(drawn_fields)))
        parts = [part for part in (drawn_fields[:cut], drawn_fields[cut:]) if part]
        body["sections"] = [
            {
                "id": f"s{index}",
                "fields": part,
                **optional(draw, title=TEXTS, optional=st.booleans(), submit_label=TEXTS),
            }
            for index, part in enumerate(parts)
        ]
    else:
        body["fields"] = drawn_fields
    try:
        return check_form(body)
    except Faults:
        assume(False)
        raise


def values(field: Any) -> st.SearchStrategy[Any]:
    """Return values, most of which a field accepts."""
    if field.type in ("text", "textarea"):
        return st.just(EXAMPLES[field.pattern]) if field.pattern else TEXTS
    if field.type == "number":
        start, step = field.min or 0, field.step or 1
        return st.integers(0, 20).map(lambda count: start + count * step)
    if field.type in ("boolean", "checkbox"):
        return st.just(True) if field.required else st.booleans()
    if field.readonly:
        return st.just(field.default)
    if field.type == "datetime" and field.floating:
        return st.sampled_from(["2026-11-20T09:00", "2027-11-20T09:00:30"])
    if field.type in BOUNDS:
        return (
            st.sampled_from([field.min, field.max]).filter(bool)
            if field.min or field.max
            else BOUNDS[field.type]
        )
    one = st.sampled_from([item.value for item in field.options])
    one = one | TEXTS if field.allow_other else one
    return st.lists(one, unique=True, max_size=4) if field.type == "multiselect" else one


@st.composite
def forms_with_answers(draw: st.DrawFn) -> tuple[Form, dict[str, Any]]:
    """Draw a form and values that it accepts."""
    form = draw(forms())
    sent: dict[str, Any] = {}
    for field in form.all_fields:
        if (field.required or draw(st.booleans())) and field.id not in hidden_fields(form, sent):
            sent[field.id] = draw(values(field))
    try:
        return form, check_answer(form, sent).values
    except Faults:
        assume(False)
        raise
