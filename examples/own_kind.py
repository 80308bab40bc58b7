"""A server with its own kind: a rating. A package does the same with the entry point `askback.kinds`."""

from pydantic import BaseModel

from askback.app import create_app
from askback.ports.kinds import KindExtension


class Topic(BaseModel):
    subject: str


class Rating(BaseModel):
    stars: int


def check(topic: Topic, rating: Rating) -> dict[str, str]:
    """Return what is wrong with an answer, by its path."""
    return {} if 1 <= rating.stars <= 5 else {"stars": f"Give {topic.subject} 1 to 5 stars."}


rating_kind = KindExtension(
    "rating",
    Topic,
    Rating,
    summary=lambda topic: f"Rate {topic.subject}",
    text=lambda topic, rating: f"The person gave {topic.subject} {rating.stars} of 5 stars.",
    check=check,
    element="/acme/rating.js",
)

app = create_app(kinds=[rating_kind])
