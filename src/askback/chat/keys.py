"""The API keys of a chat, which no error text in the conversation may contain."""

from __future__ import annotations

import os

_VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN")
_MIN_CHARACTERS = 6
"""Shorter ones, such as the `none` of a local server, are no secrets, and may be part of any word."""
_HIDDEN = "[API key]"


def hide_keys(text: str, key: str | None = None) -> str:
    """Replace a key, and those of the environment, in a text."""
    for value in (key, *map(os.environ.get, _VARIABLES)):
        if value and len(value) >= _MIN_CHARACTERS:
            text = text.replace(value, _HIDDEN)
    return text
