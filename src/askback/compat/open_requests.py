"""The requests of a caller, as every projection lists them."""

from __future__ import annotations

from askback.compat.system import Api, Json
from askback.domain.lifecycle import Status

MAX_PAGE = 200


async def all_requests(api: Api, **filters: object) -> list[Json]:
    """Return the requests that the caller may see, oldest first."""
    found, more = list[Json](), {}
    while True:
        page = await api.call("list_requests", limit=MAX_PAGE, **filters, **more)
        found += page["requests"]
        if page["next_cursor"] is None:
            return found[::-1]
        more = {"cursor": page["next_cursor"]}


async def open_requests(api: Api, **filters: object) -> list[Json]:
    """Return those that are pending, without those that wait in line."""
    pending = await all_requests(api, status=[Status.PENDING], **filters)
    return [each for each in pending if not each.get("queued_behind")]
