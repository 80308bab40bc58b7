"""A kind of request that a package adds, by an entry point of the group `askback.kinds` or `create_app(kinds=…)`.

    class Ask(BaseModel):
        subject: str

    class Given(BaseModel):
        stars: int = Field(ge=1, le=5)

    rating_kind = KindExtension(
        "rating", Topic, Rating,
        summary=lambda topic: f"Rate {topic.subject}",
        text=lambda topic, rating: f"The person gave {topic.subject} {rating.stars} of 5 stars.",
        element="/acme/rating.js",
    )

A request of it is `{"kind": "rating", "data": {…}}` and its answer `{"revision", "data": {…}}`; both models check them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from askback.domain.kinds import KINDS
from askback.domain.values import frozen

NAME = re.compile(r"[a-z][a-z0-9_-]{0,62}[a-z0-9]")


def _accept_all(_data: Any, _answer: Any) -> Mapping[str, str]:
    return {}


@frozen(slots=True)
class KindExtension:
    """One kind of a package.

    `summary` returns the question in one line, and `text` the sentence about an answer for a model. `check` returns
    messages by path of the answer's data (`stars`, or empty for all of it). `element` is the path of a JavaScript
    module on the server's own origin, whose default export is a custom element: see docs/how-to/add-a-kind.md.
    """

    name: str
    ask: type[BaseModel]
    answer: type[BaseModel]
    summary: Callable[[Any], str]
    text: Callable[[Any, Any], str]
    check: Callable[[Any, Any], Mapping[str, str]] = _accept_all
    element: str | None = None

    def __post_init__(self) -> None:
        """Raise `ValueError` for an invalid name, and for an element of another origin."""
        if not NAME.fullmatch(self.name) or self.name in KINDS:
            raise ValueError(
                f"{self.name!r} cannot be a kind: use 2 to 64 lower-case letters, digits, - and _, "
                f"and none of {', '.join(KINDS)}."
            )
        if self.element is not None and not re.fullmatch(r"/(?!/)[!-\[\]-~]*", self.element):
            raise ValueError("An element is a path of the server itself, such as /acme/rating.js.")
