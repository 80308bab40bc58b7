"""Any Pydantic model becomes a form and comes back as itself."""

import asyncio
from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from askback import AsyncClient


class Trip(BaseModel):
    """Where to, when and how."""

    city: Annotated[str, Field(title="City", min_length=2, max_length=60)]
    leaves: Annotated[date, Field(title="Day of departure")]
    nights: Annotated[int, Field(title="Nights", ge=1, le=30)] = 3
    by: Annotated[Literal["train", "bus"], Field(title="How?")] = "train"


async def main() -> None:
    async with AsyncClient() as ask:
        trip = await ask.model(Trip, thread_id="travel")
        print(f"{trip.nights} nights in {trip.city} from {trip.leaves:%d %B %Y}, by {trip.by}.")


asyncio.run(main())
