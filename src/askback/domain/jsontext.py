"""Reading JSON that a stranger sent: strictly, quickly, and without ever running out of stack.

JSON allows what no two readers agree on: repeated keys, huge numbers, halves of surrogate pairs.
They are refused here, before anything looks at the value, so that what is validated is what is
stored and what is shown. A number such as `5.0` is read as the whole number 5, as JavaScript reads it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, NoReturn

from pydantic_core import to_json

from askback.domain.faults import Fault, Faults, fault
from askback.domain.limits import DEFAULTS, Limits

MAX_DIGITS = 308
"""The most digits that a whole number may have; more do not fit the numbers of other readers."""

Container = dict[str, Any] | list[Any]

_SURROGATE_ESCAPE = re.compile(r"\\u[dD]")


class _Refused(Exception):
    def __init__(self, reason: Fault) -> None:
        self.reason = reason


def parse(body: bytes | str, *, limits: Limits = DEFAULTS) -> object:
    """Return the JSON value in `body`, which may be of any type.

    Raises `Faults` with one fault at the empty path: `empty_body`, `invalid_utf8`,
    `malformed_json`, `duplicate_key`, `non_finite_number`, `number_too_large`, `too_deep` or
    `lone_surrogate`.
    """
    text, value, refusal = _read(body, limits)
    if refusal is not None:
        raise Faults([refusal])
    if text.count("[") + text.count("{") > limits.json_depth and _deeper(value, than=limits.json_depth):
        _refuse("too_deep", max=limits.json_depth)
    if _may_hold_surrogates(text, from_bytes=body is not text) and _holds_surrogates(value):
        _refuse("lone_surrogate")
    return value


def merge(first: str, second: str) -> str:
    """Merge the texts of two JSON objects that have members and no key in common."""
    return f"{first[:-1]},{second[1:]}"


def with_members(text: str, **members: object) -> str:
    """Return the text of a JSON object that has members, with more that it does not have yet."""
    return merge(text, to_json(members).decode())


def _read(body: bytes | str, limits: Limits) -> tuple[str, object, Fault | None]:
    """Return the text and its value, or what is wrong; whoever raises it does so where no reader's error is at hand.

    An exception remembers the one that was being handled, and those of the readers hold the whole body.
    """
    text = ""
    try:
        text = body if isinstance(body, str) else body.decode()
        return text, _DECODER.decode(text), None
    except UnicodeDecodeError:
        return text, None, fault("", "invalid_utf8")
    except _Refused as refused:
        return text, None, refused.reason
    except json.JSONDecodeError:
        return text, None, fault("", "malformed_json" if body.strip() else "empty_body")
    except RecursionError:
        return text, None, fault("", "too_deep", max=limits.json_depth)


def _refuse(key: str, **params: object) -> NoReturn:
    raise Faults([fault("", key, **params)])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Refused(fault("", "duplicate_key"))
    return members


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS and len(digits.lstrip("-")) > MAX_DIGITS:
        raise _Refused(fault("", "number_too_large.json", max=MAX_DIGITS))
    return int(digits)


def _real(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise _Refused(fault("", "non_finite_number.json"))
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _constant(_word: str) -> NoReturn:
    raise _Refused(fault("", "non_finite_number.json"))


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_real, parse_int=_whole, parse_constant=_constant
)


def _deeper(value: Any, *, than: int) -> bool:
    """Whether containers are nested more than `than` deep, level by level so that no stack grows."""
    level = _containers([value])
    for _ in range(than):
        level = _containers(member for container in level for member in _members(container))
        if not level:
            return False
    return True


def _containers(items: Iterable[Any]) -> list[Container]:
    return [item for item in items if type(item) is dict or type(item) is list]


def _members(container: Container) -> Iterable[Any]:
    return container.values() if isinstance(container, dict) else container


def _may_hold_surrogates(text: str, *, from_bytes: bool) -> bool:
    """A text decoded from UTF-8 has none of its own; only escapes can make them."""
    return ("\\u" in text and _SURROGATE_ESCAPE.search(text) is not None) or not (
        from_bytes or text.isascii()
    )


def _holds_surrogates(value: object) -> bool:
    """Whether a string or key has half a surrogate pair: such text has no UTF-8 form."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False
