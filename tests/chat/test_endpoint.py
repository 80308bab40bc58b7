"""What is read of the reply of a model's endpoint."""

from __future__ import annotations

import json
import re

import pytest

from askback.chat.endpoint import Endpoint, ModelError
from tests.chat.fake_endpoint import FakeEndpoint, raw

pytestmark = pytest.mark.anyio

LIMIT = 8 * 1024 * 1024


async def text_of(endpoint: FakeEndpoint, delta: str) -> str:
    """Return the text that is read of a reply with one delta."""
    chunk = {"choices": [{"delta": {"content": delta}}]}
    endpoint.play("Hello", [raw(json.dumps(chunk, ensure_ascii=False))])
    pieces: list[str] = []

    async def write(piece: str) -> None:
        pieces.append(piece)

    await Endpoint(base_url=endpoint.url, model="fake").reply(
        [{"role": "user", "content": "Hello"}], [], write
    )
    return "".join(pieces)


async def test_a_line_that_is_too_long_ends_the_reply(endpoint: FakeEndpoint) -> None:
    with pytest.raises(ModelError, match=re.escape(f"sent a line of more than {LIMIT:,} bytes")):
        await text_of(endpoint, "x" * LIMIT)
    assert await text_of(endpoint, "x" * (LIMIT - 100)) == "x" * (LIMIT - 100)


async def test_only_a_line_feed_ends_a_line(endpoint: FakeEndpoint) -> None:
    assert await text_of(endpoint, "one\u2028two\x85") == "one\u2028two\x85"
