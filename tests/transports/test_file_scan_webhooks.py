"""Signed webhooks scan uploaded files; a file that was not scanned is refused."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from askback.delivery import file_scans
from askback.domain.webhooks import sign
from askback.ports.filescan import FileToScan
from askback.ports.webhooks import AddressRefused, Unreachable, WebhookResponse
from askback.server.app import create_app
from askback.server.database_address import SettingsError
from askback.server.plugins import PluginUnusable
from askback.server.settings import load
from tests.journeys.test_validator_settings import KEY, SECRET, Carrier
from tests.transports.conftest import Api, ManualClock, create_request
from tests.transports.test_files import form, paths, post

pytestmark = pytest.mark.anyio

SETTINGS = {
    "ASKBACK_FILE_SCANS": "antivirus=https://hooks.example/scan",
    "ASKBACK_FILE_SCAN_SECRET": SECRET,
}
ACCEPT = WebhookResponse(200, body=b'{"accept": true}')


@asynccontextmanager
async def serving(tmp_path: Path, client: Any, **settings: str) -> AsyncIterator[Api]:
    """A server with a webhook."""
    clock = ManualClock()
    app = create_app(load({**SETTINGS, **settings}, data_dir=tmp_path), webhook_client=client, clock=clock)
    async with app.running():
        yield Api(app, clock)


async def upload(api: Api, content: bytes = b"hello") -> Any:
    """Upload a file for a new request; only an accepted one is there afterwards."""
    request = (await create_request(api, **form()))["id"]
    reply = await post(api, request, content)
    kept_files = (await (await api.as_("responder")).get(f"/v1/requests/{request}/files")).json()["files"]
    assert len(kept_files) == (reply.status_code == 201)
    return reply


async def uploaded(tmp_path: Path, client: Any, content: bytes = b"hello", **settings: str) -> Any:
    """Upload a file to a new server with a webhook."""
    async with serving(tmp_path, client, **settings) as api:
        return await upload(api, content)


async def test_a_webhook_gets_the_file_and_accepts_it(tmp_path: Path) -> None:
    carrier = Carrier(ACCEPT)
    assert (await uploaded(tmp_path, carrier)).status_code == 201
    [(url, headers, body)] = carrier.posted
    assert url == "https://hooks.example/scan"
    id_, timestamp = headers["webhook-id"], int(headers["webhook-timestamp"])
    assert headers["webhook-signature"] == sign(KEY, message_id=id_, timestamp=timestamp, body=body)
    sent = json.loads(body)
    assert (sent["type"], sent["data"].pop("request_id")[:4]) == ("file_scan", "req_")
    assert sent["data"] == {
        "name": "a.txt",
        "type": "text/plain",
        "size": 5,
        "sha256": hashlib.sha256(b"hello").hexdigest(),
        "thread_id": "t1",
        "content": base64.b64encode(b"hello").decode(),
    }


@pytest.mark.parametrize(
    ("reply", "message_text"),
    [(b'{"accept": false, "reason": "It has macros."}', "It has macros."), (b'{"accept": false}', "problem")],
)
async def test_a_webhook_refuses_a_file_with_its_reason(
    tmp_path: Path, reply: bytes, message_text: str
) -> None:
    refused_file = await uploaded(tmp_path, Carrier(WebhookResponse(200, body=reply)))
    assert paths(refused_file) == [("values.scan", "file_refused")]
    assert message_text in refused_file.text


UNUSABLE: list[WebhookResponse | Exception] = [
    AddressRefused("inside"),
    Unreachable("timeout"),
    WebhookResponse(500, body=b'{"accept": true}'),
    WebhookResponse(302, body=b'{"accept": true}'),
    *(
        WebhookResponse(200, body=item)
        for item in (
            b"", b"{}", b"true", b"null", b"[]", b"\xff", b'{"accept": "true"}', b'{"accept": 1}',
            b'{"accept": null}', b'{"accept": true, "infected": true}',
        )
    ),
]  # fmt: skip


async def test_a_file_that_was_not_checked_is_refused(tmp_path: Path) -> None:
    carrier = Carrier(ACCEPT)
    async with serving(tmp_path, carrier) as api:
        for carrier.reply in UNUSABLE:
            refused_file = await upload(api)
            assert paths(refused_file) == [("values.scan", "scan_unavailable")], carrier.reply
            assert "hooks.example" not in refused_file.text


async def test_an_address_inside_is_not_called(tmp_path: Path) -> None:
    inside = await uploaded(tmp_path, None, ASKBACK_FILE_SCANS="antivirus=https://localhost/scan")
    assert paths(inside) == [("values.scan", "scan_unavailable")]


async def test_a_file_that_is_too_large_for_a_webhook_is_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_scans, "LARGEST", 4)
    carrier = Carrier(ACCEPT)
    assert paths(await uploaded(tmp_path, carrier)) == [("values.scan", "file_refused")]
    assert carrier.posted == []


async def test_the_reasons_of_the_server_are_in_the_language_of_the_uploader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(tmp_path, Carrier(WebhookResponse(200, body=b'{"accept": false}'))) as api:
        request = (await create_request(api, **form()))["id"]
        person = await api.as_("responder", **{"Accept-Language": "de"})
        messages: list[str] = []
        for most_bytes in (file_scans.LARGEST, 4):
            monkeypatch.setattr(file_scans, "LARGEST", most_bytes)
            query = {"field": "scan", "name": "a.txt"}
            reply = await person.post(f"/v1/requests/{request}/files", params=query, content=b"hello")
            messages += [item["message"] for item in reply.json()["error"]["field_errors"]]
    assert messages == [
        "Die Datei wurde nicht angenommen: Die Prüfung hat ein Problem gefunden.",
        "Die Datei wurde nicht angenommen: Sie ist zu groß für die Prüfung.",
    ]


@pytest.mark.parametrize(
    "changes",
    [
        {"ASKBACK_FILE_SCAN_SECRET": ""},
        {"ASKBACK_FILE_SCAN_SECRET": "no"},
        {"ASKBACK_FILE_SCANS": "antivirus"},
        {"ASKBACK_FILE_SCANS": "antivirus=file:///etc/passwd"},
    ],
)
def test_invalid_settings_are_refused(changes: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        load({name: value for name, value in {**SETTINGS, **changes}.items() if value})


async def accept(file: FileToScan) -> None:
    """A scan of the caller."""


def test_a_webhook_does_not_replace_another_scan(tmp_path: Path) -> None:
    settings = {**SETTINGS, "ASKBACK_FILE_SCANS": "file_scan=https://hooks.example/scan"}
    with pytest.raises(PluginUnusable, match="file_scan"):
        create_app(load(settings, data_dir=tmp_path), file_scan=accept)
