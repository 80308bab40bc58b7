"""The type that a body travels in while nobody has looked into it, because there may be a secret in it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar, final

_T = TypeVar("_T")

PLACEHOLDER = "Unread(…)"


@final
class Unread:
    """The bytes of a body, which are not shown; `read` is the only way to them.

    A tool that reports an error with the variables of each function it went through finds this, and nothing in it.
    """

    __slots__ = ("_reveal",)

    def __init__(self, body: bytes) -> None:
        # In a closure rather than an attribute, as in `Secret`.
        self._reveal = lambda: body

    def read(self, reader: Callable[[bytes], _T]) -> _T:
        """Return what `reader` makes of the bytes.

        What it raises comes through with nothing left in the functions that were reading: they had values in their
        variables. That the exception itself holds none is up to them.
        """
        try:
            return reader(self._reveal())
        except Exception as refused:
            _forget(refused)
            raise

    def __repr__(self) -> str:
        return PLACEHOLDER

    def __getstate__(self) -> NoReturn:
        raise TypeError("A body that was not read is not copied or pickled; read() is the only way to it.")


def _forget(error: BaseException | None) -> None:
    """Empty the variables of every function that an exception, and those behind it, came through."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__context__
