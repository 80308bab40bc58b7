"""Try a key before it counts: the person who typed it learns immediately that it is wrong, and types another."""

import asyncio

from askback import AsyncClient, Lease


async def probe(lease: Lease) -> dict[str, str] | None:
    """Call what the key is for; here every key is good that has 16 characters."""
    if len(lease["CRM_KEY"].reveal()) == 16:
        return None
    return {"CRM_KEY": "The CRM does not know this key."}


async def main() -> None:
    async with AsyncClient() as ask:
        secrets = await ask.secrets.request(
            "CRM_KEY", reason="To read contacts.", thread_id="crm", probe=probe
        )
        print(secrets.text)


asyncio.run(main())
