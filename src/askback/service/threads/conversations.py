"""List and search conversations, sorted by last activity.

A page reads at most `WINDOW` conversations, a search `SEARCHED_PAGE` with their newest `MESSAGES` messages, and
then returns a cursor, so its cost does not depend on their number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from askback.domain.access import AccessLevel
from askback.domain.markdown import plain_line
from askback.domain.record import Record
from askback.domain.titles import plain_text
from askback.domain.values import frozen
from askback.ports.conversations import ActiveThread, PlacedRequest, StoredMessage
from askback.ports.store import Principal
from askback.ports.threads import ThreadDetails
from askback.service.access import roles, sharing
from askback.service.context import Services

WINDOW = 200
SEARCHED_PAGE = 50
MESSAGES = 50
_LINE = 200
"""The length of the line that shows a message; Markdown is parsed a little further."""


@frozen(slots=True)
class Conversation:
    """A thread with its last activity: its newest message, and its newest request if that is newer."""

    details: ThreadDetails
    message: dict[str, Any] | None
    request: Record | None


async def list_conversations(
    ctx: Services,
    principal: Principal,
    *,
    q: str | None = None,
    archived: bool = False,
    limit: int = 50,
    cursor: str | None = None,
) -> tuple[Sequence[Conversation], str | None]:
    """Return conversations, and the cursor of the next page or None at the end.

    Each text of `q` has to be in the title, the id or the newest messages. A page can have fewer
    conversations than `limit`, even none.
    """
    await roles.require(ctx, principal, "list_conversations")
    size = max(1, min(limit, ctx.limits.page))
    words = plain_text(q or "").split()
    window = SEARCHED_PAGE if words else WINDOW
    rows = await ctx.store.active_threads(
        principal.tenant,
        person=sharing.person_filter(principal),
        before=None if cursor is None else int(cursor),
        limit=window,
    )
    matching = [
        row for row in rows if (row.details.archived_at is not None) is archived and _may_view(principal, row)
    ]
    messages: Mapping[str, Sequence[StoredMessage]] = {}
    if words:
        messages = await ctx.store.latest_messages(principal.tenant, _ids(matching), limit=MESSAGES)
        matching = [
            row for row in matching if _contains(row.details, messages.get(row.details.id, ()), words)
        ]
    visible = matching[:size]
    if not words:
        messages = await ctx.store.latest_messages(principal.tenant, _ids(visible))
    requests = await ctx.store.latest_requests(principal.tenant, _ids(visible))
    last_row = visible[-1] if len(matching) > size else rows[-1] if len(rows) == window else None
    page = [_conversation(principal, row.details, messages, requests) for row in visible]
    return page, None if last_row is None else f"{last_row.position}"


def _may_view(principal: Principal, row: ActiveThread) -> bool:
    return sharing.level(principal, row.details.access, row.details.id) >= AccessLevel.VIEW


def _ids(rows: Sequence[ActiveThread]) -> Sequence[str]:
    return [row.details.id for row in rows]


def _contains(thread: ThreadDetails, messages: Sequence[StoredMessage], words: Sequence[str]) -> bool:
    texts = [thread.title or "", thread.id]
    texts += [text for message in messages for text in _texts(json.loads(message.data))]
    content = plain_text("\n".join(texts))
    return all(word in content for word in words)


def _texts(message: Mapping[str, Any]) -> Sequence[str]:
    return [part["text"] for part in message["content"] if part["type"] == "text"]


def _conversation(
    principal: Principal,
    details: ThreadDetails,
    messages: Mapping[str, Sequence[StoredMessage]],
    requests: Mapping[str, PlacedRequest],
) -> Conversation:
    newest, placed_request = messages.get(details.id, ())[-1:], requests.get(details.id)
    is_last = placed_request is not None and not (newest and newest[0].seq > placed_request.seq)
    request = (
        sharing.visible_to(principal, placed_request.record)
        if placed_request is not None and is_last
        else None
    )
    return Conversation(details, _summary_line(json.loads(newest[0].data)) if newest else None, request)


def _summary_line(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the author of a message and one line of it: its last text, or a label for its parts."""
    texts = [text for text in _texts(message) if text.strip()]
    line = plain_line(texts[-1].strip()[: 2 * _LINE]) if texts else ", ".join(_names(message))
    author: Mapping[str, Any] | None = message.get("agent") or message.get("author")
    return {
        "role": message["role"],
        "name": None if author is None else author.get("name"),
        "at": message["at"],
        "text": " ".join(line.split())[:_LINE],
    }


def _names(message: Mapping[str, Any]) -> Sequence[str]:
    """Return the label for a message without text, from its parts."""
    parts: Sequence[Mapping[str, Any]] = message["content"]
    names = [part.get("name") or part.get("alt") or part.get("file", {}).get("name") for part in parts]
    return [name for name in names if name]
