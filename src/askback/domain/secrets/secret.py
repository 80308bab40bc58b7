"""Wrap values so that they are never shown by accident: `Secret` for a value, `RawBody` for a body with values."""

from __future__ import annotations

import hmac
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar, final

_T = TypeVar("_T")

PLACEHOLDER = "Secret(…)"
"""The placeholder for a value."""

_NOT_COPYABLE = "A secret is not copied, pickled or serialised; reveal() is the only way to its value."


@final
class Secret:
    """Text that is not shown; `reveal()` is the only way to it.

    Operations that may run while an error is handled (repr, str, format, logging, a traceback with its
    locals) show a placeholder and never raise: the report of a failure must not fail itself. Operations that
    would copy the value (copy, deepcopy, pickle, `dataclasses.asdict`, JSON of any kind) raise `TypeError`,
    so that the mistake is found where it was made. It is not a `str`: it cannot be joined, sliced, measured
    or encoded by accident.

    This stops mistakes, not code that wants the value: any code in the process can find it. Nor is it wiped
    from memory: Python copies text internally and cannot overwrite it.
    """

    __slots__ = ("_reveal",)

    def __init__(self, value: str) -> None:
        """Hold a value; raises `ValueError` for half a surrogate pair, which no file or process can receive."""
        if not _has_utf8_form(value):
            raise ValueError("A secret must be text that has a UTF-8 form.")
        # In a closure rather than an attribute: reports and serialisers that walk over attributes find a function.
        self._reveal = lambda: value

    def reveal(self) -> str:
        """Return the value. The caller is responsible for it."""
        return self._reveal()

    def __repr__(self) -> str:
        return PLACEHOLDER

    def __format__(self, spec: str) -> str:
        return PLACEHOLDER

    def __eq__(self, other: object) -> bool:
        """Compare with another secret in a time that reveals at most the lengths; any other value is unequal."""
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self.reveal().encode(), other.reveal().encode())

    # In a set or as a key it would be compared in a time that reveals more.
    __hash__ = None  # pyright: ignore[reportAssignmentType] - this is how Python spells it

    def __getstate__(self) -> NoReturn:
        # Copying and every pickle protocol ask for the state first; by default they would get the slots.
        raise TypeError(_NOT_COPYABLE)


def _has_utf8_form(value: str) -> bool:
    # The exception of a failed encoding carries the text, so it ends here and is not raised from.
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


@final
class RawBody:
    """The bytes of a request body that nobody has read yet; `read` is the only way to them.

    An error report that includes the local variables of each function shows a placeholder.
    """

    __slots__ = ("_reveal",)

    def __init__(self, body: bytes) -> None:
        # In a closure rather than an attribute, as in `Secret`.
        self._reveal = lambda: body

    def read(self, reader: Callable[[bytes], _T]) -> _T:
        """Return the result of `reader` for the bytes.

        If `reader` raises, the local variables in its traceback are cleared, because they held values. `reader` must
        not put a value into the exception itself.
        """
        try:
            return reader(self._reveal())
        except Exception as error:
            _forget(error)
            raise

    def __repr__(self) -> str:
        return "RawBody(…)"

    def __getstate__(self) -> NoReturn:
        raise TypeError("A raw body cannot be copied or pickled; read() is the only way to its bytes.")


def _forget(error: BaseException | None) -> None:
    """Clear the local variables in the tracebacks of an exception and its causes."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__context__
