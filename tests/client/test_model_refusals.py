"""A Pydantic model whose own validators refuse what its form accepts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Annotated, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field, PastDate, field_validator, model_validator

from askback import AsyncClient, Cancelled, Invalid
from askback.client.modelform import model_form
from tests.client.test_validating import answering
from tests.requirements import requirement

pytestmark = pytest.mark.anyio
TRANSPORTS = ("websocket",)


class Address(BaseModel):
    """A part of a booking."""

    street: str
    zip: str = Field(alias="postcode")

    @field_validator("zip")
    @classmethod
    def has_digits(cls, value: str) -> str:
        """Refuse other texts."""
        if not value.isdigit():
            raise ValueError("A postcode\nhas digits only.")
        return value


class Booking(BaseModel):
    """A stay with rules that a form does not have."""

    nights: int
    guests: int
    address: Address

    @model_validator(mode="after")
    def is_small(self) -> Booking:
        """Refuse large bookings."""
        if self.nights * self.guests > 20:
            raise ValueError("At most 20 nights for all guests together.")
        return self


GOOD = {"nights": 2, "guests": 2, "address.street": "Main St 1", "address.zip": "12345"}


@requirement("F31", "F14")
async def test_a_person_corrects_what_the_model_refuses(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    letters, many = {**GOOD, "address.zip": "abc"}, {**GOOD, "nights": 30}
    async with answering(person, thread, letters, many, GOOD) as received_answers:
        booking = await agent.model(Booking, thread_id=thread)
    assert (booking.nights, booking.address.zip) == (2, "12345")
    assert [(error.path, error.message) for error in received_answers[1].field_errors] == [
        ('values["address.zip"]', "A postcode has digits only.")
    ]
    assert (received_answers[2].error_summary, received_answers[2].revision) == (
        "At most 20 nights for all guests together.",
        3,
    )
    assert received_answers[2].submitted is not None
    assert received_answers[2].submitted.values["nights"] == 30


async def test_the_callers_validator_comes_after_that_of_the_model(
    agent: AsyncClient, person: AsyncClient, thread: str
) -> None:
    async with answering(
        person, thread, {**GOOD, "nights": 30}, {**GOOD, "nights": 7}, GOOD
    ) as received_answers:
        booking = await agent.model(
            Booking,
            thread_id=thread,
            validate=lambda answer: {"nights": "No weeks."} if answer.values["nights"] == 7 else None,
        )
    assert booking.nights == 2
    assert [error.message for error in received_answers[2].field_errors] == ["No weeks."]


@requirement("F15")
async def test_a_model_is_asked_for_ten_times(agent: AsyncClient, person: AsyncClient, thread: str) -> None:
    async with answering(person, thread, *[{**GOOD, "nights": 30}] * 11):
        with pytest.raises(Cancelled) as ended:
            await agent.model(Booking, thread_id=thread)
    assert ended.value.request.reason == "failed"


async def test_values_that_nobody_can_correct_are_named(agent: AsyncClient, thread: str) -> None:
    class Even(BaseModel):
        n: Annotated[int, AfterValidator(lambda n: n if n % 2 == 0 else int("odd"))] = 1

    with pytest.raises(Invalid) as exc_info:
        await agent.model(Even, thread_id=thread, timeout_s=1, on_timeout="default")
    assert exc_info.value.code == "refused_by_type"
    assert [error["path"] for error in exc_info.value.field_errors] == ["values.n"]


def test_only_a_type_with_rules_of_its_own_is_checked_by_the_agent() -> None:
    class Plain(BaseModel):
        type: Literal["a", "b"]
        default: Annotated[int, Field(ge=1)] = 2
        tags: list[Literal["x", "y"]] = Field(default_factory=list)
        on: date | None = None
        price: Decimal = Decimal(1)
        notes: list[str] = Field(default_factory=list)

    @dataclass
    class Checked:
        n: int

        def __post_init__(self) -> None:
            if self.n > 3:
                raise ValueError("At most three.")

    class Past(BaseModel):
        on: PastDate

    class Price(BaseModel):
        amount: Annotated[Decimal, Field(max_digits=3)]

    assert [f.default for f in model_form(Plain).form.all_fields if f.id == "price"] == [1]
    checked = {model: model_form(model).has_own_rules for model in (Plain, Booking, Checked, Past, Price)}
    assert checked == {Plain: False, Booking: True, Checked: True, Past: True, Price: True}
