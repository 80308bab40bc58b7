# pyright: strict, reportUnnecessaryTypeIgnoreComment=true
"""Calls that a type checker accepts and, on the lines with a comment, has to refuse; `make types` reads this file."""

from typing import assert_type

from askback import AsyncClient, Client


async def asynchronous(ask: AsyncClient) -> None:
    assert_type(await ask.ask("Which city?", thread_id="t", timeout_s=3, idempotency_key="k"), str)
    assert_type(await ask.confirm("Sure?", thread_id="t", assignees=["ada"]), bool)
    await ask.ask("Which city?", thread_id="t", timout_s=3)  # pyright: ignore[reportCallIssue]
    await ask.confirm("Sure?", thread_id="t", timeout="soon")  # pyright: ignore[reportCallIssue]
    await ask.model(dict, thread_id="t")  # pyright: ignore[reportArgumentType]


def blocking(ask: Client) -> None:
    assert_type(ask.ask("Which city?", ["Rome", "Oslo"], thread_id="t"), str)
    ask.confirm("Sure?", thread_id="t", timeout_s="soon")  # pyright: ignore[reportArgumentType]
