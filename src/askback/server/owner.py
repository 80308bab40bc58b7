"""The person of a data folder: one person at the terminal and in every browser, unless a login names another."""

from __future__ import annotations

from collections.abc import Mapping

from askback.service.access.tokens import token_id_of

OWNER = "owner"
"""The person's name."""


def owner_id(server: Mapping[str, str]) -> str | None:
    """Return the person's id, from the content of `server.json`; None without a responder's token.

    It is the id of that token, so that what the token already has in an older database belongs to the person.
    """
    token = server.get("responder_token")
    return None if token is None else token_id_of(token)
