"""The open requests of a caller, as every projection shows them to a page that connects."""

from __future__ import annotations

from askback.compat.system import Api, Json
from askback.domain.lifecycle import Status

MAX_PAGE = 200


async def open_requests(api: Api, **filters: object) -> list[Json]:
    """Return the pending requests, oldest first, without those that wait in line."""
    found, more = list[Json](), {}
    while True:
        page = await api.call("list_requests", status=[Status.PENDING], limit=MAX_PAGE, **filters, **more)
        found += page["requests"]
        if page["next_cursor"] is None:
            return [each for each in reversed(found) if not each.get("queued_behind")]
        more = {"cursor": page["next_cursor"]}
