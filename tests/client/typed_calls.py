# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Calls that a type checker accepts and, on the lines with a comment, has to refuse; `make types` reads this file."""

from dataclasses import dataclass
from typing import Any, assert_type

from askback import AsyncClient, Client, InputRequest, Lease, Page, Rule


@dataclass
class Trip:
    city: str


async def asynchronous(ask: AsyncClient) -> None:
    assert_type(await ask.ask("Which city?", thread_id="t", timeout_s=3, idempotency_key="k"), str)
    assert_type(await ask.confirm("Sure?", thread_id="t", assignees=["ada"]), bool)
    await ask.ask("Which city?", thread_id="t", timout_s=3)  # pyright: ignore[reportCallIssue]
    await ask.confirm("Sure?", thread_id="t", timeout="soon")  # pyright: ignore[reportCallIssue]
    assert_type(await ask.model(Trip, thread_id="t"), Trip)
    assert_type(await ask.model({"type": "object"}, thread_id="t"), dict[str, Any])
    await ask.model("Trip", thread_id="t")  # pyright: ignore[reportArgumentType]
    assert_type(await ask.rules.list(limit=3), Page[Rule])
    await ask.rules.list(limt=3)  # pyright: ignore[reportCallIssue]
    await ask.secrets.request("A_KEY", reason={"en": "To look", "de": "Zum Nachsehen"}, thread_id="t")
    async with ask.secrets.lease("A_KEY", thread_id="t") as lease:
        assert_type(lease, Lease)


def blocking(ask: Client) -> None:
    assert_type(ask.ask("Which city?", ["Rome", "Oslo"], thread_id="t"), str)
    ask.confirm("Sure?", thread_id="t", timeout_s="soon")  # pyright: ignore[reportArgumentType]
    assert_type(ask.rules.list(limit=3), Page[Rule])
    ask.rules.list(limt=3)  # pyright: ignore[reportCallIssue]
    assert_type(ask.model(Trip, thread_id="t"), Trip)
    assert_type(ask.requests.get("req_1"), InputRequest)
    with ask.secrets.lease("A_KEY", thread_id="t") as lease:
        assert_type(lease, Lease)
