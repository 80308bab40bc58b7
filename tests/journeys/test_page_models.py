"""A nested model is asked for on a page, and returned as an instance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import anyio
import pytest

from askback import AsyncClient
from tests.journeys.browser import OpenScreen, place_of
from tests.requirements import requirement

pytestmark = [pytest.mark.anyio, pytest.mark.e2e]


@dataclass
class Address:
    street: str
    level: Literal[1, 2] = 1


@dataclass
class Order:
    name: str
    home: Address
    work: Address | None = None
    tags: list[str] | None = None


@requirement("F31")
async def test_a_nested_dataclass_is_answered_in_sections(
    screen: OpenScreen, agent: AsyncClient, thread: str
) -> None:
    findings: list[Any] = []

    async def ask() -> None:
        findings.append(await agent.model(Order, thread_id=thread))

    eva = await screen(place_of(thread))
    with anyio.fail_after(120):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask)
            await eva.card.get_by_label("Name").fill("Ada")
            await eva.card.get_by_label("Street").first.fill("Main St 1")
            await eva.card.locator("select").first.select_option(label="2")
            await eva.card.get_by_label("Tags").fill("a\nb")
            assert await eva.violations() == []
            await eva.button("Submit").click()
    assert findings == [Order("Ada", Address("Main St 1", 2), None, ["a", "b"])]
