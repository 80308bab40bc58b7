"""A model within a model is a section of the form; dataclasses and TypedDicts work as well."""

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from askback import AsyncClient


@dataclass
class Address:
    street: str
    country: Literal["DE", "FR"] = "DE"


@dataclass
class Order:
    name: str
    deliver_to: Address
    bill_to: Address | None = None
    notes: list[str] = field(default_factory=list)


async def main() -> None:
    async with AsyncClient() as ask:
        print(await ask.model(Order, thread_id="orders"))


asyncio.run(main())
