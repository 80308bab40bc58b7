"""Read untrusted JSON: strictly, quickly, and without ever running out of stack.

JSON allows texts that readers interpret differently: repeated keys, huge numbers, halves of surrogate pairs.
They are refused here, before anything uses the value, so that the validated, the stored and the shown value
are the same. A number such as `5.0` is read as the whole number 5, as JavaScript reads it.

Two readers give the same values. The compiled one is lenient, so it counts only if it provably lost nothing:
writing its value gives the same bytes. The strict one reads all other texts, and finds every fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from pydantic_core import from_json, to_json

from askback.domain.faults import Fault, Faults, fault
from askback.domain.limits import DEFAULTS, Limits

MAX_DIGITS = 308
"""The maximum number of digits of a whole number; longer ones do not fit the numbers of other readers."""

Container = dict[str, Any] | list[Any]

_SURROGATE_ESCAPE = re.compile(r"\\u[dD]")
_STEP, _STEPS = 34, 9
_DIGITS_AT_STEPS = re.compile(rb"[0-9]{%d}" % _STEPS)
_WHOLE_FRACTION = re.compile(rb"[0-9]\.0(?:[,\]}]|\Z)")
_NOT_DECODED = object()


class _NotDecodable(Exception):
    def __init__(self, reason: Fault) -> None:
        self.reason = reason


def parse(body: bytes | str, *, limits: Limits = DEFAULTS) -> object:
    """Return the JSON value in `body`, which may be of any type.

    Raises `Faults` with one fault at the empty path: `empty_body`, `invalid_utf8`,
    `malformed_json`, `duplicate_key`, `non_finite_number`, `number_too_large`, `too_deep` or
    `lone_surrogate`.
    """
    value = _read_compiled(body)
    if value is not _NOT_DECODED:
        _require_depth(value, body, limits)
        return value
    text, value, refusal = _read(body, limits)
    if refusal is not None:
        raise Faults([refusal])
    _require_depth(value, text, limits)
    if _may_hold_surrogates(text, from_bytes=body is not text) and _holds_surrogates(value):
        _refuse("lone_surrogate")
    return value


_TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "number", float: "number", list: "list"}


def type_name(value: object) -> str:
    """Return the JSON type of a value, as the fault `wrong_type` names it, or `null`."""
    return "null" if value is None else _TYPES.get(type(value), "object")


def merge(first: str, second: str) -> str:
    """Merge the texts of two JSON objects that have members and no key in common."""
    return f"{first[:-1]},{second[1:]}"


def with_members(text: str, **members: object) -> str:
    """Return the text of a JSON object that has members, with more that it does not have yet."""
    return merge(text, to_json(members).decode())


def without_members(text: str, *names: str) -> str:
    """Return the text of a JSON object without some of its members."""
    members: dict[str, object] = json.loads(text)
    return to_json({name: value for name, value in members.items() if name not in names}).decode()


def _read_compiled(body: bytes | str) -> object:
    """Return the value of a text that has only one spelling, or `_NOT_DECODED`.

    Writing the value gives the same bytes, so no key was repeated, no number lost a digit, no escape was half
    a character. Two things would pass that test: `5.0`, which has to become 5, and a whole number of more than
    `MAX_DIGITS`. Every `_STEP`th byte of such a number is a digit, at least `_STEPS` in a row; a text in which that
    happens is not read here.
    """
    try:
        data = body if isinstance(body, bytes) else body.encode()
        value = from_json(data, allow_inf_nan=False, cache_strings="none")
        if to_json(value) != data or _DIGITS_AT_STEPS.search(data[::_STEP]):
            return _NOT_DECODED
        if b".0" in data and _WHOLE_FRACTION.search(data):
            return _NOT_DECODED
    except ValueError:  # as those of UTF-8 are
        return _NOT_DECODED
    return value


def _require_depth(value: object, text: bytes | str, limits: Limits) -> None:
    open_brackets = (
        text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")
    )
    if open_brackets > limits.json_depth and _is_deeper(value, max_depth=limits.json_depth):
        _refuse("too_deep", max=limits.json_depth)


def _read(body: bytes | str, limits: Limits) -> tuple[str, object, Fault | None]:
    """Return the text and its value, or the fault, which the caller raises outside of any reader's exception handler.

    An exception keeps the one that was being handled, and the readers' exceptions contain the whole body.
    """
    text = ""
    try:
        text = body if isinstance(body, str) else body.decode()
        return text, _DECODER.decode(text), None
    except UnicodeDecodeError:
        return text, None, fault("", "invalid_utf8")
    except _NotDecodable as error:
        return text, None, error.reason
    except json.JSONDecodeError:
        if _unclosed_brackets(text) <= limits.json_depth:
            return text, None, fault("", "malformed_json" if body.strip() else "empty_body")
    except RecursionError:  # at a depth that depends on the version of Python and on the thread
        pass
    return text, None, fault("", "too_deep", max=limits.json_depth)


def _unclosed_brackets(text: str) -> int:
    return text.count("[") + text.count("{") - text.count("]") - text.count("}")


def _refuse(key: str, **params: object) -> NoReturn:
    raise Faults([fault("", key, **params)])


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _NotDecodable(fault("", "duplicate_key"))
    return members


def _parse_integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS and len(digits.lstrip("-")) > MAX_DIGITS:
        raise _NotDecodable(fault("", "number_too_large.json", max=MAX_DIGITS))
    return int(digits)


def _parse_float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _NotDecodable(fault("", "non_finite_number.json"))
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _refuse_constant(_word: str) -> NoReturn:
    raise _NotDecodable(fault("", "non_finite_number.json"))


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_members,
    parse_float=_parse_float,
    parse_int=_parse_integer,
    parse_constant=_refuse_constant,
)


def _is_deeper(value: Any, *, max_depth: int) -> bool:
    """Return whether containers are nested more than `than` deep, level by level so that no stack grows."""
    level = _containers([value])
    for _ in range(max_depth):
        level = _containers(member for container in level for member in _members(container))
        if not level:
            return False
    return True


def _containers(items: Iterable[Any]) -> list[Container]:
    return [item for item in items if type(item) is dict or type(item) is list]


def _members(container: Container) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def _may_hold_surrogates(text: str, *, from_bytes: bool) -> bool:
    """A text decoded from UTF-8 contains none; only escapes can make them."""
    return ("\\u" in text and _SURROGATE_ESCAPE.search(text) is not None) or not (
        from_bytes or text.isascii()
    )


def _holds_surrogates(value: object) -> bool:
    """Return whether a string or key has half a surrogate pair: such text has no UTF-8 form."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
