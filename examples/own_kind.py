"""A server with its own kind: a rating. A package does the same with the entry point `askback.kinds`."""

from pydantic import BaseModel

from askback.app import create_app
from askback.ports.kinds import KindExtension


class Asked(BaseModel):
    subject: str


class Given(BaseModel):
    stars: int


def check(asked: Asked, given: Given) -> dict[str, str]:
    """Return what is wrong with an answer, by its path."""
    return {} if 1 <= given.stars <= 5 else {"stars": f"Give {asked.subject} 1 to 5 stars."}


rating = KindExtension(
    "rating",
    Asked,
    Given,
    summary=lambda asked: f"Rate {asked.subject}",
    text=lambda asked, given: f"The person gave {asked.subject} {given.stars} of 5 stars.",
    check=check,
    element="/acme/rating.js",
)

app = create_app(kinds=[rating])
