"""Values are equal, hashed and replaced like frozen dataclasses, and the type checker refuses to change them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askback.domain.values import frozen


@frozen(slots=True)
class Place:
    thread: int
    seq: int = 1


def test_values_with_equal_members_are_equal_and_have_one_hash() -> None:
    assert {Place(1), Place(1, 1), replace(Place(2), thread=1)} == {Place(1)}
    assert Place(1) != Place(2)


def test_a_value_takes_no_member_that_it_does_not_declare() -> None:
    with pytest.raises(AttributeError):
        setattr(Place(1), "position", 3)  # noqa: B010 - the type checker would refuse an assignment


def test_the_type_checker_refuses_to_change_a_member() -> None:
    place = Place(1)
    place.seq = 2  # pyright: ignore[reportAttributeAccessIssue]
    assert place == Place(1, 2)
