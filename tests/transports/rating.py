"""A package that adds a kind of request: a rating with stars."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

from askback.ports.kinds import KindExtension


class Ask(BaseModel):
    """What is asked."""

    model_config = ConfigDict(extra="forbid", strict=True)

    subject: str = Field(min_length=1)
    most: int = 5


class RatingAnswer(BaseModel):
    """The answer."""

    model_config = ConfigDict(extra="forbid", strict=True)

    stars: int


def check(asked: Ask, rating_answer: RatingAnswer) -> dict[str, str]:
    """Refuse an invalid number of stars."""
    if asked.subject == "a bug":
        raise RuntimeError("canary")
    return {} if 0 < rating_answer.stars <= asked.most else {"stars": f"Give 1 to {asked.most} stars."}


rating = KindExtension(
    "rating",
    Ask,
    RatingAnswer,
    summary=lambda asked: f"Rate {asked.subject}",
    text=lambda asked, given: f"The person gave {asked.subject} {given.stars} of {asked.most} stars.",
    check=check,
    element="/acme/rating.js",
)
