"""The options of a field: from the form's list, or from a source on the server."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar, cast

from pydantic import BeforeValidator

from askback.domain.model import Model
from askback.messages.languages import LocalText

OptionValue = str | int | float


def value_text(value: OptionValue) -> str:
    """Return the value of an option as a person types it."""
    return value if isinstance(value, str) else str(int(value)) if value == int(value) else str(value)


class Option(Model):
    """One choice. On the wire a plain string means `{"value": s, "label": s}`.

    `value` is what the agent gets: a string, which may be empty, or a number. It defaults to `label`, which the person
    sees as plain text.
    """

    value: OptionValue
    label: LocalText
    description: LocalText | None = None
    recommended: bool = False
    style: Literal["default", "primary", "danger"] | None = None


def spelled_out(raw: Any) -> Any:
    """Return an option that was sent as a string, or without a value, as an object."""
    if isinstance(raw, str):
        return {"value": raw, "label": raw}
    if not isinstance(raw, dict):
        return raw
    members = cast("dict[str, Any]", raw)
    label = members.get("label")
    return (
        members
        if "value" in members or label is None or isinstance(label, dict)
        else {"value": label, **members}
    )


class OptionsFrom(Model):
    """Options that the server gets from one of its sources, by name, as the person searches them.

    With `tree` the person can open options that have children.
    """

    source: str
    tree: bool = False


def as_list(raw: Any) -> Any:
    """Return a tuple as a list."""
    return list(cast("tuple[Any, ...]", raw)) if isinstance(raw, tuple) else raw


OptionLike = Annotated[Option, BeforeValidator(spelled_out, json_schema_input_type=str | Option)]

if TYPE_CHECKING:
    FunctionResult = TypeVar("FunctionResult")
    WrittenResult = TypeVar("WrittenResult")

    class OptionArguments(Generic[FunctionResult, WrittenResult]):
        """What a type checker sees: a constructor takes a `W`, such as plain strings; reading gives an `R`."""

        def __get__(self, instance: object, owner: object = None) -> FunctionResult: ...
        def __set__(self, instance: object, value: WrittenResult) -> None: ...

    Options = OptionArguments[list[Option], Sequence[str | Option]]
else:
    Options = Annotated[list[OptionLike], BeforeValidator(as_list)]


def no_options() -> Any:
    """Return an empty list of options."""
    return []
