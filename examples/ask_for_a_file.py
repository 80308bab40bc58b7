"""Ask for a file, and read what the person uploaded."""

import asyncio

from askback import AsyncClient, File, Form

INVOICE = Form(
    title="Which invoice should I book?",
    fields=[File(id="invoice", label="Invoice", required=True, accept=["application/pdf", ".csv"])],
)


async def main() -> None:
    async with AsyncClient(thread_id="books") as ask:
        answer = await ask.form(INVOICE)
        content = await ask.files.read(answer.values["invoice"])
        print(f"Booking an invoice of {len(content)} bytes.")


asyncio.run(main())
