"""Calls to the running server of this machine, as its admin."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2

from askback import settings as settings_module
from askback.cli import server_file
from askback.cli.rest import refusal
from askback.client.channel import VIA_HEADER
from askback.errors import AskbackError


class NotRunning(AskbackError):
    """No server of this data folder answers."""


def post(data_dir: Path | None, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Post to the server that left its address in the data folder; raises `NotRunning`, `AskbackError`."""
    file = settings_module.load(data_dir=data_dir).server_file
    reach = server_file.read(file)
    if "url" not in reach or "admin_token" not in reach:
        raise NotRunning(f"No server has been started with {file.parent}. Run `askback serve` first.")
    try:
        headers = {"Authorization": f"Bearer {reach['admin_token']}", VIA_HEADER: "cli"}
        with httpx2.Client(base_url=reach["url"], headers=headers, trust_env=False, timeout=10) as http:
            response = http.post(path, json=body)
    except httpx2.HTTPError:
        raise NotRunning(f"No server answers at {reach['url']}. Run `askback serve` first.") from None
    if response.status_code >= 400:
        raise AskbackError(refusal(response.json()["error"]))
    return response.json()
