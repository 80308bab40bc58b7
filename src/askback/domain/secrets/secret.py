"""Values that are never shown by accident: `Secret` for one value, `RawBody` for a request body that may hold some."""

from __future__ import annotations

import hmac
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar, final

_T = TypeVar("_T")

PLACEHOLDER = "Secret(…)"
"""What is shown wherever the value might have been."""

_KEPT = "A secret is not copied, pickled or serialised; reveal() is the only way to its value."


@final
class Secret:
    """Text that is not shown; `reveal()` is the only way to it.

    What may run while an error is handled (repr, str, format, logging, a traceback with its locals) shows a
    placeholder and never raises: the report of a failure must not fail itself. What would carry the value away
    (copy, deepcopy, pickle, `dataclasses.asdict`, JSON of any kind) raises `TypeError`, so that the mistake is found
    where it was made. It is no `str`: it cannot be joined, sliced, measured or encoded by accident.

    This stops mistakes, not code that wants the value: whatever runs in the process can find it. Nor is it wiped
    from memory: Python copies text as it likes and has no way to overwrite it.
    """

    __slots__ = ("_reveal",)

    def __init__(self, value: str) -> None:
        """Hold a value; raises `ValueError` for half a surrogate pair, which no file or process could be given."""
        if not _has_utf8_form(value):
            raise ValueError("A secret must be text that has a UTF-8 form.")
        # In a closure rather than an attribute: reports and serialisers that walk over attributes find a function.
        self._reveal = lambda: value

    def reveal(self) -> str:
        """Return the value. Whoever calls this answers for where it goes."""
        return self._reveal()

    def __repr__(self) -> str:
        return PLACEHOLDER

    def __format__(self, spec: str) -> str:
        return PLACEHOLDER

    def __eq__(self, other: object) -> bool:
        """Compare with another secret in a time that tells at most the lengths; anything else is unequal."""
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(self.reveal().encode(), other.reveal().encode())

    # In a set or as a key it would be compared in a time that tells more.
    __hash__ = None  # pyright: ignore[reportAssignmentType] - this is how Python spells it

    def __getstate__(self) -> NoReturn:
        # Copying and every pickle protocol ask for the state first; by default they would be handed the slots.
        raise TypeError(_KEPT)


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
        """Return what `reader` makes of the bytes.

        If `reader` raises, the local variables in its traceback are cleared, because they held values. `reader` must
        not put a value into the exception itself.
        """
        try:
            return reader(self._reveal())
        except Exception as refused:
            _forget(refused)
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
