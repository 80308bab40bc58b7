"""An error reporter writes the variables of every function of a traceback: no value is in them.

Such a tool sits between the server and the app's own handling of errors. Here the routes are called without that, so
that each error comes out with all of its functions; what is in their variables is written down as the tools do it.
"""

from __future__ import annotations

import io
import json
import traceback
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from rich.console import Console
from rich.traceback import Traceback
from starlette.routing import Router

from askback.domain.secrets.secret import RawBody, Secret
from askback.ports.vault import Binding
from askback.server.app import App, create_app
from askback.transports.endpoint import Paths
from askback.vault.envelope import Envelope
from askback.vault.keys import KeyRing
from tests.leaks.canary import Search, canary
from tests.leaks.refusals import FIELDS, FORM, REFUSED_BODIES, SHAPES, SUBMISSIONS
from tests.requirements import requirement

pytestmark = pytest.mark.anyio

Write = Callable[[str], bytes]
PIECE = 1_000
NEED = {"names": ["A_KEY", "B_KEY"], "reason": "to call the CRM"}


class Broken(Envelope):
    """A vault that fails after it has sealed, without a value in its exception."""

    async def seal(self, binding: Binding, secret: Secret) -> str:
        """Seal, and fail."""
        await super().seal(binding, secret)
        raise RuntimeError("the vault is broken")


@pytest.fixture
async def app() -> AsyncIterator[App]:
    app = create_app(vault=Broken(KeyRing({"k1": bytes(range(32))})))
    async with app.running():
        yield app


async def call(app: App, role: str, path: str, body: RawBody) -> dict[str, Any]:
    """Post a body in pieces and return the reply; errors are raised unchanged."""
    pieces = iter(_pieces(body))
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return next(pieces)

    async def send(message: Any) -> None:
        sent.append(message)

    token = await app.token(role)
    scope: dict[str, Any] = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(b"authorization", f"Bearer {token}".encode())],
    }
    await Router([Paths(app.services, app.routes)])(scope, receive, send)
    return json.loads(sent[-1]["body"])


def _pieces(body: RawBody) -> list[dict[str, Any]]:
    raw = body.read(bytes)
    cuts = range(0, max(len(raw), 1), PIECE)
    return [
        {
            "type": "http.request",
            "body": raw[position : position + PIECE],
            "more_body": position + PIECE < len(raw),
        }
        for position in cuts
    ]


async def error_report(app: App, path: str, body: RawBody, *, with_rich: bool) -> bytes:
    """The report of such a tool about the error of a person's post; with `with_rich` also rich's."""
    try:
        await call(app, "responder", path, body)
    except Exception as error:
        raised_error = error
    else:
        raise AssertionError("nothing was raised")
    plain = traceback.TracebackException.from_exception(raised_error, capture_locals=True)
    written = "".join(plain.format())
    assert "body = " in written or "call = " in written, "there are variables in it"
    if with_rich:
        # It takes half a second for each.
        console = Console(record=True, width=300, file=io.StringIO())
        console.print(
            Traceback.from_exception(
                type(raised_error), raised_error, raised_error.__traceback__, show_locals=True
            )
        )
        written += console.export_text()
    return written.encode()


async def create_request(app: App, body: dict[str, Any]) -> str:
    request = await call(
        app, "requester", "/v1/requests", RawBody(json.dumps({"thread_id": body["kind"], **body}).encode())
    )
    return f"/v1/requests/{request['id']}/answer"


async def check(app: App, path: str, origin: str, write: Write, *, with_rich: bool = False) -> None:
    """Post a value and search for it in the report."""
    made_canary = canary(origin, shape=SHAPES.get(origin, "{}{}{}{}{}"))
    body = RawBody(write(made_canary.value))
    assert Search([made_canary]).found(await error_report(app, path, body, with_rich=with_rich)) == set(), (
        origin
    )


@requirement("E5", "I10")
async def test_a_report_about_a_submission_has_no_value_in_its_variables(app: App) -> None:
    path = await create_request(app, {"kind": "secret", "secret": NEED})
    for origin, write in SUBMISSIONS.items():
        await check(app, path, origin, write, with_rich=origin == "too long")


@requirement("E5", "I10", "E22")
async def test_a_report_about_a_sensitive_field_has_no_value_in_its_variables(app: App) -> None:
    path = await create_request(app, {"kind": "form", "form": FORM})
    for origin, write in FIELDS.items():
        await check(app, path, origin, lambda v, write=write: _answer(write(v)))
    await check(app, path, "cut in the middle", lambda v: _answer({"short": v})[:-20])
    await check(app, path, "beside the values", lambda v: json.dumps({"values": {}, "more": v}).encode())


@requirement("E5", "I10")
async def test_a_traceback_of_a_failed_manual_storing_contains_no_value(app: App) -> None:
    for origin, write in REFUSED_BODIES.items():
        await check(app, "/v1/secrets", origin, write)


@requirement("E5", "I10")
async def test_a_traceback_of_a_failed_sealing_contains_no_value(
    app: App,
) -> None:
    secret = await create_request(app, {"kind": "secret", "secret": {**NEED, "names": ["A_KEY"]}})
    form = await create_request(app, {"kind": "form", "form": {"fields": [{"id": "pin", "type": "text", "label": "PIN", "sensitive": True}]}})  # fmt: skip
    ways: dict[str, tuple[str, Write]] = {
        "submitted": (secret, lambda v: json.dumps({"revision": 1, "secrets": {"A_KEY": v}}).encode()),
        "in a field": (form, lambda v: _answer({"pin": v})),
        "kept": ("/v1/secrets", lambda v: json.dumps({"name": "A", "scope": "global", "value": v}).encode()),
    }
    for origin, (path, write) in ways.items():
        await check(app, path, origin, write)


@requirement("E5")
async def test_a_reader_that_breaks_leaves_no_value_in_its_variables() -> None:
    made_canary = canary("in a reader that breaks")
    body = RawBody(made_canary.value.encode())

    def reader(text: bytes) -> None:
        try:
            [].remove(len(text))
        except ValueError:
            _fail(text)

    with pytest.raises(RuntimeError) as exc_info:
        body.read(reader)
    report = traceback.TracebackException.from_exception(exc_info.value, capture_locals=True)
    written = "".join(report.format())
    assert "_fail" in written
    assert Search([made_canary]).found(written.replace(repr(made_canary), "").encode()) == set()


def _fail(text: bytes) -> None:
    raise RuntimeError("broken")


def _answer(values: Any) -> bytes:
    return json.dumps({"revision": 1, "values": values.get("values", values)}).encode()
