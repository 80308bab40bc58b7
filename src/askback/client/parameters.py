"""The arguments of a function call as the input of a tool call, and back."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from askback.errors import Invalid

_MANY = inspect.Parameter.VAR_POSITIONAL
_NAMED = inspect.Parameter.VAR_KEYWORD


class Parameters:
    """What a function takes: each of its parameters is a key of the input, also those left at their defaults."""

    def __init__(self, function: Callable[..., Any], tool: str) -> None:
        self._signature = inspect.signature(function)
        self._tool = tool

    def input_of(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the input of a call; raises `TypeError` as the call would, and `Invalid` for what is not JSON."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        of_kind = {name: parameter.kind for name, parameter in self._signature.parameters.items()}
        found = {
            name: list(value) if of_kind[name] is _MANY else value for name, value in bound.arguments.items()
        }
        faults = [_not_json(name, value) for name, value in found.items() if not _comes_back(value)]
        if faults:
            raise Invalid(f"A call of {self._tool} cannot be shown and approved.", field_errors=faults)
        return found

    def call_of(self, approved: Mapping[str, Any]) -> inspect.BoundArguments:
        """Return the arguments that an input stands for; raises `Invalid` when the function does not take them."""
        kinds = {_MANY: list, _NAMED: dict}
        known = self._signature.parameters
        fits = all(
            name in known and isinstance(value, kinds.get(known[name].kind, object))
            for name, value in approved.items()
        )
        if fits:
            given = inspect.BoundArguments(self._signature, dict(approved))  # pyright: ignore[reportArgumentType]
            try:
                return self._signature.bind(*given.args, **given.kwargs)
            except TypeError:
                pass  # an argument is missing, or there twice
        fault = {
            "path": "edited_input",
            "code": "wrong_arguments",
            "message": f"Must have the keys that {self._tool} takes: {', '.join(known)}.",
        }
        raise Invalid(
            f"The approved input does not match the parameters of {self._tool}, so it did not run.",
            field_errors=[fault],
        )


def _comes_back(value: Any) -> bool:
    """Whether JSON gives a value back as it was: a tuple does not, and neither does a dict with numbers as keys."""
    try:
        return json.loads(json.dumps(value, allow_nan=False)) == value
    except (TypeError, ValueError, RecursionError):
        return False


def _not_json(name: str, value: Any) -> dict[str, str]:
    text = (
        f"What is in this {type(value).__name__} does not come back from JSON as it was. "
        "Pass str, int, float, bool, None, and lists and dicts of them."
    )
    return {"path": f"input.{name}", "code": "not_json", "message": text}
