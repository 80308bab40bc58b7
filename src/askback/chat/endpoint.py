"""The chat completions API of OpenAI, which many servers of models speak: one streamed reply."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import httpx2

from askback.chat.keys import hide_keys
from askback.domain.markdown import code_span
from askback.errors import AskbackError

_TIMEOUT = httpx2.Timeout(10, read=300)
_MAX_ERROR_CHARACTERS = 300
_MAX_LINE_BYTES = 8 * 1024 * 1024
"""The longest line of a reply, which is held in memory; a line has one piece of the text or of a tool call."""
_NO_NAME = "unknown"
_COMPLETE = "stop"
_CUT_REASONS = ("length", "content_filter")
"""The reasons for which a reply ends before the model has finished it."""
HTTP_OK = 200


class ModelError(AskbackError):
    """The model's endpoint could not be reached, or refused the request; the message, Markdown, says why."""


@dataclass(slots=True)
class ModelCall:
    """A tool call of a reply. `arguments` should be JSON. The id is made here: some providers' ids repeat."""

    name: str = ""
    arguments: str = ""
    id: str = field(default_factory=lambda: f"call_{secrets.token_hex(12)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An endpoint below `base_url`, such as `http://localhost:11434/v1`, and the model to use there."""

    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)

    async def reply(
        self,
        messages: Sequence[Any],
        tools: Sequence[Any],
        write: Callable[[str], Awaitable[None]],
    ) -> Sequence[ModelCall]:
        """Pass each piece of the next reply's text to `write`, and return its tool calls. Raises `ModelError`."""
        body = {"model": self.model, "messages": messages, "tools": tools, "stream": True}
        calls = dict[int, ModelCall]()
        async for delta in self._deltas(body):
            if text := _text(delta.get("content")):
                await write(text)
            for call_delta in _objects(delta.get("tool_calls")):
                index = call_delta.get("index")
                call = calls.setdefault(index if isinstance(index, int) else len(calls), ModelCall())
                for function in _objects([call_delta.get("function")]):
                    call.name += _text(function.get("name"))
                    call.arguments += _text(function.get("arguments"))
        for call in calls.values():
            call.name = call.name or _NO_NAME
        return list(calls.values())

    async def _deltas(self, body: Any) -> AsyncIterator[dict[str, Any]]:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        url = f"{self.base_url.rstrip('/')}/chat/completions"
        address = self._quote(re.sub(r"//[^/]*@", "//", url))
        try:
            async with (
                httpx2.AsyncClient(timeout=_TIMEOUT, trust_env=True) as client,
                client.stream("POST", url, json=body, headers=headers) as response,
            ):
                if response.status_code != HTTP_OK:
                    error_text = self._quote(await _read_start(response))
                    raise ModelError(f"{address} replied {response.status_code}: {error_text}")
                ending: object = None
                async for line in _lines(response, address):
                    name, _, data = line.partition(":")
                    if name != "data":
                        continue
                    if data.strip() == "[DONE]":
                        ending = ending or _COMPLETE
                        continue
                    for chunk in _objects([json.loads(data)]):
                        if error := chunk.get("error"):
                            raise ModelError(f"{address} ended the reply: {self._quote(str(error))}")
                        for choice in _objects(chunk.get("choices")):
                            ending = choice.get("finish_reason") or ending
                            for delta in _objects([choice.get("delta")]):
                                yield delta
                if ending is None or ending in _CUT_REASONS:
                    raise ModelError(f"{address} ended the reply too early: {ending or 'its end is missing'}")
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, RecursionError) as failed:
            reason = self._quote(str(failed) or type(failed).__name__)
            raise ModelError(f"{address} could not be used: {reason}") from failed

    def _quote(self, text: str) -> str:
        """Return a text of the endpoint as code, without the key, which it may repeat."""
        return code_span(_text(hide_keys(text, self.key))[:_MAX_ERROR_CHARACTERS])


async def _lines(response: httpx2.Response, address: str) -> AsyncIterator[str]:
    """Yield the lines of a reply. Raises `ModelError` for one that is too long."""
    line = bytearray()
    async for part in response.aiter_bytes():
        *ends, rest = part.split(b"\n")
        for end in (*ends, None):
            line += rest if end is None else end
            if len(line) > _MAX_LINE_BYTES:
                raise ModelError(
                    f"{address} sent a line of more than {_MAX_LINE_BYTES:,} bytes. Is it an API for models?"
                )
            if end is not None:
                yield line.removesuffix(b"\r").decode()
                line.clear()
    yield line.decode()


async def _read_start(response: httpx2.Response) -> str:
    """Return the beginning of a reply, which may be without end."""
    start = bytearray()
    async for part in response.aiter_bytes():
        start += part
        if len(start) >= _MAX_ERROR_CHARACTERS:
            break
    return start.decode(errors="replace")


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list; anything else from an endpoint is ignored."""
    if isinstance(value, list):
        yield from (item for item in cast("list[Any]", value) if isinstance(item, dict))


def _text(value: Any) -> str:
    """Return a text that can be stored, empty for anything else."""
    return value.encode(errors="replace").decode().replace("\0", "\ufffd") if isinstance(value, str) else ""
