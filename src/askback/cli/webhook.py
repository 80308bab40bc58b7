"""`askback webhook`: manage webhooks and their deliveries."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, cast

import typer

from askback.cli.local import client_as
from askback.cli.options import DataDir, report_empty
from askback.cli.terminal import printable
from askback.client import Attempt, Delivery, NewWebhook, Webhook
from askback.domain.questiontext import escape_hidden
from askback.domain.webhooks import EVENTS, RESUME, WebhookEvent

app = typer.Typer(add_completion=False, no_args_is_help=True)

WebhookId = Annotated[str, typer.Argument(help="The id (whk_…).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print each as a line of JSON.")]


@app.callback()
def webhook() -> None:
    """Manage webhooks."""


@app.command()
def add(
    url: Annotated[str, typer.Argument(help="The URL (https://…).")],
    event: Annotated[
        list[str] | None,
        typer.Option(help=f"An event to send, repeatable: {', '.join(EVENTS)}. Default: {RESUME}."),
    ] = None,
    requester: Annotated[str | None, typer.Option(help="Only requests of this requester, by id.")] = None,
    data_dir: DataDir = None,
) -> None:
    """Add a webhook and print its signing secret. The secret is shown once."""
    events = event or [RESUME]
    if unknown_events := set(events) - set(EVENTS):
        raise typer.BadParameter(f"unknown: {', '.join(sorted(unknown_events))}", param_hint="--event")

    async def make() -> NewWebhook:
        async with client_as("admin", data_dir=data_dir, creates=True) as client:
            return await client.webhooks.create(
                url, events=cast("list[WebhookEvent]", events), requester=requester
            )

    new_webhook = asyncio.run(make())
    print(f"{new_webhook.id}\n{new_webhook.secret.reveal()}")


@app.command(name="list")
def list_(as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the webhooks, oldest first."""

    async def read() -> Sequence[Webhook]:
        async with client_as("admin", data_dir=data_dir) as client:
            return await client.webhooks.list()

    webhooks = asyncio.run(read())
    report_empty(webhooks, "webhooks")
    for item in webhooks:
        if as_json:
            print(escape_hidden(item.model_dump_json()))
        else:
            requester_text = f" of {item.requester}" if item.requester else ""
            off_mark = "" if item.active else "  (off)"
            print(printable(f"{item.id}  {item.url}  {', '.join(item.events)}{requester_text}{off_mark}"))


@app.command()
def on(webhook_id: WebhookId, data_dir: DataDir = None) -> None:
    """Enable a webhook. It then receives the events that it missed."""
    asyncio.run(_set_active(webhook_id, data_dir, active=True))
    print(f"{printable(webhook_id)} is on.")


@app.command()
def off(webhook_id: WebhookId, data_dir: DataDir = None) -> None:
    """Disable a webhook. A receiver that answers 410 does the same."""
    asyncio.run(_set_active(webhook_id, data_dir, active=False))
    print(f"{printable(webhook_id)} is off.")


@app.command()
def remove(webhook_id: WebhookId, data_dir: DataDir = None) -> None:
    """Remove a webhook and its log."""

    async def end() -> None:
        async with client_as("admin", data_dir=data_dir) as client:
            await client.webhooks.delete(webhook_id)

    asyncio.run(end())
    print(f"{printable(webhook_id)} is removed.")


@app.command(name="test")
def send_test(webhook_id: WebhookId, data_dir: DataDir = None) -> None:
    """Send one message of the type `test` now, and print the response."""

    async def send() -> Attempt:
        async with client_as("admin", data_dir=data_dir) as client:
            return await client.webhooks.test(webhook_id)

    print(_result(asyncio.run(send())))


@app.command()
def deliveries(
    webhook_id: WebhookId,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many to list.")] = 20,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List deliveries, newest first, with the result of each attempt."""

    async def read() -> list[Delivery]:
        async with client_as("admin", data_dir=data_dir) as client:
            return list(await client.webhooks.deliveries(webhook_id, limit=limit))

    page = asyncio.run(read())
    report_empty(page, "deliveries")
    for item in page:
        if as_json:
            print(escape_hidden(item.model_dump_json()))
            continue
        retry_text = f", again {_moment(item.next_at)}" if item.next_at else ""
        print(printable(f"{item.id}  {item.type}  {item.state}{retry_text}"))
        for attempt in item.attempts:
            print(f"    {_result(attempt)}")


@app.command()
def redeliver(
    webhook_id: WebhookId,
    delivery: Annotated[str | None, typer.Option(help="The delivery (dlv_…).")] = None,
    resume: Annotated[str | None, typer.Option(help="The resume (rsm_…).")] = None,
    data_dir: DataDir = None,
) -> None:
    """Send a delivery or a resume again now, and retry for three days."""
    if (delivery is None) == (resume is None):
        raise typer.BadParameter("give either --delivery or --resume", param_hint="--delivery")

    async def send_again() -> Delivery:
        async with client_as("admin", data_dir=data_dir) as client:
            return await client.webhooks.redeliver(webhook_id, delivery=delivery, resume=resume)

    print(f"{asyncio.run(send_again()).id} is sent again.")


def _result(attempt: Attempt) -> str:
    result_text = attempt.error if attempt.status is None else attempt.status
    return printable(f"{_moment(attempt.at)}  {result_text}  {attempt.duration_ms} ms")


async def _set_active(webhook_id: str, data_dir: Path | None, *, active: bool) -> None:
    async with client_as("admin", data_dir=data_dir) as client:
        await client.webhooks.update(webhook_id, active=active)


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M:%S}"
