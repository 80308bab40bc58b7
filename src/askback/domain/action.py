"""Actions: a person is sent somewhere (to connect an account, to install something) and reports the outcome.

Source: requirement A21 (action cards) and E24 (OAuth connect).
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from askback.domain.model import Model
from askback.messages.languages import LocalText

ActionOutcome = Literal["done", "failed"]


class ActionAsk(Model):
    """An action for a person. `description` is Markdown; `label` is the text of the link or button.

    `url` is a web URL or `mailto:` and opens in a new tab. `provider` is an OAuth provider of the server
    instead: the person connects an account there, with these `scopes` or those of the settings, and the tokens become
    secrets of the thread, named `secret` and `secret` with `_REFRESH`. With neither, the text says what to do.
    """

    title: LocalText
    description: LocalText | None = None
    label: LocalText | None = None
    url: str | None = None
    provider: str | None = None
    scopes: list[str] | None = None
    secret: str | None = None


class ShownAction(BaseModel):
    """An action for display; `host` is the destination of its link or provider."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    title: LocalText
    description: LocalText | None = None
    label: LocalText | None = None
    url: str | None = None
    provider: str | None = None
    scopes: list[str] | None = None
    secret: str | None = None
    host: str | None = None

    @property
    def texts(self) -> dict[str, LocalText | None]:
        """The texts of the agent, by name."""
        return {"title": self.title, "description": self.description, "label": self.label}


class OutcomeBody(Model):
    """`POST /v1/requests/{id}/outcome`: the outcome of an action, reported by the agent that asked.

    A `reason` says why it failed. With `retry` a failure leaves the request open, so that the person can try again.
    """

    outcome: ActionOutcome
    reason: str | None = None
    retry: bool = False


class ActionAnswerBody(OutcomeBody):
    """`POST /v1/requests/{id}/answer` for an action: the revision that the person saw, and the outcome.

    `languages` are those of the person, the preferred one first.
    """

    revision: int
    languages: list[str] | None = None
