"""Post messages to conversations, and read how the application lists and shows them."""

from __future__ import annotations

from typing import Any

from playwright.async_api import Locator

from tests.journeys.browser import Screen, form
from tests.journeys.people import Person, request_of

MARKDOWN = """Plan with **care**:

| File | Lines |
|---|---|
| `a.py` | 12 |

```python
def main() -> None:  # hello
    print("x")
```

[Docs](https://example.org) <img src=x onerror=alert(1)>
"""


def rows(shown_screen: Screen) -> Locator:
    """The conversations in the list."""
    return shown_screen.page.locator("askback-place-conversations .row")


def titles(shown_screen: Screen) -> Locator:
    """The titles of the conversations in the list."""
    return rows(shown_screen).locator(".t")


def message_texts(shown_screen: Screen) -> Locator:
    """The texts in the open conversation."""
    return shown_screen.page.locator("askback-thread .text")


def text(words: str) -> dict[str, Any]:
    """A part of a message."""
    return {"type": "text", "text": words}


def tool(name: str, call: str, **extra: Any) -> dict[str, Any]:
    """A tool call as a part of a message."""
    return {"type": "tool", "tool_call_id": call, "name": name, **extra}


async def say(person: Person, thread: str, *content: dict[str, Any], **extra: Any) -> str:
    """Write a message and return its id."""
    body = {"content": list(content), **extra}
    reply = await person.http.post(f"/v1/threads/{thread}/messages", json=body)
    assert reply.status_code == 201, reply.text
    return reply.json()["id"]


async def call(person: Person, thread: str, title: str) -> None:
    """Give a conversation its title."""
    reply = await person.http.patch(f"/v1/threads/{thread}", json={"title": title})
    assert reply.status_code == 200, reply.text


async def ask(person: Person, thread: str, title: str, **extra: Any) -> str:
    """Create a request, and return its id."""
    return request_of(await person.ask(thread, form({"type": "text"}, title=title), **extra))["id"]
