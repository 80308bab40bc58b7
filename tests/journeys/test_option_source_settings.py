"""Groups F and I: sources of options that are webhooks, and those of installed packages (ADR 65)."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest

from askback.domain.webhooks import sign
from askback.ports.webhooks import AddressRefused, WebhookResponse
from askback.server.app import create_app
from askback.server.database_address import SettingsError
from askback.server.plugins import PluginUnusable, installed_option_sources
from askback.server.settings import load
from tests.journeys.sourcing import REPOSITORY, SourceServer, faults
from tests.journeys.test_validator_settings import KEY, SECRET, Carrier
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

SETTINGS = {
    "ASKBACK_OPTION_SOURCES": "repositories=https://hooks.example/options",
    "ASKBACK_OPTION_SOURCE_SECRET": SECRET,
}


async def place_of(app: Any) -> SourceServer:
    source_server = SourceServer(app, httpx2.AsyncClient(), httpx2.AsyncClient())
    source_server.agent, source_server.person = (
        await source_server.client("requester", "agent"),
        await source_server.client("responder", "ada"),
    )
    return source_server


@requirement("F9", "I11")
async def test_a_webhook_is_searched_and_confirms_the_answer(tmp_path: Path) -> None:
    carrier = Carrier(WebhookResponse(200, body=b'{"options": ["api"], "next_cursor": "p2"}'))
    app = create_app(load(SETTINGS, data_dir=tmp_path), webhook_client=carrier)
    async with app.running():
        source_server = await place_of(app)
        request = await source_server.ask_form(REPOSITORY)
        result = (await source_server.search(request, field="repo", q="a", cursor="p1")).json()
        assert result == {"options": [{"value": "api", "label": "api"}], "next_cursor": "p2"}
        assert (await source_server.answer(request, repo="api")).json()["status"] == "answered"
    [(url, headers, body), (_, _, confirmed)] = carrier.posted
    assert url == "https://hooks.example/options"
    id_, timestamp = headers["webhook-id"], int(headers["webhook-timestamp"])
    assert headers["webhook-signature"] == sign(KEY, message_id=id_, timestamp=timestamp, body=body)
    sent = json.loads(body)
    assert (sent["type"], sent["data"].pop("request")["id"]) == ("options", request["id"])
    assert sent["data"] == {
        "source": "repositories", "field": "repo", "q": "a", "limit": 50, "cursor": "p1", "user": "ada",
    }  # fmt: skip
    assert json.loads(confirmed)["data"]["values"] == ["api"]


@requirement("F9", "I11", "N3")
@pytest.mark.parametrize(
    "reply",
    [AddressRefused("inside"), WebhookResponse(500, body=b"[]"), *(WebhookResponse(200, body=item) for item in (b"", b"{}", b"5", b"\xff", b'{"options": {}}'))],
)  # fmt: skip
async def test_an_invalid_list_of_a_webhook_has_no_options(tmp_path: Path, reply: Any) -> None:
    app = create_app(load(SETTINGS, data_dir=tmp_path), webhook_client=Carrier(reply))
    async with app.running():
        source_server = await place_of(app)
        request = await source_server.ask_form(REPOSITORY)
        assert faults(await source_server.search(request, field="repo")) == [("field", "source_unavailable")]
        assert faults(await source_server.answer(request, repo="api")) == [
            ("values.repo", "source_unavailable")
        ]


@requirement("I11")
async def test_an_address_inside_is_not_called(tmp_path: Path) -> None:
    inside = {**SETTINGS, "ASKBACK_OPTION_SOURCES": "repositories=https://localhost/options"}
    app = create_app(load(inside, data_dir=tmp_path))
    async with app.running():
        source_server = await place_of(app)
        request = await source_server.ask_form(REPOSITORY)
        assert faults(await source_server.search(request, field="repo")) == [("field", "source_unavailable")]


@pytest.mark.parametrize(
    "changes",
    [
        {"ASKBACK_OPTION_SOURCE_SECRET": ""},
        {"ASKBACK_OPTION_SOURCE_SECRET": "no"},
        {"ASKBACK_OPTION_SOURCES": "repositories"},
        {"ASKBACK_OPTION_SOURCES": "a b=https://a.example"},
        {"ASKBACK_OPTION_SOURCES": "repositories=file:///etc/passwd"},
    ],
)
def test_invalid_settings_are_refused(changes: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        load({name: value for name, value in {**SETTINGS, **changes}.items() if value})


@pytest.mark.parametrize("name", ["repositories", "nothing", "number"])
def test_a_source_of_an_installed_package_is_named_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    info = tmp_path / "acme_sources-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-sources\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[askback.option_sources]\nrepositories = acme_sources:{name}\n")
    (tmp_path / "acme_sources.py").write_text("def repositories(query): return []\nnumber = 5\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "acme_sources", raising=False)
    if name == "repositories":
        assert list(installed_option_sources()) == ["repositories"]
    else:
        with pytest.raises(PluginUnusable, match="repositories"):
            create_app()
