"""`askback webhook`: added with its secret shown once, listed, removed, and sent again."""

from __future__ import annotations

import json

import anyio

from tests.cli.conftest import Server
from tests.cli.scripts import complete
from tests.requirements import requirement

URL = "https://hooks.example.com/in"


async def run_webhook(server: Server, *arguments: str) -> tuple[int, str, str]:
    return await anyio.to_thread.run_sync(complete, server.run("webhook", *arguments))


@requirement("G10")
async def test_a_webhook_is_added_listed_and_removed(server: Server) -> None:
    status, out, err = await run_webhook(server, "add", URL, "--event", "request.escalated")
    assert status == 0, err
    webhook_id, secret = out.split()
    assert secret.startswith("whsec_")
    _, listed, _ = await run_webhook(server, "list")
    assert f"{webhook_id}  {URL}  request.escalated\n" in listed
    _, as_json, _ = await run_webhook(server, "list", "--json")
    assert webhook_id in {json.loads(line)["id"] for line in as_json.splitlines()}
    assert secret not in listed + as_json
    assert (await run_webhook(server, "off", webhook_id))[:2] == (0, f"{webhook_id} is off.\n")
    assert f"{webhook_id}  {URL}  request.escalated  (off)\n" in (await run_webhook(server, "list"))[1]
    assert (await run_webhook(server, "on", webhook_id))[:2] == (0, f"{webhook_id} is on.\n")
    assert (await run_webhook(server, "list"))[1] == listed
    assert await run_webhook(server, "deliveries", webhook_id) == (0, "", "There are no deliveries.\n")
    status, out, _ = await run_webhook(server, "test", webhook_id)
    assert (status, out.endswith(" ms\n")) == (0, True)  # nobody is there: the reason varies
    status, _, err = await run_webhook(server, "redeliver", webhook_id, "--delivery", "dlv_none")
    assert (status, "no such delivery" in err) == (1, True)
    assert (await run_webhook(server, "remove", webhook_id))[:2] == (0, f"{webhook_id} is removed.\n")


async def test_an_invalid_webhook_is_refused(server: Server) -> None:
    status, _, err = await run_webhook(server, "add", URL, "--event", "nothing")
    assert (status, "unknown: nothing" in err) == (2, True)
    status, _, err = await run_webhook(server, "redeliver", "whk_x")
    assert status == 2
    status, _, err = await run_webhook(server, "add", "https://localhost/")
    assert (status, "ASKBACK_WEBHOOK_HOSTS" in err) == (1, True)
