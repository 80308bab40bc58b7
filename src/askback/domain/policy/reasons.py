"""The reasons of a decision: a code with parameters, for every language, and its English sentence."""

from __future__ import annotations

from types import MappingProxyType
from typing import Self

from askback.messages import TranslatableText


class Reason(TranslatableText):
    """An English sentence that keeps the code and the parameters it was made from.

    `reason.<code>` in the catalogue is its text; a parameter may be a reason itself.
    """

    __slots__ = ("code",)
    code: str

    def __new__(cls, code: str, **params: str) -> Self:
        """Fill in the English text of `reason.<code>`."""
        reason = super().__new__(cls, f"reason.{code}", MappingProxyType(params))
        reason.code = code
        return reason
