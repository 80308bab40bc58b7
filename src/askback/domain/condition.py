"""A condition under which a field or a section is shown: a comparison of an earlier field, as data."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from askback.domain.options import as_list

Scalar = str | int | float | bool


class Condition(BaseModel):
    """`{"field": ID}` with one of `is`, `is_not`, `in`, `provided`; or `all` or `any` with a list of such.

    In a multiselect `is` means that the value is chosen, `in` that one of the values is chosen. For a field
    without a value (empty, skipped or hidden itself) only `is_not` and `"provided": false` hold. An unticked
    box is false, and not provided. In Python write `is_` and `in_`, or a mapping.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
    )

    field: str | None = None
    is_: Scalar | None = Field(default=None, validation_alias="is", serialization_alias="is")
    is_not: Scalar | None = None
    in_: Annotated[list[Scalar], BeforeValidator(as_list)] | None = Field(
        default=None, validation_alias="in", serialization_alias="in"
    )
    provided: bool | None = None
    all: Annotated[list[Condition], BeforeValidator(as_list)] | None = None
    any: Annotated[list[Condition], BeforeValidator(as_list)] | None = None
