"""A Pydantic model becomes a form and comes back as itself."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, Optional
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field, SecretStr, ValidationError

from askback.client.modelform import NoFormFor, model_form


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Order(BaseModel):
    """What to order.

    And for whom.
    """

    name: Annotated[str, Field(min_length=2, max_length=9, title="Your name")]
    note: str | None = Field(
        default=None, description="Anything else?", json_schema_extra={"widget": "textarea"}
    )
    count: int = Field(3, ge=1, le=20)
    odd: int = Field(gt=0, lt=10)
    price: float = Field(0.5, ge=0, multiple_of=0.25)
    gift: bool
    express: bool = True
    kind: Literal["new", "used"] = "used"
    level: Literal[1, 2, 3]
    colour: Colour = Colour.BLUE
    size: Optional[Size] = None  # noqa: UP045 - the old spelling must work as well
    tags: list[Literal["a", "b", "c"]] = Field(["a"], max_length=2)
    colours: Annotated[set[Colour], Field(min_length=1)]
    day: date = Field(date(2026, 11, 20), ge=date(2026, 1, 1))
    at: time | None
    moment: datetime


def fields() -> dict[str, dict[str, Any]]:
    form = model_form(Order).form
    return {
        f.id: f.model_dump(exclude_none=True, exclude_defaults=True) | {"type": f.type}
        for f in form.all_fields
    }


def values(options: list[dict[str, Any]]) -> list[str]:
    return [option["value"] for option in options]


def test_the_form_says_what_the_model_says():
    form, found = model_form(Order).form, fields()
    assert (form.title, form.description) == ("Order", "What to order.\n\nAnd for whom.")
    assert found["name"] == {
        "id": "name", "label": "Your name", "type": "text", "required": True, "min_length": 2, "max_length": 9,
    }  # fmt: skip
    assert found["note"] == {
        "id": "note",
        "label": "Note",
        "type": "textarea",
        "description": "Anything else?",
    }
    assert found["count"] == {
        "id": "count", "label": "Count", "type": "number", "min": 1, "max": 20, "step": 1, "default": 3,
    }  # fmt: skip
    assert found["odd"] == {
        "id": "odd", "label": "Odd", "type": "number", "min": 1, "max": 9, "step": 1, "required": True,
    }  # fmt: skip
    assert found["price"]["step"] == 0.25
    assert found["gift"] == {"id": "gift", "label": "Gift", "type": "boolean", "default": False}
    assert found["express"]["default"] is True
    assert (values(found["kind"]["options"]), found["kind"]["default"]) == (["new", "used"], "used")
    assert (values(found["level"]["options"]), found["level"]["required"]) == (["1", "2", "3"], True)
    assert found["colour"]["default"] == "blue"
    assert values(found["size"]["options"]) == ["SMALL", "LARGE"]
    assert (found["tags"]["type"], found["tags"]["max_choices"], found["tags"]["default"]) == (
        "multiselect",
        2,
        ["a"],
    )
    assert (found["colours"]["min_choices"], found["colours"]["required"]) == (1, True)
    assert found["day"] == {
        "id": "day", "label": "Day", "type": "date", "min": "2026-01-01", "default": "2026-11-20",
    }  # fmt: skip
    assert found["at"] == {"id": "at", "label": "At", "type": "time"}
    assert (found["moment"]["type"], found["moment"]["required"]) == ("datetime", True)


def test_the_answer_becomes_an_instance():
    order = model_form(Order).instance(
        Order,
        {
            "name": "Ada", "count": 5, "odd": 7, "price": 1.25, "gift": True, "kind": "new", "level": "2",
            "colour": "red", "size": "LARGE", "tags": ["b", "c"], "colours": ["red", "blue"], "day": "2026-12-24",
            "at": "09:30", "moment": "2026-11-20T09:00[Europe/Berlin]",
        },
    )  # fmt: skip
    assert order == Order(
        name="Ada", count=5, odd=7, price=1.25, gift=True, kind="new", level=2, colour=Colour.RED, size=Size.LARGE,
        tags=["b", "c"], colours={Colour.RED, Colour.BLUE}, day=date(2026, 12, 24), at=time(9, 30),
        moment=datetime(2026, 11, 20, 9, tzinfo=ZoneInfo("Europe/Berlin")),
    )  # fmt: skip


def test_what_was_left_empty_keeps_its_default():
    sent = {"name": "Ada", "odd": 1, "level": "1", "colours": ["red"], "moment": "2026-11-20T09:00:00Z"}
    order = model_form(Order).instance(Order, sent)
    assert (order.gift, order.express, order.size, order.note, order.at) == (False, True, None, None, None)
    assert order.moment == datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("annotation", "named"),
    [
        (dict[str, int], "Odd.value: dict[str, int]"),
        (list[str], "Odd.value: list[str]"),
        (bytes, "Odd.value: bytes"),
        (int | str, "Odd.value: int | str"),
        (Order, "Odd.value: Order"),
        (SecretStr, "Odd.value: SecretStr"),
    ],
)
def test_what_cannot_be_asked_for_is_named(annotation: Any, named: str):
    odd = type("Odd", (BaseModel,), {"__annotations__": {"value": annotation}})
    with pytest.raises(NoFormFor) as refused:
        model_form(odd)
    assert str(refused.value).startswith(f"{named} cannot be asked for in a form. Use str, int,")


@pytest.mark.parametrize("given", [{"type": "object"}, "Order", dict, None])
def test_something_other_than_a_model_is_refused_with_a_sentence(given: Any):
    with pytest.raises(NoFormFor, match="pass a Pydantic model class"):
        model_form(given)


@pytest.mark.parametrize(
    ("pattern", "whole"),
    [
        ("^[A-Z]+$", "^[A-Z]+$"),
        ("[A-Z]", "(?s:.*)(?:[A-Z])(?s:.*)"),
        ("^a", "(?:^a)(?s:.*)"),
        (r"a\$", r"(?s:.*)(?:a\$)(?s:.*)"),
    ],
)
def test_a_pattern_that_may_match_anywhere_matches_anywhere_in_the_form_too(pattern: str, whole: str):
    coded = type("Coded", (BaseModel,), {"__annotations__": {"v": Annotated[str, Field(pattern=pattern)]}})
    (field,) = model_form(coded).form.all_fields
    assert field.model_dump()["pattern"] == whole


def test_the_models_own_validators_have_the_last_word():
    class Even(BaseModel):
        n: Annotated[float, Field(gt=0)]

    with pytest.raises(ValidationError):
        model_form(Even).instance(Even, {"n": 0})


def test_an_alias_changes_nothing_for_the_form():
    class Aliased(BaseModel):
        inner: str = Field(alias="outer")

    assert model_form(Aliased).form.all_fields[0].id == "inner"
    assert model_form(Aliased).instance(Aliased, {"inner": "x"}).inner == "x"
