"""Messages go only to allowed addresses, and to the checked address."""

from __future__ import annotations

import datetime as dt
import socket
import ssl
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import anyio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from askback.delivery import webhooks
from askback.delivery.webhooks import HttpWebhookClient
from askback.domain.webhooks import AllowedTargets
from askback.ports.webhooks import AddressRefused, Unreachable, WebhookResponse
from askback.server.system import SystemClock
from tests.delivery.receiver import receiving, reply
from tests.domain.test_webhooks import INSIDE_URLS, REFUSED_URLS
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

PUBLIC = "93.184.216.34"


class Names:
    """A name service with scripted answers, which counts its queries."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.requested_names: list[str] = []

    async def __call__(self, host: str, port: int) -> list[Any]:
        self.requested_names.append(host)
        answer = self.answers.pop(0) if self.answers else ()
        if not answer:
            raise OSError
        return [ip_address(item) for item in answer]


def webhook_client(
    *allowed: str, names: Names | None = None, tls: ssl.SSLContext | None = None
) -> HttpWebhookClient:
    return HttpWebhookClient(
        SystemClock(), allowed=AllowedTargets.parse(allowed), lookup=names or Names(), tls=tls
    )


async def post(to: HttpWebhookClient, url: str) -> WebhookResponse:
    with anyio.fail_after(120):
        return await to.post(url, headers={"webhook-id": "m1"}, body=b"{}")


@requirement("I11")
@pytest.mark.parametrize("url", [*REFUSED_URLS, *INSIDE_URLS])
async def test_a_private_address_gets_no_message_and_no_name_lookup(url: str) -> None:
    names = Names(["127.0.0.1"])
    with pytest.raises(AddressRefused):
        await post(webhook_client(names=names), url)
    assert names.requested_names == []


@requirement("I11")
@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["169.254.169.254"],
        [PUBLIC, "10.0.0.1"],
        ["::1"],
        ["::ffff:10.0.0.1"],
        ["fd00::1"],
        ["0.0.0.0"],
    ],
)
async def test_a_public_name_with_a_private_address_is_refused(addresses: list[str]) -> None:
    with pytest.raises(AddressRefused, match="inside"):
        await post(webhook_client(names=Names(addresses)), "https://hooks.example.com/")


@requirement("I11")
async def test_a_name_is_asked_for_once_and_the_connection_goes_to_that_address() -> None:
    async with receiving() as receiver:
        names = Names(["127.0.0.1"], ["127.0.0.2"])
        url = f"http://hooks.example.com:{receiver.port}/in?a=1"
        assert await post(webhook_client("hooks.example.com", names=names), url) == WebhookResponse(204)
    assert names.requested_names == ["hooks.example.com"]
    [got] = receiver.got
    assert got.line == "POST /in?a=1 HTTP/1.1"
    assert got.headers["host"] == f"hooks.example.com:{receiver.port}"
    assert (got.headers["webhook-id"], got.body) == ("m1", b"{}")


@requirement("I11")
async def test_an_address_in_an_allowed_network_is_reached_and_no_other() -> None:
    async with receiving() as receiver:
        to = webhook_client("127.0.0.1/32", names=Names(["127.0.0.2"]))
        assert await post(to, f"http://127.0.0.1:{receiver.port}/") == WebhookResponse(204)
        with pytest.raises(AddressRefused, match="not_https"):
            await post(to, f"http://hooks.example.com:{receiver.port}/")
        with pytest.raises(AddressRefused, match="inside"):
            await post(to, f"https://hooks.example.com:{receiver.port}/")
    assert len(receiver.got) == 1


@requirement("I11")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_an_answer_and_is_not_followed(status: int) -> None:
    async with receiving() as inside, receiving() as receiver:
        receiver.answers = [reply(status, f"location: http://127.0.0.1:{inside.port}/secret")]
        assert await post(
            webhook_client("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/"
        ) == WebhookResponse(status)
    assert inside.got == []


async def test_the_next_address_is_tried_where_nobody_listens_at_the_first() -> None:
    async with receiving() as receiver:
        names = Names(["127.0.0.9", "127.0.0.1"])
        to = webhook_client("hooks.example.com", names=names)
        assert await post(to, f"http://hooks.example.com:{receiver.port}/") == WebhookResponse(204)


async def test_the_next_address_is_tried_after_one_that_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(webhooks, "ANSWER_S", 4)
    async with receiving() as receiver:
        # The kernel drops the connections to a listener whose queue is full.
        with socket.create_server(("127.0.0.9", receiver.port), backlog=0) as full, socket.socket() as first:
            first.connect(full.getsockname())
            to = webhook_client("hooks.example.com", names=Names(["127.0.0.9", "127.0.0.1"]))
            assert await post(to, f"http://hooks.example.com:{receiver.port}/") == WebhookResponse(204)


async def test_only_the_head_of_a_response_is_read() -> None:
    async with receiving() as receiver:
        receiver.answers, receiver.endless = [b"HTTP/1.1 200 OK\r\n\r\n"], True
        assert await post(
            webhook_client("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/"
        ) == WebhookResponse(200)


@pytest.mark.parametrize(
    "answer", [b"SSH-2.0-x\r\n\r\n", b"", b"HTTP/1.1 200 OK\r\nx: " + b"a" * 300_000 + b"\r\n\r\n"]
)
async def test_a_missing_answer_is_a_short_reason(answer: bytes) -> None:
    async with receiving() as receiver:
        receiver.answers = [answer]
        with pytest.raises(Unreachable) as exc_info:
            await post(webhook_client("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/")
    assert str(exc_info.value) == "protocol"


async def test_a_receiver_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(webhooks, "ANSWER_S", 0.2)
    async with receiving() as receiver:
        receiver.silent = True
        with pytest.raises(Unreachable, match="timeout"):
            await post(webhook_client("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/")


async def test_a_refused_connection_and_an_unknown_name_are_distinguished() -> None:
    async with receiving() as receiver:
        url = f"http://127.0.0.1:{receiver.port}/"
    with pytest.raises(Unreachable, match="connect"):
        await post(webhook_client("127.0.0.1"), url)
    with pytest.raises(Unreachable, match="unknown_host"):
        await post(webhook_client(), "https://hooks.example.com/")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("120", 120.0), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("-5", None)],
)
async def test_retry_after_is_read_as_seconds_or_a_date(header: str, seconds: float | None) -> None:
    async with receiving() as receiver:
        receiver.answers = [reply(503, f"retry-after: {header}")]
        found_reply = await post(webhook_client("127.0.0.1"), f"http://127.0.0.1:{receiver.port}/")
    assert found_reply == WebhookResponse(503, seconds)


@requirement("I11")
async def test_a_certificate_has_to_be_for_the_name_and_not_for_the_address(tmp_path: Path) -> None:
    serving, trusting = _certificate(tmp_path, "hooks.example.com")
    async with receiving(serving) as receiver:
        for host, expected in (("hooks.example.com", WebhookResponse(204)), ("other.example.com", "tls")):
            to = webhook_client(host, names=Names(["127.0.0.1"]), tls=trusting)
            try:
                found: object = await post(to, f"https://{host}:{receiver.port}/")
            except Unreachable as error:
                found = str(error)
            assert found == expected


def _certificate(folder: Path, name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Contexts of a server with a certificate for a name, and of a client that trusts its issuer."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    file = folder / "server.pem"
    file.write_bytes(
        pem
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(file)
    return serving, ssl.create_default_context(cadata=pem.decode())
