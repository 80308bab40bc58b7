"""A Pydantic model becomes a form, and its answer an instance of the model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Literal, NotRequired, Optional
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel, Field, SecretStr
from typing_extensions import TypedDict

from askback.client.modelform import model_form
from askback.compat.translation import NoFormFor
from askback.errors import Invalid
from tests.requirements import requirement


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


def test_the_form_has_the_constraints_of_the_model():
    form, result = model_form(Order).form, fields()
    assert (form.title, form.description) == ("Order", "What to order.\n\nAnd for whom.")
    assert result["name"] == {
        "id": "name", "label": "Your name", "type": "text", "required": True, "min_length": 2, "max_length": 9,
    }  # fmt: skip
    assert result["note"] == {
        "id": "note",
        "label": "Note",
        "type": "textarea",
        "description": "Anything else?",
    }
    assert result["count"] == {
        "id": "count", "label": "Count", "type": "number", "min": 1, "max": 20, "step": 1, "default": 3,
    }  # fmt: skip
    assert result["odd"] == {
        "id": "odd", "label": "Odd", "type": "number", "min": 1, "max": 9, "step": 1, "required": True,
    }  # fmt: skip
    assert result["price"]["step"] == 0.25
    assert result["gift"] == {"id": "gift", "label": "Gift", "type": "boolean", "default": False}
    assert result["express"]["default"] is True
    assert (values(result["kind"]["options"]), result["kind"]["default"]) == (["new", "used"], "used")
    assert (values(result["level"]["options"]), result["level"]["required"]) == ([1, 2, 3], True)
    assert result["colour"]["default"] == "blue"
    assert [option["label"] for option in result["size"]["options"]] == ["SMALL", "LARGE"]
    assert (result["tags"]["type"], result["tags"]["max_choices"], result["tags"]["default"]) == (
        "multiselect",
        2,
        ["a"],
    )
    assert (result["colours"]["min_choices"], result["colours"]["required"]) == (1, True)
    assert result["day"] == {
        "id": "day", "label": "Day", "type": "date", "min": "2026-01-01", "default": "2026-11-20",
    }  # fmt: skip
    assert result["at"] == {"id": "at", "label": "At", "type": "time"}
    assert (result["moment"]["type"], result["moment"]["required"]) == ("datetime", True)


def test_the_answer_becomes_an_instance():
    order = model_form(Order).instance(
        {
            "name": "Ada", "count": 5, "odd": 7, "price": 1.25, "gift": True, "kind": "new", "level": 2,
            "colour": "red", "size": 2, "tags": ["b", "c"], "colours": ["red", "blue"], "day": "2026-12-24",
            "at": "09:30", "moment": "2026-11-20T09:00[Europe/Berlin]",
        },
    )  # fmt: skip
    assert order == Order(
        name="Ada", count=5, odd=7, price=1.25, gift=True, kind="new", level=2, colour=Colour.RED, size=Size.LARGE,
        tags=["b", "c"], colours={Colour.RED, Colour.BLUE}, day=date(2026, 12, 24), at=time(9, 30),
        moment=datetime(2026, 11, 20, 9, tzinfo=ZoneInfo("Europe/Berlin")),
    )  # fmt: skip


def test_an_empty_input_keeps_its_default():
    sent = {"name": "Ada", "odd": 1, "level": 1, "colours": ["red"], "moment": "2026-11-20T09:00:00Z"}
    order = model_form(Order).instance(sent)
    assert (order.gift, order.express, order.size, order.note, order.at) == (False, True, None, None, None)
    assert order.moment == datetime(2026, 11, 20, 9, tzinfo=UTC)


@requirement("F31")
@pytest.mark.parametrize(
    ("annotation", "reason"),
    [
        (dict[str, int], "A form needs to know the names of an object's properties."),
        (list[dict[str, int]], "A form can ask for a list of choices, texts or numbers only."),
        (bytes, "A form cannot ask for bytes."),
        (tuple[int, str], "A form has no rule `prefixItems`."),
        (int | str, "A form cannot ask for one of several shapes."),
        (SecretStr, "A form is no place for a secret: an answer reaches the model."),
        (Any, "A form needs a type here: string,"),
    ],
)
def test_an_unsupported_model_field_is_named(annotation: Any, reason: str):
    odd = type("Odd", (BaseModel,), {"__annotations__": {"value": annotation, "fine": str}})
    outer = type("Outer", (BaseModel,), {"__annotations__": {"inner": odd, "other": annotation}})
    with pytest.raises(NoFormFor) as exc_info:
        model_form(outer)
    inner, other = str(exc_info.value).split("; ")
    assert inner.startswith(f"Outer.inner.value: {reason}")
    assert other.startswith(f"Outer.other: {reason}")


@pytest.mark.parametrize("source", ["Order", dict, None])
def test_something_other_than_a_model_is_refused_with_a_sentence(source: Any):
    with pytest.raises(
        NoFormFor, match=r"(A str|dict|A NoneType) cannot be asked for: pass a Pydantic model class"
    ):
        model_form(source)


class Address(BaseModel):
    """Where to deliver."""

    street: str
    country: Literal["DE", "FR"] = "DE"


class Parcel(BaseModel):
    weight: float = Field(gt=0)
    home: Address
    work: Address | None = None
    tags: list[str] = []
    code: Decimal = Decimal("1.5")


@requirement("F31")
def test_a_model_within_a_model_is_a_section_and_comes_back_as_its_class():
    parcel_form = model_form(Parcel)
    sections = parcel_form.form.sections or []
    assert [
        (section.id, section.title, section.description, section.optional, [f.id for f in section.fields])
        for section in sections
    ] == [
        ("weight…", None, None, False, ["weight"]),
        ("home", "Home", "Where to deliver.", False, ["home.street", "home.country"]),
        ("work", "Work", "Where to deliver.", True, ["work.street", "work.country"]),
        ("tags…", None, None, False, ["tags", "code"]),
    ]
    assert [getattr(field, "default", None) for field in sections[2].fields] == [
        None,
        None,
    ]  # otherwise it would count as filled in
    sent = {"weight": 2, "home.street": "A 1", "home.country": "FR", "tags": "a\nb\n", "code": 2.5}
    assert parcel_form.instance(sent) == Parcel(
        weight=2, home=Address(street="A 1", country="FR"), work=None, tags=["a", "b"], code=Decimal("2.5")
    )
    assert parcel_form.instance(sent | {"work.street": "B 2"}).work == Address(street="B 2")


@dataclass
class Trip:
    city: str
    nights: int = 3


class Seat(TypedDict):
    row: Annotated[int, Field(ge=1, le=30)]
    window: NotRequired[bool]


@requirement("F31")
def test_a_dataclass_and_a_typed_dict_come_back_with_their_types():
    assert model_form(Trip).instance({"city": "Rome", "nights": 4}) == Trip("Rome", 4)
    assert model_form(Seat).instance({"row": 3}) == {"row": 3}
    assert [field.required for field in model_form(Seat).form.all_fields] == [True, False]


@pytest.mark.parametrize(
    ("pattern", "whole_pattern"),
    [
        ("^[A-Z]+$", "^[A-Z]+$"),
        ("[A-Z]", "(?s:.*)(?:[A-Z])(?s:.*)"),
        ("^a", "(?:^a)(?s:.*)"),
        (r"a\$", r"(?s:.*)(?:a\$)(?s:.*)"),
    ],
)
def test_a_pattern_that_may_match_anywhere_matches_anywhere_in_the_form_too(pattern: str, whole_pattern: str):
    coded_model = type(
        "Coded", (BaseModel,), {"__annotations__": {"v": Annotated[str, Field(pattern=pattern)]}}
    )
    (field,) = model_form(coded_model).form.all_fields
    assert field.model_dump()["pattern"] == whole_pattern


def test_the_validators_of_the_model_decide_last():
    class Even(BaseModel):
        n: Annotated[float, Field(gt=0)]

    with pytest.raises(Invalid, match="values.n"):
        model_form(Even).instance({"n": 0})


def test_an_alias_changes_nothing_for_the_form():
    class Aliased(BaseModel):
        inner: str = Field(alias="outer")

    assert model_form(Aliased).form.all_fields[0].id == "inner"
    assert model_form(Aliased).instance({"inner": "x"}).inner == "x"
