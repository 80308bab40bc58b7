"""A form in steps, with a step and a field that depend on earlier answers."""

import asyncio

from askback import AsyncClient, Condition, Form, Radio, Section, Text

SERVICE = Form(
    title="New service",
    layout="steps",
    submit_label="Set it up",
    sections=[
        Section(
            id="service",
            title="Service",
            fields=[
                Text(id="name", label="Name", required=True),
                Radio(id="store", label="Database", required=True, options=["SQLite", "Postgres"]),
            ],
        ),
        Section(
            id="cluster",
            title="Cluster",
            visible_if=Condition(field="store", is_="Postgres"),
            fields=[
                Radio(id="host", label="Cluster", required=True, options=["main", "reports"]),
                Text(
                    id="reason",
                    label="Why the cluster of the reports?",
                    required=True,
                    visible_if=Condition(field="host", is_="reports"),
                ),
            ],
        ),
    ],
)


async def main() -> None:
    async with AsyncClient() as ask:
        answer = await ask.form(SERVICE, thread_id="platform")
        print(answer.values)


asyncio.run(main())
