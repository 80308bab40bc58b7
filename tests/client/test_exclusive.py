"""Questions with an exclusive key, of which at most one is open."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest

from askback import AsyncClient, Cancelled, Conflict, Form, Text

pytestmark = pytest.mark.anyio

PLAN = Form(title="Plan", fields=[Text(id="plan", label="Plan", required=True)])


async def test_a_newer_question_supersedes_one_with_the_same_key(agent: AsyncClient, thread: str) -> None:
    ends: list[str | None] = []

    async def ask() -> None:
        with pytest.raises(Cancelled) as exc_info:
            await agent.form(PLAN, thread_id=thread, exclusive_key="plan")
        ends.append(exc_info.value.request.reason)

    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            while not len(await agent.requests.list(thread_id=thread)):
                await anyio.lowlevel.checkpoint()
            await agent.requests.create(PLAN, thread_id=thread, exclusive_key="plan")
    assert ends == ["superseded"]
    with pytest.raises(Conflict) as exc_info:
        await agent.requests.create(PLAN, thread_id=thread, exclusive_key="plan", on_conflict="reject")
    assert exc_info.value.code == "exclusive"
