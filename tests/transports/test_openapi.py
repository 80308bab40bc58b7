"""The OpenAPI document: current, complete, and equal to the served one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from askback.server.app import create_app
from askback.transports.websocket import operations as websocket
from askback.wire import openapi
from askback.wire.operation import BYTES, HTML, LINES, PLAIN, PNG, STREAM
from askback.wire.operations import OPERATIONS
from tests.requirements import requirement
from tests.transports.conftest import Api

COMMITTED = Path(__file__).parents[2] / "docs" / "reference" / "openapi.json"


def test_the_committed_document_is_current() -> None:
    assert COMMITTED.read_text("utf-8") == openapi.text(), "run `make gen`"


@requirement("G1")
def test_every_route_for_programs_is_in_the_document() -> None:
    document = json.loads(COMMITTED.read_text("utf-8"))
    described = {(method.upper(), path) for path, item in document["paths"].items() for method in item}
    assert described == {
        (item.method, openapi.template(item)) for item in OPERATIONS.values() if "http" in item.transports
    }


def test_the_server_has_a_handler_for_every_operation() -> None:
    served = {route.operation.name for route in create_app().routes}
    assert {name for name, item in OPERATIONS.items() if "http" in item.transports} <= served
    over_websocket = {name for name, item in OPERATIONS.items() if "websocket" in item.transports}
    assert over_websocket == {*websocket.OPERATIONS, *websocket.INLINE}


def test_every_model_that_the_table_names_exists() -> None:
    for item in OPERATIONS.values():
        for names in filter(None, (item.body, *item.replies.values())):
            assert names in (STREAM, PLAIN, HTML, BYTES, PNG, LINES) or openapi.models(names)


def test_every_reference_in_the_document_leads_somewhere() -> None:
    document = json.loads(COMMITTED.read_text("utf-8"))
    result = {ref.removeprefix("#/components/") for ref in _references(document)}
    assert result
    assert result <= {f"{kind}/{name}" for kind, parts in document["components"].items() for name in parts}


@pytest.mark.anyio
async def test_the_server_gives_out_the_same_document_to_anyone(api: Api) -> None:
    served_reply = await api.client().get("/openapi.json")
    assert (served_reply.status_code, served_reply.text) == (200, COMMITTED.read_text("utf-8"))


def _references(part: Any) -> list[str]:
    if isinstance(part, dict):
        references = [part["$ref"]] if isinstance(part.get("$ref"), str) else []
        return references + [ref for value in part.values() for ref in _references(value)]
    return [ref for value in part for ref in _references(value)] if isinstance(part, list) else []
