"""Who did something, as a request shows it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Actor(BaseModel):
    """The token or session behind an action: its id and display name; `user` is the host's own id of the person."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    name: str
    user: str | None = None
