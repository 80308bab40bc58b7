"""Groups F and I: validators that are webhooks, and those of installed packages (ADR 58)."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from askback.delivery.calls import SignedCall
from askback.delivery.validators import WebhookValidator
from askback.domain.request import InputRequest
from askback.domain.verdict import AskAgain
from askback.domain.webhooks import sign
from askback.ports.validator import Submission
from askback.ports.webhooks import AddressRefused, WebhookResponse
from askback.server.app import create_app
from askback.server.database_address import SettingsError
from askback.server.plugins import PluginUnusable, installed_validators
from askback.server.settings import load
from askback.server.system import SystemClock
from tests.journeys.test_server_validators import NOT_CHECKED, ValidatorServer
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

KEY = b"0123456789abcdef"
SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZg=="


@dataclass
class Carrier:
    """A `WebhookClient` with scripted replies."""

    reply: WebhookResponse | Exception
    posted: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list[Any])

    def check_url(self, url: str) -> None:
        """Refuse nothing."""

    async def post(
        self, url: str, *, headers: Mapping[str, str], body: bytes, answer_bytes: int = 0
    ) -> WebhookResponse:
        assert answer_bytes > 0
        self.posted.append((url, headers, body))
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


async def _through(tmp_path: Path, carrier: Carrier) -> dict[str, Any]:
    settings = load(
        {"ASKBACK_VALIDATORS": "stock=https://hooks.example/check", "ASKBACK_VALIDATOR_SECRET": SECRET},
        data_dir=tmp_path,
    )
    app = create_app(settings, webhook_client=carrier)
    async with app.running():
        headers = {"Authorization": f"Bearer {await app.token('requester')}"}
        transport, base = httpx2.ASGITransport(app=app), "http://127.0.0.1:8787"
        agent = httpx2.AsyncClient(transport=transport, base_url=base, headers=headers)
        headers = {"Authorization": f"Bearer {await app.token('responder')}"}
        person = httpx2.AsyncClient(transport=transport, base_url=base, headers=headers)
        validator_server = ValidatorServer(app, agent, person)
        return await validator_server.answer(await validator_server.ask(), "soup")


@requirement("F13")
async def test_a_webhook_gets_the_answer_signed_and_its_verdict_counts(tmp_path: Path) -> None:
    verdict = {"accept": {"values": {"dish": "Rice"}, "message": "Booked."}}
    carrier = Carrier(WebhookResponse(200, body=json.dumps(verdict).encode()))
    ended_request = await _through(tmp_path, carrier)
    assert ended_request["answer"] == {"values": {"dish": "Rice"}, "message": "Booked."}
    [(url, headers, body)] = carrier.posted
    sent = json.loads(body)
    assert (url, sent["type"], sent["data"]["submitted"]["values"]) == (
        "https://hooks.example/check",
        "validate",
        {"dish": "soup"},
    )
    assert headers["webhook-id"] == f"{ended_request['id']}:1"
    timestamp = int(headers["webhook-timestamp"])
    assert headers["webhook-signature"] == sign(
        KEY, message_id=headers["webhook-id"], timestamp=timestamp, body=body
    )
    assert abs(time.time() - timestamp) < 60


@requirement("F13", "F14")
@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (
            {"reprompt": {"field_errors": [{"path": "values.dish", "message": "Off."}], "timeout_s": 60}},
            {"error_summary": "Please correct the highlighted fields.", "timeout_s": 60},
        ),
        ({"open": True}, {"revision": 2}),
    ],
)
async def test_a_webhook_may_ask_again(
    tmp_path: Path, verdict: dict[str, Any], expected: dict[str, Any]
) -> None:
    request = await _through(tmp_path, Carrier(WebhookResponse(200, body=json.dumps(verdict).encode())))
    assert request["status"] == "pending"
    assert {name: request[name] for name in expected} == expected


@requirement("F13", "I11")
@pytest.mark.parametrize(
    "reply",
    [
        AddressRefused("inside"),
        WebhookResponse(500, body=b"{}"),
        *(
            WebhookResponse(200, body=body)
            for body in (
                b"",
                b"{}",
                b"[]",
                b"\xff",
                b'{"accept":{},"open":true}',
                b'{"open":false}',
                b'{"accept":{"ok":true}}',
            )
        ),
    ],
)
async def test_an_invalid_verdict_of_a_webhook_checks_nothing(tmp_path: Path, reply: Any) -> None:
    request = await _through(tmp_path, Carrier(reply))
    assert (request["status"], request["error_summary"]) == ("pending", NOT_CHECKED)


@pytest.mark.parametrize(
    "settings",
    [
        {"ASKBACK_VALIDATORS": "stock=https://a.example"},
        {"ASKBACK_VALIDATORS": "stock", "ASKBACK_VALIDATOR_SECRET": SECRET},
        {"ASKBACK_VALIDATORS": "requester=https://a.example", "ASKBACK_VALIDATOR_SECRET": SECRET},
        {"ASKBACK_VALIDATORS": "stock=file:///etc/passwd", "ASKBACK_VALIDATOR_SECRET": SECRET},
        {"ASKBACK_VALIDATORS": "stock=https://a.example", "ASKBACK_VALIDATOR_SECRET": "no"},
    ],
)
def test_invalid_settings_are_refused(settings: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        load(settings)


# --- installed packages -----------------------------------------------------------------------


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def write(entry: str) -> None:
        info = tmp_path / "acme_validators-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-validators\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text(f"[askback.validators]\n{entry}\n")
        (tmp_path / "acme_validators.py").write_text("def stock(submission): return None\nnumber = 5\n")

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "acme_validators", raising=False)
    return write


def test_a_validator_of_an_installed_package_is_named_by_its_entry_point(
    install: Callable[[str], None],
) -> None:
    install("stock = acme_validators:stock")
    assert list(installed_validators()) == ["stock"]


@pytest.mark.parametrize("name", ["nothing", "number"])
def test_a_validator_that_cannot_be_used_stops_the_server_with_a_sentence(
    install: Callable[[str], None], name: str
) -> None:
    install(f"stock = acme_validators:{name}")
    with pytest.raises(PluginUnusable, match="stock"):
        create_app()


def test_no_validator_is_named_like_the_agent() -> None:
    with pytest.raises(PluginUnusable):
        create_app(validators={"requester": lambda _: None})


async def test_a_webhook_validator_reads_paths_of_odd_ids() -> None:
    form = {"fields": [{"id": "a b", "type": "text", "label": "A"}]}
    request = InputRequest.model_validate(
        {"id": "req_1", "kind": "form", "thread_id": "t", "created_at": "2026-01-01T00:00:00Z", "status": "resolving", "revision": 1, "form": form}
    )  # fmt: skip
    wrong = [{"path": 'values["a b"]', "message": "No."}]
    reply = json.dumps({"reprompt": {"field_errors": wrong}}).encode()
    carrier = Carrier(WebhookResponse(200, body=reply))
    check = WebhookValidator(SignedCall("https://a.example", key=KEY, client=carrier, clock=SystemClock()))
    assert await check(Submission(request)) == AskAgain({"a b": "No."})
