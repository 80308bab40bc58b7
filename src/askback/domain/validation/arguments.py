"""Read a body as the keyword arguments of a function, by its type hints."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import Parameter, signature
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, create_model

from askback.domain.model import Model
from askback.domain.validation.structure import parse


def arguments(
    function: Callable[..., Any], body: object, *, alias: Callable[[str], str] | None = None
) -> dict[str, Any]:
    """Return the members of a body that were sent, as arguments of `function`; raises `Faults`.

    Keyword-only parameters are members; `alias` returns the name of a parameter in the body. One that is None by
    default may be absent, but not null. With `**more`, unknown members are ignored.
    """
    payload = parse(_model(function, alias), body)
    return {name: getattr(payload, name) for name in payload.model_fields_set}


@cache
def _model(function: Callable[..., Any], alias: Callable[[str], str] | None) -> type[BaseModel]:
    hints = get_type_hints(function, include_extras=True)
    members: dict[str, Any] = {}
    config = ConfigDict(Model.model_config, alias_generator=alias)
    for parameter in signature(function).parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY:
            default = ... if parameter.default is Parameter.empty else parameter.default
            members[parameter.name] = (_without_none(hints[parameter.name]), default)
        elif parameter.kind is Parameter.VAR_KEYWORD:
            config["extra"] = "ignore"
    return create_model("Body", __config__=config, **members)


def _without_none(hint: Any) -> Any:
    if get_origin(hint) not in (Union, UnionType):
        return hint
    return Union[tuple(item for item in get_args(hint) if item is not NoneType)]  # noqa: UP007 - made of a tuple
