"""A JSON Schema becomes a form, and the answer becomes a value that fits the schema."""

import asyncio

from askback import AsyncClient

BOOKING = {
    "title": "Book a room",
    "type": "object",
    "properties": {
        "size": {"oneOf": [{"const": "s", "title": "For two"}, {"const": "l", "title": "For six"}]},
        "day": {"type": "string", "format": "date"},
        "guests": {"type": "array", "items": {"type": "string", "format": "email"}, "maxItems": 6},
        "catering": {
            "type": "object",
            "properties": {
                "meals": {"type": "integer", "minimum": 1, "maximum": 6},
                "note": {"type": "string", "ui:widget": "textarea"},
            },
            "required": ["meals"],
        },
    },
    "required": ["size", "day"],
}


async def main() -> None:
    async with AsyncClient() as ask:
        print(await ask.model(BOOKING, thread_id="rooms"))


asyncio.run(main())
